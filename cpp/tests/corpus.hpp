// Packets from a seed, the same on every machine, for tests and benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rtbwire::corpus {

enum class kind { valid, invalid, malicious };

struct packet {
  std::string text;
  kind is;
  bool escaped;  // malicious: the payload is written with escapes
};

struct options {
  std::uint64_t seed = 1;
  std::size_t count = 8192;
  std::size_t size_min = 120, size_max = 1459;  // the TCP payload of an Ethernet frame
  unsigned invalid_percent = 10, malicious_percent = 10;
};

std::vector<packet> make(const options& options = {});

/// Packets like the three of the classic comparison: valid with several alphabets and nesting,
/// invalid (a quote is missing), malicious, and malicious with escapes.
std::vector<packet> classic();

/// Packets of the same structure and lengths as the three of the published comparison, which are
/// indented: valid, invalid (a quote is missing, in the last member), malicious.
std::vector<packet> published();

/// SplitMix64 (Steele, Lea, Flood 2014). The distributions of the standard library differ between
/// implementations.
class random {
 public:
  explicit random(std::uint64_t seed) : state_{seed} {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  bool percent(unsigned p) { return below(100) < p; }

 private:
  std::uint64_t state_;
};

}  // namespace rtbwire::corpus
