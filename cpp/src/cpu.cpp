// Which kernels this processor can run. It is asked each time an engine is made, because the
// compiler's own helper would keep the answer in a global variable.
#include "kernel.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace rtbwire {
namespace {

#if defined(__x86_64__)

struct features {
  bool sse42, avx2, avx512;
};

features ask() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  features f{};
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return f;
  f.sse42 = (c & bit_SSE4_2) != 0 && (c & bit_SSSE3) != 0 && (c & bit_POPCNT) != 0;
  const bool clmul = (c & bit_PCLMUL) != 0;
  const bool ymm = (c & bit_OSXSAVE) != 0 && (c & bit_AVX) != 0;
  if (!ymm) return f;
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 6) != 6) return f;  // the operating system does not save the wide registers
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return f;
  // The flags of kernel_avx2.cpp: -mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt -mpclmul.
  f.avx2 = f.sse42 && clmul && (b & bit_AVX2) != 0 && (b & bit_BMI) != 0 && (b & bit_BMI2) != 0;
  const bool wide = (low & 0xe6) == 0xe6 && (b & bit_AVX512F) != 0 && (b & bit_AVX512BW) != 0;
  if (f.avx2 && __get_cpuid(0x80000001, &a, &b, &c, &d) != 0) f.avx2 = (c & bit_LZCNT) != 0;
  f.avx512 = f.avx2 && wide;
  return f;
}

#endif

}  // namespace

const kernel_ops& ops_of(rtbwire_kernel kernel) noexcept {
  switch (kernel) {
#if defined(__x86_64__)
    case RTBWIRE_KERNEL_SSE42: return sse42_ops;
    case RTBWIRE_KERNEL_AVX2: return avx2_ops;
    case RTBWIRE_KERNEL_AVX512: return avx512_ops;
#elif defined(__aarch64__)
    case RTBWIRE_KERNEL_NEON: return neon_ops;
#endif
    default: return scalar_ops;
  }
}

rtbwire_kernel best_kernel(rtbwire_kernel wanted) noexcept {
  if (wanted != RTBWIRE_KERNEL_BEST) return wanted;
  constexpr rtbwire_kernel order[] = {RTBWIRE_KERNEL_AVX512, RTBWIRE_KERNEL_AVX2,
                                      RTBWIRE_KERNEL_SSE42, RTBWIRE_KERNEL_NEON};
  for (const rtbwire_kernel kernel : order)
    if (rtbwire_kernel_usable(kernel)) return kernel;
  return RTBWIRE_KERNEL_SCALAR;
}

}  // namespace rtbwire

int rtbwire_kernel_usable(rtbwire_kernel kernel) {
  switch (kernel) {
    case RTBWIRE_KERNEL_BEST:
    case RTBWIRE_KERNEL_SCALAR: return 1;
#if defined(__x86_64__)
    case RTBWIRE_KERNEL_SSE42: return rtbwire::ask().sse42;
    case RTBWIRE_KERNEL_AVX2: return rtbwire::ask().avx2;
    case RTBWIRE_KERNEL_AVX512: return rtbwire::ask().avx512;
#elif defined(__aarch64__)
    case RTBWIRE_KERNEL_NEON: return 1;
#endif
    default: return 0;
  }
}
