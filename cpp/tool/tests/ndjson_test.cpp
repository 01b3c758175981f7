// Lines to packets.
#include "ndjson.hpp"

#include <gtest/gtest.h>

#include "tool_support.hpp"

namespace rtbwire::tool::test {
namespace {

TEST(Ndjson, LinesOfEveryEnd) {
  const temporary_file file{"{\"a\":1}\n\r\n  \n[2]\r\n\"last\""};
  stopper stop;
  counters counts;
  collector to;
  input in{file.path(), stop, nullptr};
  scan_lines(in, to, counts, 65535, nullptr);
  EXPECT_EQ(to.texts(), (std::vector<std::string>{"{\"a\":1}", "[2]", "\"last\""}));
  EXPECT_EQ(to.items[2].head.number, 5u);
  EXPECT_EQ(count(counts, counter::received), 5u);
  EXPECT_EQ(count(counts, counter::skipped_empty), 2u);
}

TEST(Ndjson, LongLinesAreCountedWithTheirLength) {
  // Longer than the buffer of the reader, exactly the longest allowed, and one byte more.
  const std::string huge(1'000'000, 'x'), fits(1000, 'y'), more(1001, 'z');
  const temporary_file file{huge + "\n" + fits + "\r\n" + more + "\n{}\n" + huge};
  stopper stop;
  counters counts;
  collector to;
  input in{file.path(), stop, nullptr};
  scan_lines(in, to, counts, 1000, nullptr);
  ASSERT_EQ(to.items.size(), 5u);
  EXPECT_EQ(to.items[0].size, huge.size());
  EXPECT_EQ(to.items[1].text, fits);
  EXPECT_EQ(to.items[2].size, 1001u);
  EXPECT_EQ(to.items[3].text, "{}");
  EXPECT_EQ(to.items[4].size, huge.size());
}

}  // namespace
}  // namespace rtbwire::tool::test
