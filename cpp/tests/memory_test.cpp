// Too little memory, guard pages, and the stated sizes.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <functional>

#include "adversarial.hpp"
#include "corpus.hpp"
#include "engine.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

TEST(Memory, EveryScannerSizeIsAnAnswer) {
  std::vector<std::byte> engine_memory(engine::memory(default_patterns()));
  const engine engine{engine_memory, default_patterns()};
  const std::string packet = R"({"a":["<script>"]})";
  const rtbwire_scanner_options options{RTBWIRE_STRICT, 64, 8};
  const std::size_t enough = scanner::memory(options);
  bool scanned = false;
  for (std::size_t n = 0; n <= enough; ++n) {
    // Exactly this size, so that the address sanitizer finds one byte too many.
    std::vector<std::byte> memory(n);
    scanner scan{memory, engine, options};
    if (scan.status() != RTBWIRE_OK) {
      // An empty span has no address.
      ASSERT_EQ(scan.status(), n == 0 ? RTBWIRE_BAD_ARGUMENT : RTBWIRE_NO_ROOM);
      continue;
    }
    const verdict v = scan.scan(packet);
    if (v.outcome == RTBWIRE_EXHAUSTED) {
      ASSERT_FALSE(scanned) << "more memory must be enough if less was";
      ASSERT_TRUE(rtbwire_refuse(&v, 1));
    } else {
      ASSERT_EQ(v.outcome, RTBWIRE_MALICIOUS);
      scanned = true;
    }
  }
  EXPECT_TRUE(scanned);
}

TEST(Memory, TheStatedSizeHoldsTheLargestPacket) {
  std::vector<std::byte> engine_memory(engine::memory(default_patterns()));
  const engine engine{engine_memory, default_patterns()};
  for (const unsigned packet_max : {1u, 63u, 64u, 1459u, 65535u}) {
    const rtbwire_scanner_options options{RTBWIRE_STRICT, packet_max, 300};
    std::vector<std::byte> memory(scanner::memory(options) + 63);
    for (const std::size_t shift : {0, 1, 63}) {
      scanner scan{std::span{memory}.subspan(shift, scanner::memory(options)), engine, options};
      for (const char fill : {'[', '\\', '"', 'a', ' ', '1'}) {
        const verdict v = scan.scan(std::string(packet_max, fill));
        EXPECT_NE(v.outcome, RTBWIRE_EXHAUSTED) << packet_max;
        EXPECT_NE(v.outcome, RTBWIRE_TOO_LARGE);
      }
      EXPECT_EQ(scan.scan(std::string(packet_max + 1, ' ')).outcome, RTBWIRE_TOO_LARGE);
      EXPECT_LE(rtbwire_scanner_peak(scan.get()), memory.size());
    }
  }
}

TEST(Memory, EveryEngineSizeIsAnAnswer) {
  const pattern patterns[] = {{"a", "<script", ""}, {"b", "javascript:", ""}};
  const std::size_t enough = engine::memory(patterns);
  for (std::size_t n = 1; n <= enough; ++n) {
    std::vector<std::byte> memory(n);
    const engine e{memory, patterns};
    ASSERT_TRUE(e.status() == RTBWIRE_OK || (n < enough && e.status() == RTBWIRE_NO_ROOM));
  }
}

