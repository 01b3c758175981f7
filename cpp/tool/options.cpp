#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>

namespace rtbwire::tool {
namespace {

using std::string_view;

template <class T>
T choose(string_view option, string_view value,
         std::initializer_list<std::pair<string_view, T>> choices) {
  std::string names;
  for (const auto& [name, meaning] : choices) {
    if (name == value) return meaning;
    names += (names.empty() ? "" : ", ") + std::string{name};
  }
  throw usage_error{"unknown value '" + std::string{value} + "' for " + std::string{option} +
                    " (choose from " + names + ")"};
}

std::uint32_t parse_layers(string_view value) {
  std::uint32_t layers = 0;
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    layers |= choose<std::uint32_t>("--layers", value.substr(0, comma),
                                    {{"percent", RTBWIRE_LAYER_PERCENT},
                                     {"entity", RTBWIRE_LAYER_ENTITY},
                                     {"fullwidth", RTBWIRE_LAYER_FULLWIDTH},
                                     {"twice", RTBWIRE_LAYER_TWICE},
                                     {"squeeze", RTBWIRE_LAYER_SQUEEZE},
                                     {"all", RTBWIRE_LAYER_ALL},
                                     {"none", 0}});
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return layers;
}

struct option {
  string_view name, argument;  // argument is empty if there is none
  string_view help;            // lines; without a name, a heading
  void (*set)(settings& s, string_view value);
};

constexpr std::uint32_t packet_limit = UINT32_MAX / 16;  // of the library

const option options[] = {
    {"", "", "Input (FILE is pcap or pcapng; - is standard input)", nullptr},
    {"--ndjson", "", "files, or standard input, hold one JSON text per line",
     [](settings& s, string_view) { s.ndjson = true; }},
    {"--udp", "ADDR:PORT", "listen for UDP: 127.0.0.1:9000, [::]:9000, :9000",
     [](settings& s, string_view v) { s.udp.address = v; }},
    {"--receive-buffer", "BYTES", "receive buffer of each UDP socket; default 4M",
     [](settings& s, string_view v) {
       s.udp.receive_buffer = static_cast<int>(parse_size("--receive-buffer", v, 4096, 1u << 30));
     }},
    {"--interface", "NAME", "listen on a network interface (needs CAP_NET_RAW)",
     [](settings& s, string_view v) { s.interface = v; }},
    {"--promiscuous", "", "with --interface: also read frames for other machines",
     [](settings& s, string_view) { s.promiscuous = true; }},
    {"--ring", "BYTES", "with --interface: memory shared with the kernel; default 16M",
     [](settings& s, string_view v) { s.ring_bytes = parse_size("--ring", v, 1, 1u << 31); }},
    {"--candidates", "json|all",
     "json: scan only payloads that begin like JSON (default for captures\n"
     "and interfaces); all: every payload (default for --udp and --ndjson)",
     [](settings& s, string_view v) {
       s.intake.all = choose<bool>("--candidates", v, {{"json", false}, {"all", true}});
       s.candidates_set = true;
     }},
    {"--tcp-streams", "N", "TCP directions to follow at the same time; default 1024",
     [](settings& s, string_view v) {
       s.intake.limits.streams = parse_size("--tcp-streams", v, 1, 1u << 20);
     }},
    {"--tcp-bytes", "BYTES",
     "per direction: window for segments out of order, and longest text\n"
     "to scan in one piece; default 64K, at least 4K",
     [](settings& s, string_view v) {
       s.intake.limits.bytes = parse_size("--tcp-bytes", v, 4096, 1u << 28);
     }},

    {"", "", "Scanning", nullptr},
    {"--mode", "detect|strict",
     "detect: search patterns; strict (default): also check RFC 8259 and\n"
     "UTF-8",
     [](settings& s, string_view v) {
       s.scan.scanner.mode = choose<rtbwire_mode>(
           "--mode", v, {{"detect", RTBWIRE_DETECT}, {"strict", RTBWIRE_STRICT}});
     }},
    {"--layers", "LIST",
     "further decodings: percent, entity, fullwidth, twice, squeeze, or all;\n"
     "default none",
     [](settings& s, string_view v) { s.scan.engine.layers = parse_layers(v); }},
    {"--regex", "FILE",
     "also search the regular expressions in FILE: lines of id, tab,\n"
     "expression, tab, why (needs a program built with Vectorscan)",
     [](settings& s, string_view v) { s.scan.regex = v; }},
    {"--packet-max", "BYTES", "longest document to scan; default 65535",
     [](settings& s, string_view v) {
       s.scan.scanner.packet_max = parse_size("--packet-max", v, 1, packet_limit);
     }},
    {"--depth", "N", "deepest nesting to accept; default 256",
     [](settings& s, string_view v) {
       s.scan.scanner.depth_max = parse_size("--depth", v, 1, 1u << 20);
     }},
    {"--kernel", "NAME",
     "best (default), scalar, sse4.2, avx2, avx512 or neon; all give the\n"
     "same verdicts",
     [](settings& s, string_view v) {
       s.scan.engine.kernel = choose<rtbwire_kernel>("--kernel", v,
                                                     {{"best", RTBWIRE_KERNEL_BEST},
                                                      {"scalar", RTBWIRE_KERNEL_SCALAR},
                                                      {"sse4.2", RTBWIRE_KERNEL_SSE42},
                                                      {"avx2", RTBWIRE_KERNEL_AVX2},
                                                      {"avx512", RTBWIRE_KERNEL_AVX512},
                                                      {"neon", RTBWIRE_KERNEL_NEON}});
     }},
    {"--threads", "N",
     "threads that scan; default one per processor, at most 8. With --udp\n"
     "each has its own socket (SO_REUSEPORT)",
     [](settings& s, string_view v) { s.threads = parse_size("--threads", v, 1, 256); }},

    {"", "", "Policy", nullptr},
    {"--fail-closed", "",
     "refuse documents that are malicious, malformed, too deep or too large,\n"
     "or could not be scanned (default)",
     [](settings& s, string_view) { s.scan.fail_closed = true; }},
    {"--fail-open", "", "refuse only malicious documents",
     [](settings& s, string_view) { s.scan.fail_closed = false; }},

    {"", "", "Output", nullptr},
    {"--show", "WHICH", "verdicts to print: matched, refused (default), all or none",
     [](settings& s, string_view v) {
       s.scan.show = choose<show>("--show", v,
                                  {{"matched", show::matched},
                                   {"refused", show::refused},
                                   {"all", show::all},
                                   {"none", show::none}});
     }},
    {"--stats", "", "print rates and counts to standard error every second",
     [](settings& s, string_view) { s.stats = true; }},
    {"--summary", "FORMAT", "counts on standard error at the end: text (default), json or none",
     [](settings& s, string_view v) {
       s.summary = choose<summary_format>("--summary", v,
                                          {{"text", summary_format::text},
                                           {"json", summary_format::json},
                                           {"none", summary_format::none}});
     }},
    {"--list-patterns", "", "print the patterns as JSON lines",
     [](settings& s, string_view) { s.action = settings::what::list_patterns; }},
    {"--version", "", "print the version and the kernel",
     [](settings& s, string_view) { s.action = settings::what::version; }},
    {"--help", "", "print this text",
     [](settings& s, string_view) { s.action = settings::what::help; }},
};

constexpr string_view examples = R"(
Examples
  rtbwire-scan traffic.pcapng
      scan UDP payloads, JSON in TCP streams and HTTP bodies; print what is refused
  rtbwire-scan --fail-open --show matched --layers all traffic.pcap
      print only attacks, including those in percent encoding or HTML entities
  tcpdump -w - -U udp port 9000 | rtbwire-scan --stats -
      scan while capturing
  zcat requests.ndjson.gz | rtbwire-scan --ndjson --show none
      print only the counts
  rtbwire-scan --udp 127.0.0.1:9000 --threads 2 --summary json
      receive until SIGTERM or SIGINT; SIGUSR1 prints the counts so far
  rtbwire-scan --interface eth0 --stats
      scan all traffic of a network interface

A verdict is one line of JSON:
  {"packet":7,"time":"2026-01-02T03:04:05.000000000Z","from":"udp",
   "source":"192.0.2.1:4000","destination":"192.0.2.2:9000","length":312,
   "verdict":"malicious","refused":true,"pattern":"xss.script-tag",
   "patterns":["xss.script-tag","xss.script-end"],
   "pointer":"/imp/0/ext/note","offset":291,"in":"value",
   "text":"<script>...","reason":"opens a script element"}
"packet" is the number of the frame, datagram or line, from 1; for a text from a TCP
stream, of the packet that completed it. "pattern", "pointer", "offset" (from the first
byte of the document), "in" and "text" describe the first match; "patterns" lists all.

Every packet is counted once: packets = scanned + streamed + skipped + dropped.
IP fragments are counted, not reassembled. Gaps in TCP streams are counted, and the
texts around them are scanned as truncated.

Exit status
  0  nothing was refused
  1  something was refused
  2  the command line is wrong
  3  an input or the system failed; the counts include what was read before
)";

const option* find(string_view name) noexcept {
  if (name == "-h") name = "--help";
  for (const option& o : options)
    if (!o.name.empty() && o.name == name) return &o;
  return nullptr;
}

// Checks the options together, and sets the defaults that depend on others.
void complete(settings& s) {
  if (s.action != settings::what::scan) return;
  const int live = (s.udp.address.empty() ? 0 : 1) + (s.interface.empty() ? 0 : 1);
  if (live + (s.ndjson || !s.files.empty() ? 1 : 0) > 1)
    throw usage_error{
        "--udp, --interface and files cannot be combined; start one program for each"};
  if (live == 0 && s.files.empty()) {
    if (!s.ndjson)
      throw usage_error{
          "nothing to scan; name a capture file, or - for standard input, "
          "or use --ndjson, --udp or --interface"};
    s.files.push_back("-");
  }
  if (s.promiscuous && s.interface.empty()) throw usage_error{"--promiscuous needs --interface"};
  if (s.candidates_set && (s.ndjson || !s.udp.address.empty()) && !s.intake.all)
    throw usage_error{
        "--candidates json is for captures and interfaces; with --ndjson and --udp "
        "all documents are scanned"};
  if (s.threads == 0) s.threads = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
  s.udp.threads = s.threads;
  s.intake.limits.document = std::min(s.intake.limits.bytes, s.scan.scanner.packet_max);
}

}  // namespace

