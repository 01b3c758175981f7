// The command line and its messages.
#include "options.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "errors.hpp"

namespace rtbwire::tool::test {
namespace {

settings parse(std::vector<std::string_view> arguments) { return parse_options(arguments); }

std::string complaint(std::vector<std::string_view> arguments) {
  try {
    parse(std::move(arguments));
  } catch (const usage_error& e) {
    return e.what();
  }
  return {};
}

constexpr std::string_view every_option[] = {
    "--ndjson",        "--udp",        "--receive-buffer", "--interface", "--promiscuous",
    "--ring",          "--candidates", "--tcp-streams",    "--tcp-bytes", "--mode",
    "--layers",        "--packet-max", "--depth",          "--kernel",    "--threads",
    "--fail-closed",   "--fail-open",  "--show",           "--stats",     "--summary",
    "--list-patterns", "--version",    "--help",           "--regex"};

TEST(Options, HelpAndManPageNameEachOption) {
  std::ifstream in{RTBWIRE_MAN_PAGE};
  std::string man{std::istreambuf_iterator<char>{in}, {}};
  // The page writes a hyphen as \-.
  for (std::size_t at = 0; (at = man.find("\\-", at)) != man.npos;) man.erase(at, 1);
  const std::string text = help();
  for (const auto option : every_option) {
    EXPECT_NE(text.find("\n  " + std::string{option}), text.npos) << option << " in --help";
    EXPECT_NE(man.find(option), man.npos) << option << " in the man page";
  }
  // The help has no option that is not in the list above.
  std::size_t named = 0;
  for (std::size_t at = 0; (at = text.find("\n  --", at)) != text.npos; ++at) ++named;
  EXPECT_EQ(named, std::size(every_option));
}

TEST(Options, Values) {
  const settings s = parse({"--mode=detect", "--layers", "percent,squeeze", "--packet-max", "64K",
                            "--depth", "12", "--fail-open", "--show=matched", "--threads", "3",
                            "--tcp-bytes", "1M", "a.pcap", "--", "--odd"});
  EXPECT_EQ(s.scan.scanner.mode, RTBWIRE_DETECT);
  EXPECT_EQ(s.scan.engine.layers, RTBWIRE_LAYER_PERCENT | RTBWIRE_LAYER_SQUEEZE);
  EXPECT_EQ(s.scan.scanner.packet_max, 65536u);
  EXPECT_EQ(s.scan.scanner.depth_max, 12u);
  EXPECT_FALSE(s.scan.fail_closed);
  EXPECT_EQ(s.scan.show, show::matched);
  EXPECT_EQ(s.threads, 3u);
  EXPECT_EQ(s.intake.limits.document, 65536u);  // at most the longest that a scanner accepts
  EXPECT_EQ(s.files, (std::vector<std::string>{"a.pcap", "--odd"}));
  EXPECT_TRUE(parse({"a.pcap"}).scan.fail_closed);
  EXPECT_EQ(parse({"--ndjson"}).files, std::vector<std::string>{"-"});
}

TEST(Options, ComplaintsNameTheNextStep) {
  const struct {
    std::vector<std::string_view> arguments;
    std::string_view says;
  } cases[] = {
      {{}, "name a capture file"},
      {{"--nonsense"}, "see --help"},
      {{"--mode", "both", "x"}, "(choose from detect, strict)"},
      {{"--mode"}, "needs a value"},
      {{"--stats=1", "x"}, "takes no value"},
      {{"--threads", "0", "x"}, "a number from 1 to 256"},
      {{"--packet-max", "9999999999", "x"}, "want a number"},
      {{"--packet-max", "12x", "x"}, "want a number"},
      {{"--udp", ":1", "x"}, "cannot be combined"},
      {{"--udp", ":1", "--interface", "lo"}, "cannot be combined"},
      {{"--promiscuous", "x"}, "needs --interface"},
      {{"--ndjson", "--candidates", "json"}, "all documents are scanned"},
      {{"--layers", "percent,rot13", "x"}, "choose from"},
  };
  for (const auto& c : cases)
    EXPECT_NE(complaint(c.arguments).find(c.says), std::string::npos) << complaint(c.arguments);
}

}  // namespace
}  // namespace rtbwire::tool::test
