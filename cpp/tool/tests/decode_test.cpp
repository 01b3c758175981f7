// Frames of every link type to payloads, and the reasons why frames are skipped.
#include "decode.hpp"

#include <gtest/gtest.h>

#include "tool_support.hpp"

namespace rtbwire::tool::test {
namespace {

using namespace std::string_literals;

struct decoded {
  counter category;
  packet p;
  std::string payload;
};

decoded decode_text(const std::string& text, std::uint32_t link, std::size_t snapped = SIZE_MAX) {
  // In memory of exactly its size, so that a sanitizer finds reads past its end.
  const std::vector<std::uint8_t> memory(text.begin(),
                                         text.begin() + std::min(snapped, text.size()));
  frame f{memory, static_cast<std::uint32_t>(text.size()), no_time, link};
  decoded d{};
  d.category = decode(f, d.p);
  if (d.category == counter::scanned) d.payload.assign(d.p.payload.begin(), d.p.payload.end());
  return d;
}

const std::string text = R"({"a":1})";

TEST(Decode, LinkTypes) {
  const std::string four = udp_packet(text), six = udp_packet(text, {.ipv6 = true});
  const std::string sll = "\0\0\0\1\0\6aabbcc\0\0"s, sll2 = "\0\0\0\0\0\1\0\1\0\6aabbccdd"s;
  const struct {
    std::uint32_t link;
    std::string frame;
  } cases[] = {
      {link_ethernet, ethernet(four)},
      {link_ethernet, ethernet(six, {.ipv6 = true})},
      {link_ethernet, ethernet(four, {.vlan_tags = 1})},
      {link_ethernet, ethernet(four, {.vlan_tags = 2})},
      {link_ethernet, ethernet(four) + "padding"},
      {link_raw, four},
      {link_raw, six},
      {link_raw_bsd, four},
      {link_ipv4, four},
      {link_ipv6, six},
      {link_sll, sll + "\x08\0"s + four},
      {link_sll, sll + "\x86\xdd" + six},
      {link_sll2, "\x08\0"s + sll2 + four},
      {link_null, "\2\0\0\0"s + four},
      {link_null, "\0\0\0\2"s + four},
      {link_null, "\x1e\0\0\0"s + six},
      {link_loop, "\0\0\0\x18"s + six},
  };
  for (const auto& c : cases) {
    const decoded d = decode_text(c.frame, c.link);
    EXPECT_EQ(d.category, counter::scanned) << "link " << c.link;
    EXPECT_EQ(d.payload, text) << "link " << c.link;
    EXPECT_EQ(d.p.source.port, 40000);
    EXPECT_EQ(d.p.destination.port, 9000);
    EXPECT_EQ(d.p.missing, 0u);
  }
  EXPECT_EQ(decode_text(ethernet(four), 147).category, counter::skipped_link);
}

TEST(Decode, ReasonsToSkip) {
  std::string fragment = udp_packet(text), more = fragment, options = fragment,
              arp = ethernet(fragment);
  fragment[7] = 1;
  more[6] = 0x20;
  EXPECT_EQ(decode_text(fragment, link_raw).category, counter::skipped_fragment);
  EXPECT_EQ(decode_text(more, link_raw).category, counter::skipped_fragment);
  arp[12] = 8, arp[13] = 6;
  EXPECT_EQ(decode_text(arp, link_ethernet).category, counter::skipped_not_ip);
  EXPECT_EQ(decode_text(ip_packet(1, "ping"), link_raw).category, counter::skipped_protocol);
  EXPECT_EQ(decode_text(ip_packet(17, "short"), link_raw).category, counter::skipped_header);

  // Four bytes of options.
  options[0] = 0x46;
  options[3] = static_cast<char>(options[3] + 4);
  options.insert(20, "\1\1\1\1");
  EXPECT_EQ(decode_text(options, link_raw).payload, text);
  options[0] = 0x44;
  EXPECT_EQ(decode_text(options, link_raw).category, counter::skipped_header);
}

TEST(Decode, ExtensionHeaders) {
  const std::string udp = udp_packet(text, {.ipv6 = true}).substr(40);
  const std::string hop = "\x3c\0\1\4\0\0\0\0"s, destination = "\x2c\0\1\4\0\0\0\0"s;
  const std::string whole = "\x11\0\0\0\0\0\0\7"s;
  const std::string first = "\x11\0\0\1\0\0\0\7"s, later = "\x11\0\0\x10\0\0\0\7"s;
  const std::string chain = hop + destination + whole + udp;
  EXPECT_EQ(decode_text(ip_packet(0, chain, {.ipv6 = true}), link_raw).payload, text);
  for (const auto& part : {first, later})
    EXPECT_EQ(decode_text(ip_packet(44, part + udp, {.ipv6 = true}), link_raw).category,
              counter::skipped_fragment);
  const std::string authentication = "\x11\4" + std::string(22, 'x');
  EXPECT_EQ(decode_text(ip_packet(51, authentication + udp, {.ipv6 = true}), link_raw).payload,
            text);
  EXPECT_EQ(decode_text(ip_packet(59, udp, {.ipv6 = true}), link_raw).category,
            counter::skipped_protocol);
  std::string endless;
  for (int i = 0; i < 20; ++i) endless += "\0\0\1\4\0\0\0\0"s;
  EXPECT_EQ(decode_text(ip_packet(0, endless, {.ipv6 = true}), link_raw).category,
            counter::skipped_header);
}

TEST(Decode, SnappedAtEveryByte) {
  for (const bool six : {false, true}) {
    const std::string whole = ethernet(udp_packet(text, {.ipv6 = six}), {.ipv6 = six});
    const std::size_t headers = whole.size() - text.size();
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const decoded d = decode_text(whole, link_ethernet, n);
      if (n < headers) {
        EXPECT_EQ(d.category, counter::skipped_snapped) << n;
      } else {
        EXPECT_EQ(d.category, counter::scanned) << n;
        EXPECT_EQ(d.payload, text.substr(0, n - headers));
        EXPECT_EQ(d.p.missing, whole.size() - n);
      }
    }
  }
}

TEST(Decode, Tcp) {
  const decoded d = decode_text(tcp_packet(text, 0xfffffffe, tcp_fin), link_raw);
  EXPECT_EQ(d.category, counter::scanned);
  EXPECT_TRUE(d.p.is_tcp);
  EXPECT_EQ(d.p.sequence, 0xfffffffe);
  EXPECT_EQ(d.p.flags, tcp_fin);
  EXPECT_EQ(d.payload, text);
}

}  // namespace
}  // namespace rtbwire::tool::test
