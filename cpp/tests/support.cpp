#include "support.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "corpus.hpp"

namespace rtbwire::test {

std::vector<rtbwire_kernel> kernels() {
  std::vector<rtbwire_kernel> usable;
  for (const auto k : {RTBWIRE_KERNEL_SCALAR, RTBWIRE_KERNEL_SSE42, RTBWIRE_KERNEL_AVX2,
                       RTBWIRE_KERNEL_AVX512, RTBWIRE_KERNEL_NEON})
    if (rtbwire_kernel_usable(k) != 0) usable.push_back(k);
  return usable;
}

std::vector<rtbwire_kernel> vector_kernels() {
  std::vector<rtbwire_kernel> usable = kernels();
  usable.erase(usable.begin());
  return usable;
}

fixture_scanner::fixture_scanner(rtbwire_kernel kernel, rtbwire_scanner_options options,
                                 unsigned layers, std::span<const pattern> patterns)
    : engine_memory_(engine::memory(patterns)), scanner_memory_(scanner::memory(options)) {
  rtbwire_engine_options engine_options{};
  engine_options.kernel = kernel;
  engine_options.layers = layers;
  engine_ = std::make_unique<engine>(engine_memory_, patterns, engine_options);
  if (engine_->status() != RTBWIRE_OK) throw std::runtime_error("engine");
  scanner_ = std::make_unique<scanner>(scanner_memory_, *engine_, options);
  if (scanner_->status() != RTBWIRE_OK) throw std::runtime_error("scanner");
}

guarded::guarded(std::string_view text) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t body = (text.size() + page - 1) / page * page + page;
  size_ = body + page;
  map_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map_ == MAP_FAILED) throw std::runtime_error("mmap");
  char* const end = static_cast<char*>(map_) + body;
  if (mprotect(end, page, PROT_NONE) != 0) throw std::runtime_error("mprotect");
  if (!text.empty()) std::memcpy(end - text.size(), text.data(), text.size());
  // Read-only from here: a scanner that wrote to its input would die as well.
  if (mprotect(map_, body, PROT_READ) != 0) throw std::runtime_error("mprotect");
  view_ = {end - text.size(), text.size()};
}

guarded::~guarded() { munmap(map_, size_); }

void mutate(corpus::random& random, std::string& text, std::string_view bytes, std::size_t most) {
  for (std::size_t n = random.below(most + 1); n > 0 && !text.empty(); --n) {
    const std::size_t at = random.below(text.size());
    switch (random.below(4)) {
      case 0: text[at] = bytes[random.below(bytes.size())]; break;
      case 1: text.erase(at, 1 + random.below(3)); break;
      case 2: text.insert(at, 1, bytes[random.below(bytes.size())]); break;
      default: text.resize(at); break;
    }
  }
}

std::size_t count_wrong(scanner& scan, const std::vector<corpus::packet>& packets) {
  std::size_t wrong = 0;
  for (const auto& p : packets) {
    const bool found = scan.scan(p.text).outcome == RTBWIRE_MALICIOUS;
    wrong += found != (p.is == corpus::kind::malicious);
  }
  return wrong;
}

bool same(const verdict& a, const verdict& b) {
  return a.outcome == b.outcome && a.error == b.error && a.error_offset == b.error_offset &&
         a.pattern == b.pattern && a.match_offset == b.match_offset &&
         a.match_layered == b.match_layered && a.match_in_key == b.match_in_key &&
         a.pointer_known == b.pointer_known && a.pointer_truncated == b.pointer_truncated &&
         std::strcmp(a.pointer, b.pointer) == 0 && a.pattern_count == b.pattern_count &&
         std::ranges::equal(matched_patterns(a), matched_patterns(b));
}

std::string describe(const verdict& v) {
  std::ostringstream out;
  out << rtbwire_outcome_name(v.outcome) << ", error " << rtbwire_error_name(v.error) << " at "
      << v.error_offset << ", pattern " << v.pattern << " at " << v.match_offset
      << (v.match_layered ? " layered" : "") << (v.match_in_key ? " key" : "") << " pointer "
      << (v.pointer_known ? v.pointer : "unknown") << ", all";
  for (const auto i : matched_patterns(v)) out << ' ' << i;
  return out.str();
}

std::string json_string(std::string_view text, unsigned percent, bool upper) {
  corpus::random random{text.size() + percent};
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || (byte < 0x80 && random.percent(percent))) {
      char escape[8];
      std::snprintf(escape, sizeof escape, upper ? "\\u%04X" : "\\u%04x", byte);
      out += escape;
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream in(read_file(path));
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace rtbwire::test
