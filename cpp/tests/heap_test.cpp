// No heap after set-up: malloc and its family are replaced, in this program only, by
// counting ones.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "corpus.hpp"
#include "support.hpp"

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {
std::atomic<std::size_t> heap_calls{0};
}

extern "C" {
void* malloc(std::size_t n) { ++heap_calls; return __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t m) { ++heap_calls; return __libc_calloc(n, m); }
void* realloc(void* p, std::size_t n) { ++heap_calls; return __libc_realloc(p, n); }
void* memalign(std::size_t a, std::size_t n) { ++heap_calls; return __libc_memalign(a, n); }
void* aligned_alloc(std::size_t a, std::size_t n) { ++heap_calls; return __libc_memalign(a, n); }
int posix_memalign(void** p, std::size_t a, std::size_t n) {
  ++heap_calls;
  *p = __libc_memalign(a, n);
  return *p == nullptr;
}
void free(void* p) { __libc_free(p); }
}

namespace rtbwire::test {
namespace {

TEST(Heap, CountingWorks) {
  const std::size_t before = heap_calls;
  std::vector<char> some(100);
  asm volatile("" : : "r"(some.data()) : "memory");
  EXPECT_GT(heap_calls, before);
}

TEST(Heap, ScanningTakesNone) {
  const auto packets = corpus::make({.count = 1000});
  for (const auto kernel : kernels()) {
    for (const auto mode : {RTBWIRE_STRICT, RTBWIRE_DETECT}) {
      fixture_scanner scan{kernel, {mode, 0, 0}, RTBWIRE_LAYER_ALL};
      std::size_t malicious = 0;
      const std::size_t before = heap_calls;
      for (const auto& packet : packets) malicious += scan(packet.text).outcome == RTBWIRE_MALICIOUS;
      EXPECT_EQ(heap_calls, before);
      EXPECT_GT(malicious, 50u);
    }
  }
}

// One engine, one scanner a thread: what the thread sanitizer watches, too.
TEST(Heap, ThreadsShareAnEngine) {
  std::vector<std::byte> memory(engine::memory(default_patterns()));
  const engine shared{memory, default_patterns()};
  const auto packets = corpus::make({.count = 500});
  std::vector<std::thread> threads;
  std::atomic<std::size_t> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      std::vector<std::byte> own(scanner::memory());
      scanner scan{own, shared};
      for (int round = 0; round < 5; ++round)
        for (const auto& p : packets)
          wrong += (scan.scan(p.text).outcome == RTBWIRE_MALICIOUS) != (p.is == corpus::kind::malicious);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace rtbwire::test
