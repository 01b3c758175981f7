// Counts calls of malloc and its family in a test or benchmark, and passes them on to glibc. This
// includes operator new and C libraries.
#include "heap_count.hpp"

#include <malloc.h>

#include <atomic>
#include <cerrno>

namespace {
std::atomic<std::size_t> calls{0};
void count() { calls.fetch_add(1, std::memory_order_relaxed); }
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t n) {
  count();
  return __libc_malloc(n);
}
void* calloc(std::size_t n, std::size_t m) {
  count();
  return __libc_calloc(n, m);
}
void* realloc(void* p, std::size_t n) {
  count();
  return __libc_realloc(p, n);
}
void* memalign(std::size_t a, std::size_t n) {
  count();
  return __libc_memalign(a, n);
}
void* aligned_alloc(std::size_t a, std::size_t n) {
  count();
  return __libc_memalign(a, n);
}
int posix_memalign(void** p, std::size_t a, std::size_t n) {
  count();
  *p = __libc_memalign(a, n);
  return *p == nullptr ? ENOMEM : 0;
}
void free(void* p) { __libc_free(p); }
}

std::size_t rtbwire::heap_calls() { return calls.load(std::memory_order_relaxed); }
