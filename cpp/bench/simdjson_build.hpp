// The implementation that simdjson On-Demand is compiled to, which compiler flags choose. The
// implementation that the library names at run time belongs to its DOM.
#pragma once

#include <simdjson.h>

#include <string_view>

#define RTBWIRE_TEXT_OF(macro) RTBWIRE_TEXT(macro)
#define RTBWIRE_TEXT(token) #token

namespace rtbwire::bench {

inline constexpr std::string_view ondemand_built_for =
    RTBWIRE_TEXT_OF(SIMDJSON_BUILTIN_IMPLEMENTATION);

/// Reports whether it is the fastest for this processor; otherwise times would be misleading.
inline bool ondemand_is_the_best() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return ondemand_built_for == "haswell" || ondemand_built_for == "icelake";
#endif
  return ondemand_built_for != "fallback";
}

}  // namespace rtbwire::bench
