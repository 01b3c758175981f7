// The comparison: every row over every packet set, verdicts checked before anything is timed.
//
//   scan_bench --benchmark_out=results.json --benchmark_out_format=json
//
// Names are row/set/threads. cpu_time is one thread's time for one packet, heap the global
// heap calls per packet, arena the most bytes of the row's arena that any packet took. The set
// adversarial has one figure, worst_ns_per_byte, and the name of the packet in its label.
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
  // Threads start at places of their own, or they would all wait for the same lines.
  std::size_t i = n / static_cast<std::size_t>(state.threads()) * static_cast<std::size_t>(state.thread_index());
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
  // Of the whole process, so only one thread's count means something.
  if (state.threads() == 1) state.counters["heap"] = heap / static_cast<double>(state.iterations());
  state.counters["arena"] = benchmark::Counter(static_cast<double>(c->arena_peak()), benchmark::Counter::kAvgThreads);
}

// Nanoseconds a byte of the slowest of the packets made to be slow. Each gets its own turn,
// and the fastest of a few counts: it is the packet that is asked about, not the machine.
void measure_worst(benchmark::State& state, const row& row, const std::vector<corpus::adversary>& all) {
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
    bool sound = true;
    for (const set& set : sets) sound = sound && verify(row, set);
    if (!sound) {
      benchmark::AddCustomContext(row.name, "left out: a verdict was wrong");
      continue;
    }
    for (const set& set : sets) {
      auto* b = benchmark::RegisterBenchmark((row.name + "/" + set.name).c_str(),
                                             [&row, &set](benchmark::State& s) { measure(s, row, set); });
      b->Threads(1);
      if (set.name == "corpus" && cores > 1) b->Threads(cores);
    }
    // The rivals recurse where these packets nest.
    if (row.name.rfind("rtbwire_", 0) == 0)
      benchmark::RegisterBenchmark((row.name + "/adversarial").c_str(),
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
