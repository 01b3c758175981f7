// The program as a process.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "tool_support.hpp"

namespace rtbwire::tool::test {
namespace {

const std::string evil = R"({"note":"<script>x</script>"})", good = R"({"a":1})";

std::string capture_of(const std::vector<std::string>& texts) {
  std::string content = pcap_header();
  for (const auto& t : texts) content += pcap_record(ethernet(udp_packet(t)), 0);
  return content;
}

void expect_balanced(const std::string& summary) {
  EXPECT_NE(summary.find("\"balanced\":true"), std::string::npos) << summary;
}

TEST(Run, ExitStatuses) {
  EXPECT_EQ(run(scan_command({"-"}), capture_of({good})).status, 0);
  EXPECT_EQ(run(scan_command({"-"}), capture_of({good, evil})).status, 1);
  EXPECT_EQ(run(scan_command({"-"}), capture_of({"{\"a\""})).status, 1);
  EXPECT_EQ(run(scan_command({"--fail-open", "-"}), capture_of({"{\"a\""})).status, 0);
  EXPECT_EQ(run(scan_command({"--mode", "detect", "-"}), capture_of({"{\"a\""})).status, 0);
  EXPECT_EQ(run(scan_command({})).status, 2);
  EXPECT_EQ(run(scan_command({"--udp", "nonsense"})).status, 2);
  EXPECT_EQ(run(scan_command({"/nonexistent/x.pcap"})).status, 3);
  EXPECT_EQ(run(scan_command({"/tmp"})).status, 3);
  EXPECT_EQ(run(scan_command({"--interface", "nonexistent0"})).status, 3);
  EXPECT_EQ(run(scan_command({"--udp", "192.0.2.1:9"})).status, 3);  // not a local address
  const std::string cut = capture_of({evil, evil});
  const result r = run(scan_command({"--summary", "json", "-"}), cut.substr(0, cut.size() - 1));
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(number(r.errors, "malicious"), 1);
  for (const char* flag : {"--help", "--version", "--list-patterns"}) {
    const result said = run(scan_command({flag}));
    EXPECT_EQ(said.status, 0);
    EXPECT_FALSE(said.output.empty());
  }
  for (const auto& line : lines(run(scan_command({"--list-patterns"})).output))
    EXPECT_TRUE(is_json(line));
}

#ifdef RTBWIRE_HAVE_VECTORSCAN

TEST(Run, RegexFindsBesideThePatterns) {
  const temporary_file file{
      "# own\n\nown.user\tUNI\\w+\\s+all\ta test \"why\"\r\nown.two\tx{3}y\ttwo\n"};
  for (const char* threads : {"1", "3"}) {
    const result r = run(
        scan_command({"--regex", file.path(), "--threads", threads, "--ndjson"}),
        "{\"a\":[1,\"union  ALL\"]}\n" + good + "\n" + evil + "\n{\"a\":\"union\",\"all\":1}\n");
    EXPECT_EQ(r.status, 1) << r.errors;
    const auto said = lines(r.output);
    ASSERT_EQ(said.size(), 2u) << r.output;
    EXPECT_EQ(field(said[0], "pattern"), "own.user");
    EXPECT_EQ(field(said[0], "pointer"), "/a/1");
    EXPECT_EQ(field(said[1], "pattern"), "xss.script-tag");
    for (const auto& line : said) EXPECT_TRUE(is_json(line));
  }
  const std::string listed = run(scan_command({"--list-patterns", "--regex", file.path()})).output;
  EXPECT_EQ(lines(listed).size(), default_patterns().size() + 2);
  EXPECT_NE(listed.find("\"expression\":\"x{3}y\""), listed.npos);
}

TEST(Run, RegexComplaintsNameTheLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"a\tx+\tgood\nb.c\t(\tbad\n", ":2: b.c: Missing close parenthesis"},
      {"a\tx*\tempty\n", ":1: a: "},
      {"# one\na\t^x\tanchor\n", ":2: a: anchors are not supported"},
      {"a x+\n", ":1: write id, tab"},
      {"\tx\ty\n", ":1: write id, tab"},
      {"# nothing\n", "no expressions"},
  };
  for (const auto& [content, says] : cases) {
    const temporary_file file{content};
    const result r = run(scan_command({"--regex", file.path(), "--ndjson"}), good + "\n");
    EXPECT_EQ(r.status, 2) << content;
    EXPECT_NE(r.errors.find(says), r.errors.npos) << r.errors;
  }
  EXPECT_EQ(run(scan_command({"--regex", "/nonexistent/x", "--ndjson"}), good + "\n").status, 2);
}

