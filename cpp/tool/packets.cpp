// rtbwire-packets: seeded packets as a capture file, or over UDP at a bounded rate.
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "capture_write.hpp"
#include "options.hpp"
#include "output.hpp"

namespace rtbwire::tool {
namespace {

constexpr std::string_view usage =
    R"(usage: rtbwire-packets [options] > FILE
       rtbwire-packets [options] --udp HOST:PORT

Packets for tests and load: JSON of 120 to 1,459 bytes from a seed, 80 percent valid, 10
percent malformed, 10 percent malicious. The same seed gives the same packets everywhere.

  --count N         how many; default 100000
  --seed N          default 1
  --format FORMAT   pcap (default), pcapng or ndjson
  --output FILE     default standard output
  --udp HOST:PORT   send them instead; prints how many were sent
  --rate N          packets a second with --udp; default 20000
  --help            print this

Examples
  rtbwire-packets --count 1000000 --output million.pcap
  rtbwire-packets --count 5000 --udp 127.0.0.1:9000 --rate 1000
)";

struct packets_settings {
  std::uint32_t count{100000}, seed{1}, rate{20000};
  std::string format{"pcap"}, output, udp;
};

packets_settings parse(int argc, char** argv) {
  packets_settings s;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--help") {
      std::fwrite(usage.data(), 1, usage.size(), stdout);
      std::exit(exit_accepted);
    }
    const bool known = name == "--count" || name == "--seed" || name == "--rate" ||
                       name == "--format" || name == "--output" || name == "--udp";
    if (!known) throw usage_error{"unknown option '" + std::string{name} + "'; see --help"};
    if (i + 1 == argc) throw usage_error{std::string{name} + " needs a value; see --help"};
    const std::string_view value = argv[++i];
    if (name == "--count") s.count = parse_size(name, value, 0, 1u << 30);
    else if (name == "--seed") s.seed = parse_size(name, value, 0, UINT32_MAX);
    else if (name == "--rate") s.rate = parse_size(name, value, 1, 10'000'000);
    else if (name == "--format") s.format = value;
    else if (name == "--output") s.output = value;
    else s.udp = value;
  }
  if (s.format != "pcap" && s.format != "pcapng" && s.format != "ndjson")
    throw usage_error{"unknown value '" + s.format +
                      "' for --format (choose from pcap, pcapng, ndjson)"};
  return s;
}

void write_file(const packets_settings& s) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{
      s.output.empty() ? stdout : std::fopen(s.output.c_str(), "wb"), &std::fclose};
  if (file == nullptr) throw system_failure("cannot write " + s.output, "does the folder exist?");
  const auto write = [&](const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size())
      throw system_failure("cannot write the packets", "is the disk full?");
  };
  corpus_stream packets{s.seed};
  if (s.format == "pcap") write(pcap_header());
  if (s.format == "pcapng") write(pcapng_header());
  constexpr std::int64_t begin = 1'767'323'045'000'000'000;  // 2026-01-02T03:04:05Z
  for (std::uint32_t i = 0; i < s.count; ++i) {
    const std::string& text = packets.next().text;
    if (s.format == "ndjson") {
      write(text + "\n");
      continue;
    }
    frame_options o;
    o.ipv6 = i % 8 == 7;
    o.vlan_tags = i % 16 == 3 ? 1 : 0;
    o.source_port = static_cast<std::uint16_t>(40000 + i % 1000);
    const std::string frame = ethernet(udp_packet(text, o), o);
    const std::int64_t time = begin + std::int64_t{i} * 1000;
    write(s.format == "pcap" ? pcap_record(frame, time) : pcapng_record(frame, time));
  }
  if (std::fflush(file.get()) != 0)
    throw system_failure("cannot write the packets", "is the disk full?");
}

void send_udp(const packets_settings& s) {
  const std::size_t colon = s.udp.rfind(':');
  if (colon == s.udp.npos) throw usage_error{"--udp needs HOST:PORT"};
  std::string host = s.udp.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_DGRAM;
  const int failed = getaddrinfo(host.c_str(), s.udp.c_str() + colon + 1, &hints, &found);
  if (failed != 0) throw input_error{s.udp + ": " + gai_strerror(failed) + "; write HOST:PORT"};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> to{found, &freeaddrinfo};
  const int fd = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw system_failure("socket", "check that this kernel has IPv4 and IPv6");
  corpus_stream packets{s.seed};
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  std::uint32_t sent = 0;
  for (; sent < s.count; ++sent) {
    // Several at a time, so that there are fewer sleeps.
    if (sent % 16 == 0)
      std::this_thread::sleep_until(begin +
                                    std::chrono::nanoseconds{1'000'000'000} * sent / s.rate);
    const std::string& text = packets.next().text;
    ssize_t n;
    do {
      n = sendto(fd, text.data(), text.size(), 0, to->ai_addr, to->ai_addrlen);
    } while (n < 0 && (errno == EINTR || errno == ENOBUFS || errno == EAGAIN));
    if (n < 0) throw system_failure("cannot send to " + s.udp, "is the address right?");
  }
  close(fd);
  std::printf("%u\n", sent);
}

}  // namespace
}  // namespace rtbwire::tool

int main(int argc, char** argv) {
  using namespace rtbwire::tool;
  int status = exit_system;
  try {
    const packets_settings s = parse(argc, argv);
    s.udp.empty() ? write_file(s) : send_udp(s);
    return exit_accepted;
  } catch (const usage_error& e) {
    std::fprintf(stderr, "rtbwire-packets: %s\n", e.what());
    status = exit_usage;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "rtbwire-packets: %s\n", e.what());
  }
  return status;
}
