// rtbwire-scan: options, input, exit status.
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

void say(std::string_view text) {
  line_sink{STDERR_FILENO}.write(text);
}

int fail(const std::exception& e, int status) {
  say("rtbwire-scan: " + std::string{e.what()} + "\n");
  return status;
}

void list_patterns(const shared_engine& engine, line_sink& out) {
  std::vector<char> room(64 << 10);
  text_buffer text{room};
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

// Reads an input. When it fails, that is said, and what was read before is still scanned and
// counted. Answers whether it was sound.
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

// Files one after the other; one that fails does not keep the next from being read.
bool scan_files(const settings& s, const shared_engine& engine, ledger& all, line_sink& out,
                stopper& stop) {
  counters& counts = all.open();
  pipeline documents{engine, s.scan, s.threads, all, out, stop};
  std::optional<intake> frames;
  if (!s.ndjson) frames.emplace(s.intake, documents, counts);
  document_head last;
  bool sound = true;
  for (const std::string& file : s.files) {
    if (stop.stopped()) break;
    const char* const shown = s.files.size() > 1 ? file.c_str() : nullptr;
    sound &= survive([&] {
      input in{file, stop, [&] { documents.flush(); }};
      if (s.ndjson) scan_lines(in, documents, counts, s.scan.scanner.packet_max, shown);
      else scan_capture(in, *frames, shown, last);
    });
  }
  if (frames) frames->close_streams(last);
  documents.finish();
  return sound;
}

bool scan_interface(const settings& s, const shared_engine& engine, ledger& all, line_sink& out,
                    stopper& stop) {
  counters& counts = all.open();
  pipeline documents{engine, s.scan, s.threads, all, out, stop};
  intake frames{s.intake, documents, counts};
  interface_listener listener{s.interface, s.ring_bytes, s.promiscuous};
  notify_manager("READY=1");
  const bool sound = survive([&] { listener.run(frames, documents, stop); });
  frames.close_streams({});
  documents.finish();
  return sound;
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
  bool sound = true;
  if (!s.udp.address.empty()) sound = scan_udp(s, engine, all, out, stop);
  else if (!s.interface.empty()) sound = scan_interface(s, engine, all, out, stop);
  else sound = scan_files(s, engine, all, out, stop);

  const totals end = all.sum();
  say(summary(end, since(begin), s.summary));
  if (!end.balanced()) {
    say("rtbwire-scan: the counts do not add up, which is a fault of this program; please report it\n");
    return exit_system;
  }
  if (out.error() != 0) {
    errno = out.error();
    return fail(system_failure("can not write the verdicts", "is the disk full, or the reader gone?"),
                exit_system);
  }
  if (!sound) return exit_system;
  return end[counter::refused] > 0 ? exit_refused : exit_accepted;
}

int run(int argc, char** argv) {
  try {
    const std::vector<std::string_view> arguments(argv + 1, argv + argc);
    const settings s = parse_options(arguments);
    // Before any thread starts: all of them inherit it.
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
