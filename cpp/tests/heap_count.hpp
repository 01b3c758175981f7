// Calls of malloc and its family in a program that heap_count.cpp is compiled into.
#pragma once

#include <cstddef>

namespace rtbwire {

std::size_t heap_calls();

}  // namespace rtbwire