TEST(Memory, BadArgumentsAreRefused) {
  const pattern no_text[] = {{"a", "", ""}}, high[] = {{"a", "\xc3\xa9", ""}};
  const std::string long_text(literal_max + 1, 'a');
  const pattern too_long[] = {{"a", long_text.c_str(), ""}};
  EXPECT_EQ(engine::memory(no_text), 0u);
  EXPECT_EQ(engine::memory(high), 0u);
  EXPECT_EQ(engine::memory(too_long), 0u);
  EXPECT_EQ(rtbwire_engine_memory(nullptr, 3), 0u);
  std::vector<std::byte> memory(1 << 20);
  rtbwire_engine_options other{};
  other.layers = 1u << 20;
  EXPECT_EQ((engine{memory, default_patterns(), other}.status()), RTBWIRE_BAD_ARGUMENT);
#if defined(__x86_64__)
  EXPECT_EQ((engine{memory, default_patterns(), {RTBWIRE_KERNEL_NEON, 0}}.status()),
            RTBWIRE_NO_KERNEL);
#endif
  rtbwire_scanner* scanner = nullptr;
  EXPECT_EQ(rtbwire_scanner_init(memory.data(), memory.size(), nullptr, nullptr, &scanner),
            RTBWIRE_BAD_ARGUMENT);
}

// Packets that end at an unreadable page, in read-only memory: a real packet, cut at every byte.
TEST(Memory, NothingIsReadBehindThePacket) {
  const auto packets = corpus::make({.seed = 5, .count = 6});
  for (const auto kernel : kernels()) {
    for (const auto mode : {RTBWIRE_STRICT, RTBWIRE_DETECT}) {
      fixture_scanner scan{kernel, {mode, 0, 0}, RTBWIRE_LAYER_ALL};
      for (const auto& packet : packets)
        for (std::size_t n = 0; n <= packet.text.size(); ++n) {
          const guarded in{std::string_view{packet.text}.substr(0, n)};
          (void)scan(in.view());
        }
    }
  }
}

TEST(Memory, PacketsLeaveNothingBehind) {
  fixture_scanner scan;
  const std::string bad = R"({"a":"<script)", good = R"({"a":1})";
  const verdict first = scan(good);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(scan(bad).outcome, RTBWIRE_MALICIOUS);
    ASSERT_TRUE(same(scan(good), first));
  }
}

// Sanitizers use more stack.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// Runs a function on a stack of a given size above an unreadable page.
class small_stack {
 public:
  explicit small_stack(std::size_t size) : size_{guard + size} {
    map_ = static_cast<char*>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(map_, guard, PROT_NONE);
  }
  ~small_stack() { munmap(map_, size_); }
  small_stack(const small_stack&) = delete;
  small_stack& operator=(const small_stack&) = delete;

  void run(const std::function<void()>& what) {
    ucontext_t back, there;
    getcontext(&there);
    there.uc_stack.ss_sp = map_ + guard;
    there.uc_stack.ss_size = size_ - guard;
    there.uc_link = &back;
    // makecontext passes ints.
    const auto at = reinterpret_cast<std::uintptr_t>(&what);
    makecontext(&there, reinterpret_cast<void (*)()>(enter), 2, static_cast<unsigned>(at >> 32),
                static_cast<unsigned>(at));
    swapcontext(&back, &there);
  }

 private:
  static void enter(unsigned high, unsigned low) {
    (*reinterpret_cast<const std::function<void()>*>(std::uintptr_t{high} << 32 | low))();
  }
  static constexpr std::size_t guard = 64 * 1024;
  std::size_t size_;
  char* map_;
};

TEST(Memory, TheStatedStackIsEnough) {
  const auto packets = corpus::make({.seed = 6, .count = 300});
  const auto slow = corpus::adversarial();
  small_stack stack{12 * 1024};
  for (const auto kernel : kernels())
    for (const unsigned layers : {0u, unsigned{RTBWIRE_LAYER_ALL}}) {
      fixture_scanner scan{kernel, {}, layers};
      verdict v;
      stack.run([&] {
        for (const auto& packet : packets)
          rtbwire_scan(scan.get(), packet.text.data(), packet.text.size(), &v);
        for (const auto& packet : slow)
          rtbwire_scan(scan.get(), packet.text.data(), packet.text.size(), &v);
      });
      EXPECT_NE(v.outcome, RTBWIRE_EXHAUSTED);
    }
}

#endif

}  // namespace
}  // namespace rtbwire::test
