// No heap calls after set-up.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "corpus.hpp"
#include "heap_count.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

TEST(Heap, CountingWorks) {
  const std::size_t before = heap_calls();
  std::vector<char> some(100);
  asm volatile("" : : "r"(some.data()) : "memory");
  EXPECT_GT(heap_calls(), before);
}

TEST(Heap, ScanningTakesNone) {
  const auto packets = corpus::make({.count = 1000});
  for (const auto kernel : kernels()) {
    for (const auto mode : {RTBWIRE_STRICT, RTBWIRE_DETECT}) {
      fixture_scanner scan{kernel, {mode, 0, 0}, RTBWIRE_LAYER_ALL};
      std::size_t malicious = 0;
      const std::size_t before = heap_calls();
      for (const auto& packet : packets)
        malicious += scan(packet.text).outcome == RTBWIRE_MALICIOUS;
      EXPECT_EQ(heap_calls(), before);
      EXPECT_GT(malicious, 50u);
    }
  }
}

// One engine for all threads, one scanner per thread. Also runs under the thread sanitizer.
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
      for (int round = 0; round < 5; ++round) wrong += count_wrong(scan, packets);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace rtbwire::test
