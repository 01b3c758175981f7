// Compares the grammar of the vector kernels, which checks each token against its neighbours, with
// the walk, which reads from left to right: every short sequence of tokens and every short number,
// inside blocks and across the borders of blocks and chunks.
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "kernel.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

constexpr std::uint32_t depth_max = 62;  // the most that the vector kernels count

// Compares all kernels on one packet, and counts. The vector kernels accept what the walk accepts,
// except a scalar alone.
class jury {
 public:
  void ask(std::string_view text) {
    buffer_.assign(packet_front, ' ');
    buffer_ += text;
    buffer_.append(packet_back, ' ');
    const auto* const p = reinterpret_cast<const std::uint8_t*>(buffer_.data()) + packet_front;
    const bool valid = scalar_ops.walk(p, text.size(), frames_.data(), depth_max, false).error ==
                       RTBWIRE_ERROR_NONE;
    ++(valid ? accepted : refused);
    const std::size_t first = text.find_first_not_of(" \t\n\r");
    const bool container = first != text.npos && (text[first] == '{' || text[first] == '[');
    for (const auto kernel : kernels_)
      ASSERT_EQ(ops_of(kernel).well_formed(p, text.size(), depth_max), valid && container)
          << rtbwire_kernel_name(kernel) << (valid ? " refuses: " : " accepts: ") << text;
  }
  std::size_t accepted{0}, refused{0};

 private:
  std::vector<rtbwire_kernel> kernels_ = vector_kernels();
  std::string buffer_;
  std::vector<frame> frames_ = std::vector<frame>(depth_max);
};

// Calls use with every sequence of up to n parts.
void each_sequence(const std::vector<std::string_view>& parts, std::size_t n,
                   const std::function<void(const std::string&)>& use) {
  std::string text;
  const std::function<void(std::size_t)> go = [&](std::size_t left) {
    use(text);
    if (left == 0) return;
    for (const auto part : parts) {
      text += part;
      go(left - 1);
      text.resize(text.size() - part.size());
    }
  };
  go(n);
}

const std::vector<std::string_view> tokens = {"{", "}", "[", "]", ",", ":", "\"a\"", "1"};

TEST(Grammar, AllShortSequences) {
  jury jury;
  each_sequence(tokens, 7, [&](const std::string& text) { jury.ask(text); });
  EXPECT_GT(jury.accepted, 50u);
  EXPECT_GT(jury.refused, 2000000u);
}

TEST(Grammar, AllShortSequencesInContainers) {
  for (const auto& [before, after] :
       std::initializer_list<std::pair<std::string, std::string>>{{"[", "]"},
                                                                  {"{", "}"},
                                                                  {R"({"k":)", "}"},
                                                                  {R"([{"k":[],"l":)", "}]"},
                                                                  {R"({"k":[1,)", "]}"}}) {
    jury jury;
    each_sequence(tokens, 5, [&](const std::string& text) { jury.ask(before + text + after); });
    EXPECT_GT(jury.accepted, 5u) << before;
  }
}

TEST(Grammar, SpacesAnywhere) {
  jury jury;
  const std::vector<std::string_view> parts = {"{", "}",    "[", "]",   ",",
                                               ":", "\"\"", "0", " \n", "\x0b"};
  each_sequence(parts, 6, [&](const std::string& text) { jury.ask(text); });
  EXPECT_GT(jury.accepted, 100u);
}

// The same with a border of a block or chunk at each place.
TEST(Grammar, AcrossBorders) {
  jury jury;
  for (const std::size_t border : {64, 1024})
    for (std::size_t back = 1; back < 16; ++back) {
      const std::string string_before = "[\"" + std::string(border - back - 4, 'x') + "\",";
      const std::string spaces_before = "[" + std::string(border - back - 1, ' ');
      each_sequence(tokens, 4, [&](const std::string& text) {
        jury.ask(string_before + text + "]");
        jury.ask(spaces_before + text + "  ]");
      });
    }
  EXPECT_GT(jury.accepted, 1000u);
}

// Strings and spaces in objects that end near a border: whether a string is a key is known only in
// the next block.
TEST(Grammar, LongKeysAcrossBorders) {
  jury jury;
  for (std::size_t size = 0; size < 140; ++size)
    for (std::size_t gap = 0; gap < 70; gap += 3) {
      const std::string key = '"' + std::string(size, 'k') + '"', space(gap, ' ');
      for (const std::string& text :
           {"{" + key + space + ":1}",
            "{" + space + key + ":" + space + key + "," + key + ":" + key + "}",
            "{\"a\":1," + space + key + space + "}", "{\"a\":1," + key + space + ",1}",
            "[1," + key + space + "]", "[1," + key + space + ":1]",
            "[" + key + "," + space + key + space + ",{}]", "{" + key + space + "}"})
        jury.ask(text);
    }
  EXPECT_GT(jury.accepted, 1000u);
  EXPECT_GT(jury.refused, 1000u);
}

TEST(Grammar, AllShortNumbers) {
  jury jury;
  const std::vector<std::string_view> bytes = {"-", "+", "0", "7", ".", "e", "E", "x"};
  each_sequence(bytes, 7, [&](const std::string& text) { jury.ask("[" + text + "]"); });
  EXPECT_GT(jury.accepted, 1000u);
  EXPECT_GT(jury.refused, 1000000u);
}

// Numbers around the sizes of vectors, with one fault or none at each place.
TEST(Grammar, LongNumbers) {
  jury jury;
  for (std::size_t size = 10; size < 140; ++size)
    for (std::size_t at = 0; at < size; ++at)
      for (const std::string_view byte : {"0", ".", "e", "-", "e+", "x", "\"", " ", ","}) {
        std::string number(size, '1');
        number.replace(at, 1, byte);
        jury.ask("[" + number + "]");
        jury.ask("{\"k\": " + number + "  }");
      }
  EXPECT_GT(jury.accepted, 1000u);
}

TEST(Grammar, Words) {
  jury jury;
  const std::vector<std::string_view> parts = {"true", "fals", "null", "e", "nul",     "t",
                                               "1",    "-",    "E",    ".", "\xc3\xa9"};
  each_sequence(parts, 4, [&](const std::string& text) { jury.ask("[" + text + "]"); });
  EXPECT_GT(jury.accepted, 3u);
  // Each byte of a word replaced by each other byte.
  for (const std::string_view word : {"true", "false", "null"})
    for (std::size_t at = 0; at < word.size(); ++at)
      for (unsigned c = 0; c < 256; ++c) {
        std::string text{word};
        text[at] = static_cast<char>(c);
        jury.ask("[" + text + "]");
        jury.ask("[0," + text + ",1]");
      }
}

// Every byte in every place of a small document that has each kind of token.
TEST(Grammar, EveryByteEverywhere) {
  jury jury;
  const std::string whole = R"({"a":[1,-0.5e+7,"b",true,{}],"c\"d": {"e" :null},"f":"\\"})";
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (unsigned c = 0; c < 256; ++c) {
      std::string text = whole;
      text[at] = static_cast<char>(c);
      // Escapes are checked by the decoder and the walk.
      if (text.find('\\') != text.npos &&
          (c == '\\' || whole[at] == '\\' || whole[at - (at > 0)] == '\\'))
        continue;
      jury.ask(text);
    }
  EXPECT_GT(jury.accepted, 500u);
  EXPECT_GT(jury.refused, 5000u);
}

}  // namespace
}  // namespace rtbwire::test