#else

TEST(Run, RegexSaysWhatIsMissing) {
  const result r = run(scan_command({"--regex", "x", "--ndjson"}), good + "\n");
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.errors.find("built without Vectorscan"), r.errors.npos) << r.errors;
}

#endif

TEST(Run, FullDiskIsAnError) {
  process p{{"/bin/sh", "-c", RTBWIRE_SCAN_PROGRAM " - >/dev/full"}, capture_of({evil})};
  EXPECT_EQ(p.wait(), 3);
  EXPECT_NE(p.errors().find("cannot write"), std::string::npos);
}

TEST(Run, ShowSelects) {
  const std::string content = capture_of({good, evil, "{\"a\"", "no JSON"});
  const std::pair<const char*, std::size_t> cases[] = {
      {"all", 3}, {"refused", 2}, {"matched", 1}, {"none", 0}};
  for (const auto& [which, n] : cases)
    EXPECT_EQ(lines(run(scan_command({"--show", which, "-"}), content).output).size(), n) << which;
  const auto every = scan_command({"--show", "all", "--candidates", "all", "-"});
  EXPECT_EQ(lines(run(every, content).output).size(), 4u);
}

TEST(Run, VerdictsTellEverything) {
  const result r = run(scan_command({"-"}), capture_of({good, R"({"x":{"k<script>":1}})"}));
  EXPECT_EQ(
      r.output,
      R"({"packet":2,"time":"1970-01-01T00:00:00.000000000Z","from":"udp","source":"192.0.2.1:40000",)"
      R"("destination":"192.0.2.2:9000","length":21,"verdict":"malicious","refused":true,)"
      R"("pattern":"xss.script-tag","patterns":["xss.script-tag"],)"
      R"("pointer":"/x/k<script>","offset":8,"in":"key",)"
      R"("text":"<script>\":1}}","reason":")" +
          field(r.output, "reason") + "\"}\n");
}

// Payloads of hostile bytes: every line of output is JSON.
TEST(Run, OutputIsJsonWhateverThePacketsHold) {
  corpus::random random{5};
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) {
    std::string key;
    for (int n = 0; n < 20; ++n) key += static_cast<char>(random.next());
    texts.push_back("{\"" + key + "\":\"<script>" + key + "\"");
    texts.push_back("{\"\\u0001\\\"\\ud800" + std::string(random.below(300), 'k') +
                    "\":\"<script>\x1b[2J\x9b" + key);
  }
  const std::string content = capture_of(texts);
  for (const char* mode : {"detect", "strict"}) {
    const result r =
        run(scan_command({"--show", "all", "--mode", mode, "--layers", "all", "-"}), content);
    const auto all = lines(r.output);
    EXPECT_EQ(all.size(), texts.size());
    for (const auto& line : all) {
      ASSERT_TRUE(is_json(line)) << line;
      for (const char c : line) ASSERT_GE(static_cast<unsigned char>(c), 0x20);
    }
  }
}

