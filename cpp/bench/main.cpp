// The comparison: every row with every set of packets. Verdicts are checked before rows are timed.
//
//   scan_bench --benchmark_out=results.json --benchmark_out_format=json
//
// Names are row/set/threads. cpu_time is the time of one thread per packet, heap the number of heap
// calls per packet, arena the most bytes of the arena of the row that a packet used. The set
// adversarial has one figure, worst_ns_per_byte, and the name of the packet as its label.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "adversarial.hpp"
#include "heap_count.hpp"
#include "verify.hpp"

namespace rtbwire::bench {
namespace {

std::vector<row>& rows() {
  static std::vector<row> all;
  return all;
}

void measure(benchmark::State& state, const row& row, const set& set) {
  std::unique_ptr<contender> c{row.make()};
  const std::size_t n = set.packets.size();
  // Threads start at different packets, so that they do not compete for the same cache lines.
  std::size_t i = n / static_cast<std::size_t>(state.threads()) *
                  static_cast<std::size_t>(state.thread_index());
  std::size_t bytes = 0, wrong = 0;
  for (std::size_t warm = 0; warm < n; ++warm) (void)c->judge(set.packets[warm].text);
  const std::size_t heap_before = heap_calls();
  for (auto _ : state) {
    const corpus::packet& p = set.packets[i];
    wrong += c->judge(p.text) != expected(row, p);
    bytes += p.text.size();
    if (++i == n) i = 0;
  }
  const auto heap = static_cast<double>(heap_calls() - heap_before);
  if (wrong != 0) state.SkipWithError("a verdict was wrong");
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  // The count is of the whole process, so it is reported for one thread only.
  if (state.threads() == 1) state.counters["heap"] = heap / static_cast<double>(state.iterations());
  state.counters["arena"] =
      benchmark::Counter(static_cast<double>(c->arena_peak()), benchmark::Counter::kAvgThreads);
}

// Measures nanoseconds per byte of the slowest of the packets that are made to be slow. Of several
// runs of each packet the fastest counts, because a slow run may be due to the machine.
void measure_worst(benchmark::State& state, const row& row,
                   const std::vector<corpus::adversary>& all) {
  using clock = std::chrono::steady_clock;
  std::unique_ptr<contender> c{row.make()};
  double worst = 0;
  for (auto _ : state) {
    worst = 0;
    for (const auto& a : all) {
      double best = 1e9;
      for (int run = 0; run < 7; ++run) {
        const std::size_t times = 1 + 20000 / a.text.size();
        const auto begin = clock::now();
        for (std::size_t i = 0; i < times; ++i) (void)c->judge(a.text);
        const std::chrono::duration<double, std::nano> took = clock::now() - begin;
        best = std::min(best, took.count() / static_cast<double>(times * a.text.size()));
      }
      if (best <= worst) continue;
      worst = best;
      state.SetLabel(a.name + ", " + std::to_string(a.text.size()) + " bytes");
    }
  }
  state.counters["worst_ns_per_byte"] = worst;
}

void add_all(const std::vector<set>& sets, const std::vector<corpus::adversary>& adversaries) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  for (const row& row : rows()) {
    bool valid = true;
    for (const set& set : sets) valid = valid && verify(row, set);
    if (!valid) {
      benchmark::AddCustomContext(row.name, "left out: a verdict was wrong");
      continue;
    }
    for (const set& set : sets) {
      auto* b =
          benchmark::RegisterBenchmark((row.name + "/" + set.name).c_str(),
                                       [&row, &set](benchmark::State& s) { measure(s, row, set); });
      b->Threads(1);
      if (set.name == "corpus" && cores > 1) b->Threads(cores);
    }
    // The rivals recurse, and these packets are deeply nested.
    if (row.name.rfind("rtbwire_", 0) == 0)
      benchmark::RegisterBenchmark(
          (row.name + "/adversarial").c_str(),
          [&row, &adversaries](benchmark::State& s) { measure_worst(s, row, adversaries); })
          ->Iterations(1)
          ->Repetitions(3);
  }
}

}  // namespace

std::string processor() {
  std::ifstream in{"/proc/cpuinfo"};
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(": ") + 2);
  return "unknown";
}

void add_row(const char* name, factory make) { rows().push_back({name, make}); }

int run(int argc, char** argv) {
  const std::vector<set> sets = make_sets();
  const std::vector<corpus::adversary> adversaries = corpus::adversarial();
  const auto& diverse = sets[1].packets;
  std::size_t bytes = 0;
  for (const auto& p : diverse) bytes += p.text.size();
  benchmark::AddCustomContext("corpus_packets", std::to_string(diverse.size()));
  benchmark::AddCustomContext("corpus_bytes", std::to_string(bytes));
  benchmark::AddCustomContext("cpu", processor());
#if defined(__clang__)
  benchmark::AddCustomContext("compiler", "clang " __clang_version__);
#else
  benchmark::AddCustomContext("compiler", "gcc " __VERSION__);
#endif
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
#ifdef RTBWIRE_HAVE_NLOHMANN
  add_nlohmann_rows();
#endif
  add_all(sets, adversaries);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace rtbwire::bench

int main(int argc, char** argv) { return rtbwire::bench::run(argc, argv); }
