// The number of calls of malloc and its family, in programs that include heap_count.cpp.
#pragma once

#include <cstddef>

namespace rtbwire {

std::size_t heap_calls();

}  // namespace rtbwire
