// The program of the comparison. compare.py runs it, in turns, and makes the tables.
//
//   scan_bench rows               what there is: rows, sets, versions
//   scan_bench count              every row with every set: are the verdicts right, calls of the
//                                 heap and of the locale, bytes of the arena. Only
//                                 scan_bench_count counts calls: a counter that all threads share
//                                 would itself slow them down.
//   scan_bench time MS CPU...     reads lines ROW SET THREADS, and times each for so many
//                                 milliseconds, or at least each packet once. Threads run on the
//                                 processors named, one on each.
//   scan_bench worst ROW...       the packets that are made to be slow
//
// All print JSON, the last three an object on each line. Times are nanoseconds for a packet: cpu is
// the processor time of a thread, wall what passes for it, the mean of all threads.
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "adversarial.hpp"
#include "allocator.hpp"
#include "heap_count.hpp"
#include "locale_count.hpp"
#include "verify.hpp"

namespace rtbwire {
// Not defined in the program that measures time.
[[gnu::weak]] std::size_t heap_calls();
[[gnu::weak]] locale_count locale_calls();

namespace bench {
namespace {

std::vector<row>& rows() {
  static std::vector<row> all;
  return all;
}
std::map<std::string, std::string>& notes() {
  static std::map<std::string, std::string> all;
  return all;
}

using tally = std::array<std::size_t, answers>;

std::string json(const tally& t) {
  std::string text = "[";
  for (const std::size_t n : t) text += (text.size() > 1 ? "," : "") + std::to_string(n);
  return text + "]";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

const row& row_named(const std::string& name) {
  for (const row& r : rows())
    if (r.name == name) return r;
  std::cerr << "scan_bench: no row named " << name << "\n";
  std::exit(2);
}

void add_rows() {
#if defined(__clang__)
  add_note("compiler", "clang " __clang_version__);
#else
  add_note("compiler", "gcc " __VERSION__);
#endif
  add_note("malloc", allocator());
  add_scanner_rows();
#ifdef RTBWIRE_HAVE_VECTORSCAN
  add_vectorscan_rows();
#endif
#ifdef RTBWIRE_HAVE_YYJSON
  add_yyjson_rows();
#endif
#ifdef RTBWIRE_HAVE_SIMDJSON
  add_simdjson_rows();
#endif
#ifdef RTBWIRE_HAVE_RAPIDJSON
  add_rapidjson_rows();
#endif
#ifdef RTBWIRE_HAVE_GLAZE
  add_glaze_rows();
#endif
#ifdef RTBWIRE_HAVE_BOOSTJSON
  add_boostjson_rows();
#endif
#ifdef RTBWIRE_HAVE_JSONCONS
  add_jsoncons_rows();
#endif
#ifdef RTBWIRE_HAVE_DAW
  add_daw_rows();
#endif
#ifdef RTBWIRE_HAVE_NLOHMANN
  add_nlohmann_rows();
#endif
  add_find_rows();
}

int list(const std::vector<set>& sets) {
  std::string text = "{\"notes\":{";
  for (const auto& [key, value] : notes())
    text += (text.back() == '{' ? "" : ",") + quoted(key) + ":" + quoted(value);
  text += "},\"rows\":[";
  for (const row& r : rows()) text += (text.back() == '[' ? "" : ",") + quoted(r.name);
  text += "],\"sets\":{";
  for (const set& s : sets) {
    std::size_t bytes = 0;
    for (const auto& p : s.packets) bytes += p.text.size();
    text += (text.back() == '{' ? "" : ",") + quoted(s.name) +
            ":{\"packets\":" + std::to_string(s.packets.size()) +
            ",\"bytes\":" + std::to_string(bytes) + "}";
  }
  std::cout << text << "}}\n";
  return 0;
}

// Counts a pass over all packets after another one has filled what is reused.
int count(const std::vector<set>& sets) {
  for (const row& row : rows())
    for (const set& set : sets) {
      if (!reads(row, set)) continue;
      std::cout << "{\"row\":" << quoted(row.name) << ",\"set\":" << quoted(set.name);
      if (!verify(row, set)) {
        std::cout << ",\"wrong\":true}\n";
        continue;
      }
      std::unique_ptr<contender> c{row.make()};
      const auto calls = [] { return heap_calls != nullptr ? heap_calls() : 0; };
      std::size_t before = calls();
      (void)c->judge(set.packets[0].text);
      const std::size_t first = calls() - before;
      for (const auto& p : set.packets) (void)c->judge(p.text);
      tally got{};
      std::size_t missed = 0, malicious = 0;
      before = calls();
      const auto locale = locale_calls != nullptr ? locale_calls() : locale_count{};
      for (const auto& p : set.packets) {
        const answer a = c->judge(p.text);
        ++got[static_cast<std::size_t>(a)];
        malicious += p.is == corpus::kind::malicious;
        missed += p.is == corpus::kind::malicious && a == answer::clean;
      }
      const std::size_t all = calls() - before;
      const auto now = locale_calls != nullptr ? locale_calls() : locale_count{};
      const std::size_t spaces = now.isspace - locale.isspace;
      const std::size_t conventions = now.localeconv - locale.localeconv;
      const double n = static_cast<double>(set.packets.size());
      if (heap_calls != nullptr)
        std::cout << ",\"heap\":" << static_cast<double>(all) / n << ",\"heap_first\":" << first
                  << ",\"isspace\":" << static_cast<double>(spaces) / n
                  << ",\"localeconv\":" << static_cast<double>(conventions) / n;
      std::cout << ",\"arena\":" << c->arena_peak() << ",\"malicious\":" << malicious
                << ",\"missed\":" << missed << ",\"answers\":" << json(got) << "}" << std::endl;
    }
  return 0;
}

struct timing {
  double cpu, wall;  // ns for a packet
  tally got;
};

double thread_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

void pin(int cpu) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(cpu, &only);
  if (const int error = pthread_setaffinity_np(pthread_self(), sizeof only, &only); error != 0) {
    std::cerr << "scan_bench: processor " << cpu << ": " << std::strerror(error) << "\n";
    std::exit(2);
  }
}

// One thread's part. Threads start at different packets, so that they do not compete for the same
// cache lines; each judges all packets so many times.
timing pass(contender& c, const set& set, std::size_t start, std::size_t passes) {
  using clock = std::chrono::steady_clock;
  const std::size_t n = set.packets.size();
  tally got{};
  const auto wall = clock::now();
  const double cpu = thread_ns();
  for (std::size_t k = 0, i = start; k < passes * n; ++k) {
    ++got[static_cast<std::size_t>(c.judge(set.packets[i].text))];
    if (++i == n) i = 0;
  }
  const double packets = static_cast<double>(passes * n);
  const double cpu_ns = (thread_ns() - cpu) / packets;
  const std::chrono::duration<double, std::nano> took = clock::now() - wall;
  return {cpu_ns, took.count() / packets, got};
}

// Judges some packets, which fills what is reused, and says how many passes take so long.
std::size_t warm_up(contender& c, const set& set, double ns) {
  std::size_t bytes = 0;
  for (const auto& p : set.packets) bytes += p.text.size();
  const std::size_t some =
      std::clamp<std::size_t>((1 << 20) / (bytes / set.packets.size()), 1, 300);
  double took = 0;
  for (int run = 0; run < 2; ++run) {
    const double begin = thread_ns();
    for (std::size_t k = 0; k < some; ++k) (void)c.judge(set.packets[k % set.packets.size()].text);
    took = thread_ns() - begin;
  }
  const double one =
      took / static_cast<double>(some) * static_cast<double>(set.packets.size());
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(ns / one)));
}

timing measure(const row& row, const set& set, std::size_t threads, double ns,
               const std::vector<int>& cpus) {
  // Some rows take long to make. In threads of their own, so that memory is near their processor.
  static std::map<std::string, std::unique_ptr<contender>> made;
  if (threads == 1) {
    pin(cpus[0]);
    auto& c = made[row.name];
    if (!c) c.reset(row.make());
    return pass(*c, set, 0, warm_up(*c, set, ns));
  }
  std::vector<timing> all(threads);
  std::size_t passes = 0;
  std::barrier ready{static_cast<std::ptrdiff_t>(threads)};
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      pin(cpus[t]);
      std::unique_ptr<contender> c{row.make()};
      const std::size_t mine = warm_up(*c, set, ns);
      if (t == 0) passes = mine;
      ready.arrive_and_wait();
      all[t] = pass(*c, set, set.packets.size() * t / threads, passes);
    });
  for (auto& thread : running) thread.join();
  timing mean{};
  for (const timing& t : all) {
    mean.cpu += t.cpu / static_cast<double>(threads);
    mean.wall += t.wall / static_cast<double>(threads);
    for (std::size_t a = 0; a < answers; ++a) mean.got[a] += t.got[a];
  }
  return mean;
}