// RTBWIRE_TOOL_PACKETS is the number of packets; default 100,000.
TEST(Run, EveryPacketIsCountedAndJudgedAsTheLibraryDoes) {
  const char* const wanted = std::getenv("RTBWIRE_TOOL_PACKETS");
  const long long n = wanted != nullptr ? std::atoll(wanted) : 100000;
  const temporary_file capture;
  ASSERT_EQ(run({RTBWIRE_PACKETS_PROGRAM, "--count", std::to_string(n), "--seed", "77", "--output",
                 capture.path()})
                .status,
            0);
  process p{scan_command({"--show", "all", "--threads", "3", "--summary", "json", capture.path()})};
  ASSERT_EQ(p.wait(), 1);

  const shared_engine engine{{}};
  const rtbwire_scanner_options options{};
  std::vector<std::byte> memory(scanner::memory(options));
  scanner library{memory, engine.get(), options};
  corpus_stream packets{77};
  std::ifstream in{p.output_path()};
  std::string line;
  long long malicious = 0, malformed = 0, counted = 0;
  for (; std::getline(in, line); ++counted) {
    const std::string& text = packets.next().text;
    const verdict v = library.scan(text);
    malicious += v.outcome == RTBWIRE_MALICIOUS;
    malformed += v.outcome == RTBWIRE_MALFORMED;
    // In the order of the packets.
    ASSERT_EQ(number(line, "packet"), counted + 1);
    ASSERT_EQ(number(line, "length"), static_cast<long long>(text.size()));
    ASSERT_EQ(field(line, "verdict"), rtbwire_outcome_name(v.outcome));
    const long long fault =
        v.error == RTBWIRE_ERROR_NONE ? -1 : static_cast<long long>(v.error_offset);
    ASSERT_EQ(number(line, "error_offset"), fault);
    if (v.outcome != RTBWIRE_MALICIOUS) continue;
    ASSERT_EQ(field(line, "pattern"), engine.patterns()[v.pattern].id);
    std::string ids;
    for (const auto i : matched_patterns(v))
      ids += (ids.empty() ? "\"" : ",\"") + std::string{engine.patterns()[i].id} + "\"";
    ASSERT_NE(line.find("\"patterns\":[" + ids + "]"), line.npos) << line;
    ASSERT_EQ(number(line, "offset"), v.match_offset);
    ASSERT_EQ(field(line, "pointer"), v.pointer_known ? v.pointer : "");
  }
  EXPECT_EQ(counted, n);
  const std::string summary = p.errors();
  expect_balanced(summary);
  EXPECT_EQ(number(summary, "packets"), n);
  EXPECT_EQ(number(summary, "scanned"), n);
  EXPECT_EQ(number(summary, "malicious"), malicious);
  EXPECT_EQ(number(summary, "malformed"), malformed);
}

TEST(Run, TcpStreamsAcrossFiles) {
  frame_options o;
  const std::string post =
      "POST / HTTP/1.1\r\nContent-Length: " + std::to_string(evil.size()) + "\r\n\r\n" + evil;
  const std::string one =
      pcap_header() + pcap_record(ethernet(tcp_packet(post.substr(0, 60), 1, 0)), 0);
  const std::string two =
      pcapng_header() + pcapng_record(ethernet(tcp_packet(post.substr(60), 61, tcp_fin)), 0);
  const temporary_file a{one}, b{two};
  const result r = run(scan_command({"--summary", "json", a.path(), b.path()}));
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(field(r.output, "from"), "http");
  EXPECT_EQ(field(r.output, "file"), b.path());
  EXPECT_EQ(field(r.output, "pointer"), "/note");
  EXPECT_EQ(number(r.errors, "streamed"), 2);
  EXPECT_EQ(number(r.errors, "stream_documents"), 1);
  expect_balanced(r.errors);
}

TEST(Run, EachReasonIsCounted) {
  std::string content = pcap_header();
  std::string fragment = udp_packet(good);
  fragment[7] = 1;
  for (const auto& frame :
       {ethernet(udp_packet(good)), ethernet(udp_packet("")), ethernet(udp_packet("dns")),
        ethernet(fragment), ethernet(ip_packet(1, "ping")), std::string(60, 'x'), std::string{"x"}})
    content += pcap_record(frame, 0);
  content += pcap_record(ethernet(udp_packet(good)).substr(0, 30), 0, 90);
  const result r = run(scan_command({"--summary", "json", "-"}), content);
  EXPECT_EQ(number(r.errors, "packets"), 8);
  for (const char* name :
       {"scanned", "skipped_empty", "skipped_not_candidate", "skipped_fragment", "skipped_protocol",
        "skipped_not_ip", "skipped_header", "skipped_snapped"})
    EXPECT_EQ(number(r.errors, name), 1) << name;
  expect_balanced(r.errors);
}

TEST(Run, LinesFromStandardInput) {
  const result r = run(scan_command({"--ndjson", "--summary", "json"}),
                       good + "\n\n" + evil + "\n" + "nonsense");
  EXPECT_EQ(r.status, 1);
  const auto all = lines(r.output);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(number(all[0], "packet"), 3);
  EXPECT_EQ(field(all[1], "verdict"), "malformed");
  expect_balanced(r.errors);
}

