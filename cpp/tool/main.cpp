// rtbwire-scan: runs what the options ask for, and sets the exit status.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>

#include "af_packet.hpp"
#include "control.hpp"
#include "intake.hpp"
#include "ndjson.hpp"
#include "options.hpp"
#include "udp.hpp"

namespace rtbwire::tool {
namespace {

using clock = std::chrono::steady_clock;

double since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

void say(std::string_view text) { line_sink{STDERR_FILENO}.write(text); }

int fail(const std::exception& e, int status) {
  say("rtbwire-scan: " + std::string{e.what()} + "\n");
  return status;
}

void list_patterns(const shared_engine& engine, line_sink& out) {
  std::vector<char> buffer(64 << 10);
  text_buffer text{buffer};
  std::size_t i = 0;
  for (const pattern& p : engine.patterns()) {
    text.clear();
    text.raw("{\"id\":");
    text.string(p.id);
    text.raw(i++ < default_patterns().size() ? ",\"literal\":" : ",\"expression\":");
    text.string(p.literal);
    text.raw(",\"why\":");
    text.string(p.why);
    text.raw("}\n");
    out.write(text.text());
  }
}

// Reads an input and returns true if it could be read to its end. If not, it prints why; what was
// read before is still scanned and counted.
template <class Read>
bool survive(const Read& read) {
  try {
    read();
    return true;
  } catch (const input_error& e) {
    fail(e, exit_system);
    return false;
  }
}

// Scans files one after the other. If one fails, it continues with the next.
bool scan_files(const settings& s, const shared_engine& engine, ledger& all, line_sink& out,
                stopper& stop) {
  counters& counts = all.open();
  pipeline documents{engine, s.scan, s.threads, all, out, stop};
  std::optional<intake> frames;
  if (!s.ndjson) frames.emplace(s.intake, documents, counts);
  document_head last;
  bool complete = true;
  for (const std::string& file : s.files) {
    if (stop.stopped()) break;
    const char* const shown = s.files.size() > 1 ? file.c_str() : nullptr;
    complete &= survive([&] {
      input in{file, stop, [&] { documents.flush(); }};
      if (s.ndjson) scan_lines(in, documents, counts, s.scan.scanner.packet_max, shown);
      else scan_capture(in, *frames, shown, last);
    });
  }
  if (frames) frames->close_streams(last);
  documents.finish();
  return complete;
}

bool scan_interface(const settings& s, const shared_engine& engine, ledger& all, line_sink& out,
                    stopper& stop) {
  counters& counts = all.open();
  pipeline documents{engine, s.scan, s.threads, all, out, stop};
  intake frames{s.intake, documents, counts};
  interface_listener listener{s.interface, s.ring_bytes, s.promiscuous};
  notify_manager("READY=1");
  const bool complete = survive([&] { listener.run(frames, documents, stop); });
  frames.close_streams({});
  documents.finish();
  return complete;
}

bool scan_udp(const settings& s, const shared_engine& engine, ledger& all, line_sink& out,
              stopper& stop) {
  udp_listener listener{s.udp, engine, s.scan, all, out, stop};
  if (s.summary == summary_format::text)
    say("rtbwire-scan: listening on port " + std::to_string(listener.port()) + "\n");
  notify_manager("READY=1");
  return survive([&] { listener.run(); });
}

int scan(const settings& s) {
  stopper stop;
  ledger all;
  line_sink out{STDOUT_FILENO};
  const auto begin = clock::now();
  totals before;
  auto before_time = begin;
  const auto report = [&] {
    const totals now = all.sum();
    const auto time = clock::now();
    say(stats_line(now, before, std::chrono::duration<double>(time - before_time).count()));
    before = now;
    before_time = time;
  };
  const control signals{{.stop =
                             [&] {
                               notify_manager("STOPPING=1");
                               stop.stop();
                             },
                         .report = report,
                         .tick = s.stats ? std::function<void()>{report} : nullptr}};
  const shared_engine engine{s.scan};
  bool complete = true;
  if (!s.udp.address.empty()) complete = scan_udp(s, engine, all, out, stop);
  else if (!s.interface.empty()) complete = scan_interface(s, engine, all, out, stop);
  else complete = scan_files(s, engine, all, out, stop);

  const totals end = all.sum();
  say(summary(end, since(begin), s.summary));
  if (!end.balanced()) {
    say("rtbwire-scan: the counts do not add up; this is a bug, please report it\n");
    return exit_system;
  }
  if (out.error() != 0) {
    errno = out.error();
    return fail(
        system_failure("cannot write the verdicts", "is the disk full, or the reader gone?"),
        exit_system);
  }
  if (!complete) return exit_system;
  return end[counter::refused] > 0 ? exit_refused : exit_accepted;
}

int run(int argc, char** argv) {
  try {
    const std::vector<std::string_view> arguments(argv + 1, argv + argc);
    const settings s = parse_options(arguments);
    // Before any thread starts, because threads inherit the mask.
    block_signals();
    line_sink out{STDOUT_FILENO};
    switch (s.action) {
      case settings::what::scan: return scan(s);
      case settings::what::help: out.write(help()); break;
      case settings::what::list_patterns: list_patterns(shared_engine{s.scan}, out); break;
      case settings::what::version: {
        const shared_engine engine{s.scan};
        out.write(std::string{"rtbwire-scan " RTBWIRE_VERSION ", kernel "} +
                  rtbwire_kernel_name(rtbwire_engine_kernel(engine.get().get())) + "\n");
        break;
      }
    }
    return out.error() == 0 ? exit_accepted : exit_system;
  } catch (const usage_error& e) {
    return fail(e, exit_usage);
  } catch (const std::exception& e) {
    return fail(e, exit_system);
  }
}

}  // namespace
}  // namespace rtbwire::tool

int main(int argc, char** argv) { return rtbwire::tool::run(argc, argv); }
