// The number of calls of functions that depend on the locale of the process, in programs that
// include locale_count.cpp.
#pragma once

#include <cstddef>

namespace rtbwire {

struct locale_count {
  std::size_t isspace = 0;
  std::size_t localeconv = 0;
};

locale_count locale_calls();

}  // namespace rtbwire
