// The work of the Go decoder in C++: decodes the banner request of the benchmarks into structs with
// the fields that it has, by simdjson On-Demand. Like the Go decoder, it decodes the escapes of
// strings, checks numbers and literals, and skips unknown keys.
//
//   typed_bench REQUEST.json [flags of Google Benchmark]
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simdjson_build.hpp"

namespace {

using simdjson::ondemand::array;
using simdjson::ondemand::object;
using simdjson::ondemand::value;
using text = std::string_view;  // points into the text, or into the memory of the parser

struct banner {
  std::optional<std::int64_t> w, h, pos, topframe;
  std::vector<std::int64_t> battr;
};
struct imp {
  text id, bidfloorcur, tagid;
  std::optional<banner> ad;
  std::optional<double> bidfloor;
  std::optional<std::int64_t> secure;
};
struct publisher {
  text id, name, domain;
};
struct site {
  text id, name, domain, page, ref;
  std::vector<text> cat;
  std::optional<publisher> owner;
};
struct device {
  text ua, ip, os, osv, language;
  std::optional<std::int64_t> devicetype, js, dnt;
};
struct user {
  text id, buyeruid;
};
struct request {
  text id;
  std::vector<imp> imps;
  std::optional<site> where;
  std::optional<device> what;
  std::optional<user> who;
  std::optional<std::int64_t> at, tmax;
  std::vector<text> cur, bcat;

  // Vectors keep their memory between documents, like an arena.
  void clear() {
    id = {};
    imps.clear();
    where.reset();
    what.reset();
    who.reset();
    at.reset();
    tmax.reset();
    cur.clear();
    bcat.clear();
  }
};

// These functions return whether the value has the right type.
bool read(value v, text& out) { return v.get_string().get(out) == simdjson::SUCCESS; }
bool read(value v, std::optional<std::int64_t>& out) {
  return v.get_int64().get(out.emplace()) == simdjson::SUCCESS;
}
bool read(value v, std::optional<double>& out) {
  return v.get_double().get(out.emplace()) == simdjson::SUCCESS;
}

template <class T>
bool read(value v, std::vector<T>& out) {
  array a;
  if (v.get_array().get(a) != simdjson::SUCCESS) return false;
  for (auto element : a) {
    value e;
    if (element.get(e) != simdjson::SUCCESS) return false;
    if constexpr (std::is_same_v<T, std::int64_t>) {
      if (e.get_int64().get(out.emplace_back()) != simdjson::SUCCESS) return false;
    } else if (!read(e, out.emplace_back())) {
      return false;
    }
  }
  return true;
}

bool member(text key, value v, banner& b) {
  if (key == "w") return read(v, b.w);
  if (key == "h") return read(v, b.h);
  if (key == "pos") return read(v, b.pos);
  if (key == "topframe") return read(v, b.topframe);
  if (key == "battr") return read(v, b.battr);
  return true;
}

bool member(text key, value v, publisher& p) {
  if (key == "id") return read(v, p.id);
  if (key == "name") return read(v, p.name);
  if (key == "domain") return read(v, p.domain);
  return true;
}

bool member(text key, value v, device& d) {
  if (key == "ua") return read(v, d.ua);
  if (key == "ip") return read(v, d.ip);
  if (key == "devicetype") return read(v, d.devicetype);
  if (key == "os") return read(v, d.os);
  if (key == "osv") return read(v, d.osv);
  if (key == "language") return read(v, d.language);
  if (key == "js") return read(v, d.js);
  if (key == "dnt") return read(v, d.dnt);
  return true;
}

bool member(text key, value v, user& u) {
  if (key == "id") return read(v, u.id);
  if (key == "buyeruid") return read(v, u.buyeruid);
  return true;
}

template <class T>
bool members(object o, T& out) {
  for (auto field : o) {
    text key;
    value v;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
        field.value().get(v) != simdjson::SUCCESS || !member(key, v, out))
      return false;
  }
  return true;
}

template <class T>
bool read(value v, std::optional<T>& out) {
  object o;
  return v.get_object().get(o) == simdjson::SUCCESS && members(o, out.emplace());
}

bool member(text key, value v, site& s) {
  if (key == "id") return read(v, s.id);
  if (key == "name") return read(v, s.name);
  if (key == "domain") return read(v, s.domain);
  if (key == "cat") return read(v, s.cat);
  if (key == "page") return read(v, s.page);
  if (key == "ref") return read(v, s.ref);
  if (key == "publisher") return read(v, s.owner);
  return true;
}

bool member(text key, value v, imp& i) {
  if (key == "id") return read(v, i.id);
  if (key == "banner") return read(v, i.ad);
  if (key == "bidfloor") return read(v, i.bidfloor);
  if (key == "bidfloorcur") return read(v, i.bidfloorcur);
  if (key == "secure") return read(v, i.secure);
  if (key == "tagid") return read(v, i.tagid);
  return true;
}

