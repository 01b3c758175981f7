// The comparison: every row over every packet set, verdicts checked before anything is timed.
//
//   scan_bench --benchmark_out=results.json --benchmark_out_format=json
//
// Names are row/set/threads. cpu_time is one thread's time for one packet, heap the global
// heap calls per packet, arena the most bytes of the row's arena that any packet took.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "contender.hpp"

namespace rtbwire::bench {
namespace {

struct row {
  std::string name;
  factory make;
  bool judges_grammar() const { return name.find("_detect_") == std::string::npos; }
};

struct set {
  std::string name;
  std::vector<corpus::packet> packets;
};

std::vector<row>& rows() {
  static std::vector<row> all;
  return all;
}

answer expected(const row& row, const corpus::packet& p) {
  switch (p.is) {
    case corpus::kind::valid: return answer::clean;
    case corpus::kind::invalid: return row.judges_grammar() ? answer::invalid : answer::clean;
    default: return answer::malicious;
  }
}

// A row that is wrong about one packet has no place in a table of speeds.
bool verify(const row& row, const set& set) {
  std::unique_ptr<contender> c{row.make()};
  for (const auto& p : set.packets) {
    const answer got = c->judge(p.text);
    if (got == expected(row, p)) continue;
    std::fprintf(stderr, "%s is wrong about a packet of %s (%d for %d):\n%s\n", row.name.c_str(),
                 set.name.c_str(), static_cast<int>(got), static_cast<int>(expected(row, p)), p.text.c_str());
    return false;
  }
  return true;
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

std::vector<corpus::packet> only(const std::vector<corpus::packet>& all, corpus::kind kind) {
  std::vector<corpus::packet> some;
  for (const auto& p : all)
    if (p.is == kind) some.push_back(p);
  return some;
}

void add_all(const std::vector<set>& sets) {
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
  }
}

}  // namespace

void add_row(const char* name, factory make) { rows().push_back({name, make}); }

int run(int argc, char** argv) {
  const auto classic = corpus::classic();
  const auto diverse = corpus::make();
  std::size_t bytes = 0;
  for (const auto& p : diverse) bytes += p.text.size();
  const std::vector<set> sets = {
      {"three", {classic.begin(), classic.begin() + 3}},
      {"corpus", diverse},
      {"corpus_valid", only(diverse, corpus::kind::valid)},
      {"corpus_invalid", only(diverse, corpus::kind::invalid)},
      {"corpus_malicious", only(diverse, corpus::kind::malicious)},
      {"three_escaped", {classic[0], classic[1], classic[3]}},
  };
  benchmark::AddCustomContext("corpus_packets", std::to_string(diverse.size()));
  benchmark::AddCustomContext("corpus_bytes", std::to_string(bytes));
  add_scanner_rows();
#ifdef RTBWIRE_HAVE_YYJSON
  add_yyjson_rows();
#endif
#ifdef RTBWIRE_HAVE_SIMDJSON
  add_simdjson_rows();
#endif
#ifdef RTBWIRE_HAVE_RAPIDJSON
  add_rapidjson_rows();
#endif
#ifdef RTBWIRE_HAVE_NLOHMANN
  add_nlohmann_rows();
#endif
  add_all(sets);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace rtbwire::bench

int main(int argc, char** argv) { return rtbwire::bench::run(argc, argv); }
