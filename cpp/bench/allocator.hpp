// The name and version of the malloc that a program runs with, which LD_PRELOAD may have replaced.
#pragma once

#include <dlfcn.h>
#include <gnu/libc-version.h>

#include <string>

namespace rtbwire::bench {

template <class Function>
Function* function_named(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

inline std::string allocator() {
  if (auto* control =
          function_named<int(const char*, void*, std::size_t*, void*, std::size_t)>("mallctl")) {
    const char* version = "";
    std::size_t size = sizeof version;
    control("version", &version, &size, nullptr, 0);
    const std::string text = version;  // "5.3.0-0-g..."
    return "jemalloc " + text.substr(0, text.find('-'));
  }
  if (auto* version = function_named<int()>("mi_version")) {
    const int v = version();
    return "mimalloc " + std::to_string(v / 100) + '.' + std::to_string(v / 10 % 10) + '.' +
           std::to_string(v % 10);
  }
  if (auto* version = function_named<const char*(int*, int*, const char**)>("tc_version")) {
    int major = 0, minor = 0;
    const char* patch = "";
    version(&major, &minor, &patch);
    return "tcmalloc " + std::to_string(major) + '.' + std::to_string(minor) + patch;
  }
  return std::string{"glibc "} + gnu_get_libc_version();
}

}  // namespace rtbwire::bench