int time_all(const std::vector<set>& sets, double ms, const std::vector<int>& cpus) {
  std::string name, packets;
  for (std::size_t threads = 0; std::cin >> name >> packets >> threads;) {
    const auto s =
        std::ranges::find_if(sets, [&](const set& one) { return one.name == packets; });
    if (s == sets.end() || threads == 0 || threads > cpus.size()) {
      std::cerr << "scan_bench: no set " << packets << ", or too few processors\n";
      return 2;
    }
    const timing t = measure(row_named(name), *s, threads, ms * 1e6, cpus);
    std::cout << "{\"row\":" << quoted(name) << ",\"set\":" << quoted(packets)
              << ",\"threads\":" << threads << ",\"cpu\":" << t.cpu << ",\"wall\":" << t.wall
              << ",\"answers\":" << json(t.got) << "}" << std::endl;
  }
  return 0;
}

// Nanoseconds per byte of the slowest of the packets that are made to be slow. Of several runs of
// each packet the fastest counts, because a slow run may be due to the machine. Rivals recurse, and
// these packets are deeply nested.
int worst(const std::vector<std::string>& names) {
  const std::vector<corpus::adversary> adversaries = corpus::adversarial();
  for (const std::string& name : names) {
    std::unique_ptr<contender> c{row_named(name).make()};
    double worst = 0;
    std::string packet;
    for (const auto& a : adversaries) {
      double best = 1e9;
      for (int run = 0; run < 4; ++run) {
        const std::size_t times = 1 + 10000 / a.text.size();
        const double begin = thread_ns();
        for (std::size_t i = 0; i < times; ++i) (void)c->judge(a.text);
        best = std::min(best,
                        (thread_ns() - begin) / static_cast<double>(times * a.text.size()));
      }
      if (best <= worst) continue;
      worst = best;
      packet = a.name + ", " + std::to_string(a.text.size()) + " bytes";
    }
    std::cout << "{\"row\":" << quoted(name) << ",\"ns_per_byte\":" << worst
              << ",\"packet\":" << quoted(packet) << "}" << std::endl;
  }
  return 0;
}

}  // namespace

void add_row(const char* name, factory make, abilities can) { rows().push_back({name, make, can}); }
void add_note(const char* key, std::string value) { notes()[key] = std::move(value); }

int run(const std::vector<std::string>& arguments) {
  add_rows();
  const std::string what = arguments.empty() ? "" : arguments[0];
  if (what == "worst") return worst({arguments.begin() + 1, arguments.end()});
  const std::vector<set> sets = make_sets();
  if (what == "rows") return list(sets);
  if (what == "count") return count(sets);
  if (what == "time" && arguments.size() > 2) {
    std::vector<int> cpus;
    for (std::size_t i = 2; i < arguments.size(); ++i) cpus.push_back(std::stoi(arguments[i]));
    return time_all(sets, std::stod(arguments[1]), cpus);
  }
  std::cerr << "usage: scan_bench rows | count | time MS CPU... | worst ROW...\n";
  return 2;
}

}  // namespace bench
}  // namespace rtbwire

int main(int argc, char** argv) { return rtbwire::bench::run({argv + 1, argv + argc}); }
