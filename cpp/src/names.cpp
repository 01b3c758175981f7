// Names for people and logs. Programs compare the numbers.
#include "rtbwire/scan.h"

const char* rtbwire_kernel_name(rtbwire_kernel kernel) {
  switch (kernel) {
    case RTBWIRE_KERNEL_BEST: return "best";
    case RTBWIRE_KERNEL_SCALAR: return "scalar";
    case RTBWIRE_KERNEL_SSE42: return "sse4.2";
    case RTBWIRE_KERNEL_AVX2: return "avx2";
    case RTBWIRE_KERNEL_NEON: return "neon";
    case RTBWIRE_KERNEL_AVX512: return "avx512";
  }
  return "unknown";
}

const char* rtbwire_outcome_name(rtbwire_outcome outcome) {
  switch (outcome) {
    case RTBWIRE_CLEAN: return "clean";
    case RTBWIRE_MALICIOUS: return "malicious";
    case RTBWIRE_MALFORMED: return "malformed";
    case RTBWIRE_TOO_DEEP: return "too deep";
    case RTBWIRE_TOO_LARGE: return "too large";
    case RTBWIRE_EXHAUSTED: return "exhausted";
    case RTBWIRE_FAILED: return "failed";
  }
  return "unknown";
}

const char* rtbwire_error_name(rtbwire_error error) {
  switch (error) {
    case RTBWIRE_ERROR_NONE: return "none";
    case RTBWIRE_ERROR_EMPTY: return "empty";
    case RTBWIRE_ERROR_SYNTAX: return "syntax";
    case RTBWIRE_ERROR_TRUNCATED: return "truncated";
    case RTBWIRE_ERROR_TRAILING: return "trailing";
    case RTBWIRE_ERROR_BOM: return "bom";
    case RTBWIRE_ERROR_CONTROL: return "control";
    case RTBWIRE_ERROR_ESCAPE: return "escape";
    case RTBWIRE_ERROR_UTF8: return "utf8";
    case RTBWIRE_ERROR_SURROGATE: return "surrogate";
    case RTBWIRE_ERROR_NUMBER: return "number";
    case RTBWIRE_ERROR_DEPTH: return "depth";
  }
  return "unknown";
}
