// What simdjson's header-only part was compiled to. On-Demand is chosen by the compiler's flags;
// implementation names that the library gives at run time are about its DOM only.
#pragma once

#include <simdjson.h>

#include <string_view>

#define RTBWIRE_TEXT_OF(macro) RTBWIRE_TEXT(macro)
#define RTBWIRE_TEXT(token) #token

namespace rtbwire::bench {

inline constexpr std::string_view ondemand_built_for = RTBWIRE_TEXT_OF(SIMDJSON_BUILTIN_IMPLEMENTATION);

/// False: a slower one than this processor has, whose times would say nothing.
inline bool ondemand_is_the_best() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return ondemand_built_for == "haswell" || ondemand_built_for == "icelake";
#endif
  return ondemand_built_for != "fallback";
}

}  // namespace rtbwire::bench