std::uint32_t parse_size(string_view option, string_view text, std::uint32_t min,
                         std::uint32_t max) {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  const string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
  unsigned shift = 0;
  if (unit == "K" || unit == "k") shift = 10;
  else if (unit == "M" || unit == "m") shift = 20;
  else if (unit == "G" || unit == "g") shift = 30;
  const bool valid = error == std::errc{} && (unit.empty() || shift > 0) && n <= UINT32_MAX;
  if (!valid || n << shift < min || n << shift > max)
    throw usage_error{"bad value '" + std::string{text} + "' for " + std::string{option} +
                      " (want a number from " + std::to_string(min) + " to " + std::to_string(max) +
                      ")"};
  return static_cast<std::uint32_t>(n << shift);
}

settings parse_options(std::span<const string_view> arguments) {
  settings s;
  bool only_files = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const string_view argument = arguments[i];
    if (only_files || argument == "-" || !argument.starts_with('-')) {
      s.files.emplace_back(argument);
      continue;
    }
    if (argument == "--") {
      only_files = true;
      continue;
    }
    const std::size_t equals = argument.find('=');
    const string_view name = argument.substr(0, equals);
    const option* const o = find(name);
    if (o == nullptr) throw usage_error{"unknown option '" + std::string{name} + "'; see --help"};
    string_view value;
    if (o->argument.empty()) {
      if (equals != argument.npos)
        throw usage_error{std::string{name} + " takes no value; remove '" +
                          std::string{argument.substr(equals)} + "'"};
    } else if (equals != argument.npos) {
      value = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    } else {
      throw usage_error{std::string{name} + " needs a value: " + std::string{name} + " " +
                        std::string{o->argument}};
    }
    o->set(s, value);
  }
  complete(s);
  return s;
}

std::string help() {
  std::string out =
      "usage: rtbwire-scan [options] FILE...\n"
      "       rtbwire-scan [options] --ndjson [FILE...]\n"
      "       rtbwire-scan [options] --udp ADDR:PORT | --interface NAME\n\n"
      "Is a packet JSON, and does a string in it carry a malicious payload? Reads pcap and\n"
      "pcapng files, lines of JSON, UDP or a network interface. Prints a verdict, as a line\n"
      "of JSON, for each document that is refused.\n";
  constexpr std::size_t column = 28;
  for (const option& o : options) {
    if (o.name.empty()) {
      out += "\n" + std::string{o.help} + "\n";
      continue;
    }
    std::string left = "  " + std::string{o.name};
    if (!o.argument.empty()) left += " " + std::string{o.argument};
    left.resize(std::max(column, left.size() + 1), ' ');
    out += left;
    for (const char c : o.help) {
      out += c;
      if (c == '\n') out.append(column, ' ');
    }
    out += '\n';
  }
  return out += examples;
}

}  // namespace rtbwire::tool