bool read(value v, imp& out) {
  object o;
  return v.get_object().get(o) == simdjson::SUCCESS && members(o, out);
}

bool member(text key, value v, request& r) {
  if (key == "id") return read(v, r.id);
  if (key == "imp") return read(v, r.imps);
  if (key == "site") return read(v, r.where);
  if (key == "device") return read(v, r.what);
  if (key == "user") return read(v, r.who);
  if (key == "at") return read(v, r.at);
  if (key == "tmax") return read(v, r.tmax);
  if (key == "cur") return read(v, r.cur);
  if (key == "bcat") return read(v, r.bcat);
  return true;
}

bool decode(simdjson::ondemand::parser& parser, simdjson::padded_string_view in, request& r) {
  simdjson::ondemand::document doc;
  object root;
  const char* rest = nullptr;
  return parser.iterate(in).get(doc) == simdjson::SUCCESS &&
         doc.get_object().get(root) == simdjson::SUCCESS && members(root, r) &&
         doc.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
}

// Checks that every field has a value, because a decoder that skips fields would be faster.
bool complete(const request& r) {
  return r.id.size() == 40 && r.imps.size() == 1 && r.imps[0].ad && r.imps[0].ad->w == 300 &&
         r.imps[0].ad->h == 250 && r.imps[0].ad->pos == 1 && r.imps[0].ad->topframe == 0 &&
         r.imps[0].ad->battr.size() == 2 && r.imps[0].bidfloor == 0.53 &&
         r.imps[0].bidfloorcur == "USD" && r.imps[0].secure == 1 && r.imps[0].id == "1" &&
         !r.imps[0].tagid.empty() && r.where && !r.where->page.empty() && !r.where->ref.empty() &&
         !r.where->id.empty() && !r.where->name.empty() && !r.where->domain.empty() &&
         r.where->cat.size() == 2 && r.where->owner && !r.where->owner->id.empty() &&
         !r.where->owner->name.empty() && !r.where->owner->domain.empty() && r.what &&
         r.what->ua.size() == 109 && !r.what->ip.empty() && r.what->devicetype == 2 &&
         !r.what->os.empty() && !r.what->osv.empty() && !r.what->language.empty() &&
         r.what->js == 1 && r.what->dnt == 0 && r.who && !r.who->id.empty() &&
         !r.who->buyeruid.empty() && r.at == 1 && r.tmax == 120 && r.cur.size() == 1 &&
         r.bcat.size() == 3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: typed_bench REQUEST.json [flags]\n");
    return 2;
  }
  std::ifstream file{argv[1], std::ios::binary};
  const std::string json{std::istreambuf_iterator<char>{file}, {}};
  argv[1] = argv[0];
  --argc, ++argv;

  simdjson::ondemand::parser parser;
  request r;
  simdjson::padded_string padded{json};
  if (!decode(parser, padded, r) || !complete(r)) {
    std::fprintf(
        stderr,
        "typed_bench: the request is not the one of testdata/bench/banner.json, or is not read\n");
    return 3;
  }
  benchmark::AddCustomContext("simdjson", std::to_string(simdjson::SIMDJSON_VERSION_MAJOR) + "." +
                                              std::to_string(simdjson::SIMDJSON_VERSION_MINOR) +
                                              "." +
                                              std::to_string(simdjson::SIMDJSON_VERSION_REVISION));
  benchmark::AddCustomContext("implementation", std::string{rtbwire::bench::ondemand_built_for});
  if (!rtbwire::bench::ondemand_is_the_best()) {
    std::fprintf(stderr,
                 "typed_bench: On-Demand was compiled for %s, this processor has more; build with "
                 "-march=native\n",
                 rtbwire::bench::ondemand_built_for.data());
    return 3;
  }
  // From a buffer without padding, which is copied first, and from one with padding.
  std::vector<char> buffer(json.size() + simdjson::SIMDJSON_PADDING);
  benchmark::RegisterBenchmark("typed_simdjson_ondemand/banner", [&](benchmark::State& state) {
    for (auto _ : state) {
      r.clear();
      std::memcpy(buffer.data(), json.data(), json.size());
      if (!decode(parser, simdjson::padded_string_view{buffer.data(), json.size(), buffer.size()},
                  r))
        state.SkipWithError("not read");
      benchmark::DoNotOptimize(r);
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * json.size()));
  });
  benchmark::RegisterBenchmark(
      "typed_simdjson_ondemand_padded/banner", [&](benchmark::State& state) {
        for (auto _ : state) {
          r.clear();
          if (!decode(parser, padded, r)) state.SkipWithError("not read");
          benchmark::DoNotOptimize(r);
        }
        state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * json.size()));
      });
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