// Documents from a pipe are scanned when they arrive, not when a batch is full.
TEST(Run, PipesAreNotHeldBack) {
  process p{
      {"/bin/bash", "-c", "(echo '" + evil + "'; sleep 60) | " RTBWIRE_SCAN_PROGRAM " --ndjson"}};
  for (int i = 0; i < 1000 && p.output().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  EXPECT_EQ(field(p.output(), "verdict"), "malicious");
}

class sender {
 public:
  explicit sender(int port) : fd_{socket(AF_INET, SOCK_DGRAM, 0)} {
    to_.sin_family = AF_INET;
    to_.sin_port = htons(static_cast<std::uint16_t>(port));
    to_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  ~sender() { close(fd_); }
  bool send(std::string_view text) {
    return sendto(fd_, text.data(), text.size(), 0, reinterpret_cast<sockaddr*>(&to_),
                  sizeof to_) == static_cast<ssize_t>(text.size());
  }

 private:
  int fd_;
  sockaddr_in to_{};
};

// Returns the port of a listener.
int port_of(const process& p) {
  if (!p.says("listening on port ") || !p.says("\n")) return 0;
  const std::string said = p.errors();
  return std::atoi(said.c_str() + said.find("port ") + 5);
}

// Returns received and dropped from the text summary.
long long counted(const std::string& errors) {
  const std::size_t at = errors.rfind(" packets = ");
  if (at == errors.npos) return -1;
  std::size_t begin = at;
  while (begin > 0 && errors[begin - 1] >= '0' && errors[begin - 1] <= '9') --begin;
  return std::atoll(errors.c_str() + begin);
}

TEST(Run, UdpAtABoundedRateIsAllCounted) {
  for (const char* threads : {"1", "3"}) {
    process p{scan_command({"--udp", "127.0.0.1:0", "--show", "matched", "--threads", threads})};
    const int port = port_of(p);
    ASSERT_NE(port, 0) << p.errors();
    const result sent = run({RTBWIRE_PACKETS_PROGRAM, "--count", "20000", "--rate", "20000",
                             "--udp", "127.0.0.1:" + std::to_string(port)});
    ASSERT_EQ(sent.output, "20000\n");
    p.signal(SIGTERM);
    EXPECT_EQ(p.wait(), 1);
    EXPECT_EQ(counted(p.errors()), 20000) << p.errors();
  }
}

TEST(Run, APortThatIsTakenIsNotShared) {
  process p{scan_command({"--udp", "127.0.0.1:0", "--threads", "2"})};
  const int port = port_of(p);
  ASSERT_NE(port, 0);
  const result second =
      run(scan_command({"--udp", "127.0.0.1:" + std::to_string(port), "--threads", "2"}));
  EXPECT_EQ(second.status, 3);
  EXPECT_NE(second.errors.find("the port is free"), std::string::npos) << second.errors;
}

// A burst into a small buffer: some packets are dropped, and the drops are counted.
TEST(Run, UdpDropsAreCounted) {
  process p{scan_command({"--udp", "127.0.0.1:0", "--receive-buffer", "4096", "--threads", "1"})};
  const int port = port_of(p);
  ASSERT_NE(port, 0);
  sender s{port};
  for (int i = 0; i < 20000; ++i) ASSERT_TRUE(s.send(good));
  p.signal(SIGINT);
  EXPECT_EQ(p.wait(), 0);
  EXPECT_EQ(counted(p.errors()), 20000) << p.errors();
  EXPECT_NE(p.errors().find(" dropped "), std::string::npos) << p.errors();
}

TEST(Run, UdpTooLargeAndEmpty) {
  process p{scan_command({"--udp", "127.0.0.1:0", "--packet-max", "100", "--threads", "1"})};
  const int port = port_of(p);
  ASSERT_NE(port, 0);
  sender s{port};
  s.send("[\"" + std::string(500, 'x') + "\"]");
  s.send("");
  s.send("[\"" + std::string(96, 'x') + "\"]");
  p.signal(SIGTERM);
  EXPECT_EQ(p.wait(), 1);
  EXPECT_EQ(lines(p.output()).size(), 1u);
  EXPECT_EQ(field(p.output(), "verdict"), "too large");
  EXPECT_EQ(number(p.output(), "length"), 504);
  EXPECT_EQ(counted(p.errors()), 3);
}

// SIGTERM while another thread sends: everything before the signal is counted, and not more than
// was sent.
TEST(Run, TerminationLosesNoCount) {
  for (int round = 0; round < 5; ++round) {
    process p{scan_command({"--udp", "127.0.0.1:0", "--threads", "2", "--show", "none"})};
    const int port = port_of(p);
    ASSERT_NE(port, 0);
    std::atomic<long long> sent{0};
    std::atomic<bool> end{false};
    std::thread sending{[&] {
      sender s{port};
      corpus_stream packets{3};
      while (!end) {
        if (s.send(packets.next().text)) ++sent;
        if (sent % 64 == 0) std::this_thread::sleep_for(std::chrono::milliseconds{1});
      }
    }};
    while (sent < 3000) std::this_thread::yield();
    const long long before = sent;
    p.signal(SIGTERM);
    const int status = p.wait();
    end = true;
    sending.join();
    EXPECT_EQ(status, 1);
    EXPECT_GE(counted(p.errors()), before) << p.errors();
    EXPECT_LE(counted(p.errors()), sent) << p.errors();
  }
}

TEST(Run, TerminationWhileReadingAFile) {
  const temporary_file capture;
  ASSERT_EQ(run({RTBWIRE_PACKETS_PROGRAM, "--count", "50000", "--output", capture.path()}).status,
            0);
  process p{{"/bin/bash", "-c",
             "exec " RTBWIRE_SCAN_PROGRAM " --summary json --show none - < <(cat " +
                 capture.path() + "; sleep 60)"}};
  std::this_thread::sleep_for(std::chrono::milliseconds{300});
  p.signal(SIGINT);
  EXPECT_LE(p.wait(), 1);
  expect_balanced(p.errors());
}

TEST(Run, UserSignalPrintsStats) {
  process p{scan_command({"--udp", "127.0.0.1:0", "--stats"})};
  ASSERT_NE(port_of(p), 0);
  p.signal(SIGUSR1);
  EXPECT_TRUE(p.says("rtbwire-scan: packets 0 "));
  p.signal(SIGTERM);
  EXPECT_EQ(p.wait(), 0);
}

TEST(Run, TellsTheServiceManager) {
  const std::string path = "/tmp/rtbwire-notify-" + std::to_string(getpid());
  const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::strcpy(to.sun_path, path.c_str());
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  const timeval patience{10, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  {
    process p{scan_command({"--udp", "127.0.0.1:0"}), {}, {"NOTIFY_SOCKET=" + path}};
    char state[64] = "";
    EXPECT_GT(recv(fd, state, sizeof state - 1, 0), 0);
    EXPECT_STREQ(state, "READY=1");
    p.signal(SIGTERM);
    std::memset(state, 0, sizeof state);
    EXPECT_GT(recv(fd, state, sizeof state - 1, 0), 0);
    EXPECT_STREQ(state, "STOPPING=1");
    EXPECT_EQ(p.wait(), 0);
  }
  close(fd);
  unlink(path.c_str());
}

TEST(Run, InterfaceSeesTheLoopback) {
  const int raw = socket(AF_PACKET, SOCK_RAW, 0);
  if (raw < 0) GTEST_SKIP() << "needs CAP_NET_RAW: " << std::strerror(errno);
  close(raw);
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  socklen_t size = sizeof to;
  getsockname(fd, reinterpret_cast<sockaddr*>(&to), &size);
  // Send nothing before the program reports that it is ready.
  const std::string path = "/tmp/rtbwire-lo-" + std::to_string(getpid());
  const int notify = socket(AF_UNIX, SOCK_DGRAM, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strcpy(name.sun_path, path.c_str());
  ASSERT_EQ(bind(notify, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  const timeval patience{10, 0};
  setsockopt(notify, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  {
    process p{scan_command({"--interface", "lo", "--show", "all", "--summary", "json"}),
              {},
              {"NOTIFY_SOCKET=" + path}};
    char state[64] = "";
    ASSERT_GT(recv(notify, state, sizeof state - 1, 0), 0) << p.errors();
    sender s{ntohs(to.sin_port)};
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(s.send(i % 10 == 0 ? evil : good));
    p.signal(SIGTERM);
    EXPECT_EQ(p.wait(), 1);
    expect_balanced(p.errors());
    // Other programs may use the interface, so look only at packets to our port.
    const std::string to_us = "127.0.0.1:" + std::to_string(ntohs(to.sin_port));
    int ours = 0, malicious = 0;
    for (const auto& line : lines(p.output())) {
      if (field(line, "destination") != to_us) continue;
      ++ours;
      malicious += field(line, "verdict") == "malicious";
    }
    if (number(p.errors(), "dropped") == 0) {
      EXPECT_EQ(ours, 1000);
      EXPECT_EQ(malicious, 100);
    }
  }
  close(fd);
  close(notify);
  unlink(path.c_str());
}

}  // namespace
}  // namespace rtbwire::tool::test
