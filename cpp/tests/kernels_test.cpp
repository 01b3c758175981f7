// Every kernel gives the same verdicts as the scalar one.
#include <gtest/gtest.h>

#include <array>

#include "corpus.hpp"
#include "engine.hpp"
#include "kernel.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

constexpr std::string_view bytes =
    "\"\\{}[]:,0123456789.-+eEtfn \t\n\x01/ud8cA<\x80\xbf\xc2\xe2\xed\xf0\xf4\xff";

TEST(Kernels, AgreeOnMutatedPackets) {
  const auto packets = corpus::make({.seed = 3, .count = 2000, .size_min = 20, .size_max = 600});
  for (const unsigned layers : {0u, unsigned{RTBWIRE_LAYER_ALL}}) {
    std::vector<std::unique_ptr<fixture_scanner>> scanners;
    for (const auto kernel : kernels())
      scanners.push_back(
          std::make_unique<fixture_scanner>(kernel, rtbwire_scanner_options{}, layers));
    corpus::random random{11};
    std::size_t malformed = 0, malicious = 0;
    for (int round = 0; round < 15; ++round) {
      for (const auto& packet : packets) {
        std::string text = packet.text;
        mutate(random, text, bytes, 2);
        const verdict want = (*scanners[0])(text);
        malformed += want.error != RTBWIRE_ERROR_NONE;
        malicious += want.outcome == RTBWIRE_MALICIOUS;
        for (std::size_t k = 1; k < scanners.size(); ++k) {
          const verdict got = (*scanners[k])(text);
          ASSERT_TRUE(same(want, got))
              << text << "\nscalar: " << describe(want) << "\nother: " << describe(got);
        }
      }
    }
    EXPECT_GT(malformed, 5000u);
    EXPECT_GT(malicious, 1000u);
  }
}

// Texts made of the parts that layers decode, for each set of layers. The patterns are short, so
// that decoded bytes are in a match or next to one.
TEST(Kernels, AgreeOnLayers) {
  constexpr std::array pieces = {"%3c",
                                 "%",
                                 "%2",
                                 "&lt;",
                                 "&#60",
                                 "&#x3c;",
                                 "&",
                                 "\xef\xbc\x9c",
                                 "\xef",
                                 "\xe6\x9d\xb1",
                                 R"(\\u003c)",
                                 R"(\\x3c)",
                                 R"(\\)",
                                 R"(\u0000)",
                                 R"(\t)",
                                 " ",
                                 "  ",
                                 "/",
                                 "*",
                                 "/*",
                                 "*/",
                                 "a",
                                 "b",
                                 "<",
                                 "\",\"",
                                 "x",
                                 "plain text without anything in it, and long"};
  constexpr pattern patterns[] = {{"1", "<", ""},  {"2", "a b", ""}, {"3", "ab", ""},
                                  {"4", "b<", ""}, {"5", "/*", ""},  {"6", " a", ""},
                                  {"7", "a/", ""}, {"8", "< b", ""}};
  corpus::random random{5};
  std::vector<std::string> texts;
  for (int i = 0; i < 1500; ++i) {
    std::string text = "[\"";
    for (std::size_t n = random.below(40); n > 0; --n) text += pieces[random.below(pieces.size())];
    texts.push_back(text + "\"]");
  }
  std::size_t layered = 0;
  for (unsigned layers = 1; layers <= unsigned{RTBWIRE_LAYER_ALL}; ++layers) {
    fixture_scanner scalar{RTBWIRE_KERNEL_SCALAR, {RTBWIRE_DETECT, 0, 0}, layers, patterns};
    for (const auto kernel : kernels()) {
      fixture_scanner scan{kernel, {RTBWIRE_DETECT, 0, 0}, layers, patterns};
      for (const auto& text : texts) {
        const verdict want = scalar(text), got = scan(text);
        layered += want.match_layered;
        ASSERT_TRUE(same(want, got))
            << rtbwire_kernel_name(kernel) << ", layers " << layers << ": " << text
            << "\nscalar: " << describe(want) << "\nother: " << describe(got);
      }
    }
  }
  EXPECT_GT(layered, 1000u);
}

TEST(Kernels, BestIsTheWidestUsable) {
  std::printf("kernels:");
  for (const auto kernel : kernels()) std::printf(" %s", rtbwire_kernel_name(kernel));
  std::printf("\n");
  const bool wide = rtbwire_kernel_usable(RTBWIRE_KERNEL_AVX512) != 0;
  EXPECT_EQ(best_kernel(RTBWIRE_KERNEL_BEST), wide ? RTBWIRE_KERNEL_AVX512 : kernels().back());
}

// The fast path must accept valid packets: what it declines takes several times longer.
TEST(Kernels, FastPathAcceptsValidPackets) {
  for (const auto& packet : corpus::make({.count = 500, .invalid_percent = 0})) {
    const std::size_t n = packet.text.size();
    std::string copy(packet_front, ' ');
    copy += packet.text;
    copy.append(packet_back, ' ');
    const auto* p = reinterpret_cast<const std::uint8_t*>(copy.data()) + packet_front;
    for (const auto kernel : vector_kernels())
      ASSERT_TRUE(ops_of(kernel).well_formed(p, n, 256))
          << rtbwire_kernel_name(kernel) << ": " << packet.text;
  }
}

// All two-byte and many longer sequences, at each offset in a vector.
TEST(Kernels, AgreeOnUTF8) {
  for (const auto kernel : kernels()) {
    fixture_scanner scalar{RTBWIRE_KERNEL_SCALAR}, scan{kernel};
    for (unsigned lead = 0x80; lead < 0x100; ++lead)
      for (unsigned second = 0; second < 0x100; second += 1)
        for (const std::string_view tail : {"", "\x80", "\xbf\x80", "\x80\x80\x80"}) {
          std::string text = "\"" + std::string((lead + second) % 33, 'a');
          text += static_cast<char>(lead);
          text += static_cast<char>(second);
          text += tail;
          text += '"';
          const verdict want = scalar(text), got = scan(text);
          ASSERT_TRUE(same(want, got)) << describe(want) << " / " << describe(got);
        }
  }
}

// Runs of backslashes of each length, across each edge of a block.
TEST(Kernels, AgreeOnBackslashes) {
  for (const auto kernel : kernels()) {
    fixture_scanner scalar{RTBWIRE_KERNEL_SCALAR}, scan{kernel};
    for (std::size_t before = 0; before < 70; ++before)
      for (std::size_t run = 0; run < 70; ++run) {
        const std::string text =
            "[\"" + std::string(before, 'a') + std::string(run, '\\') + "\",\"b\"]";
        const verdict want = scalar(text), got = scan(text);
        ASSERT_TRUE(same(want, got)) << text << describe(want) << " / " << describe(got);
      }
  }
}

}  // namespace
}  // namespace rtbwire::test
