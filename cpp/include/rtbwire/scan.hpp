// The C++20 interface of scan.h: the same two objects, with spans instead of pointers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "rtbwire/scan.h"

namespace rtbwire {

using verdict = rtbwire_verdict;
using pattern = rtbwire_pattern;
using matcher = rtbwire_matcher;

inline std::span<const pattern> default_patterns() noexcept {
  std::size_t count = 0;
  const pattern* first = rtbwire_default_patterns(&count);
  return {first, count};
}

/// Returns the indexes of the patterns that a verdict lists, in ascending order. The span points
/// into the verdict.
inline std::span<const std::uint16_t> matched_patterns(const verdict& v) noexcept {
  return {v.patterns, std::min<std::size_t>(v.pattern_count, RTBWIRE_PATTERNS_MAX)};
}
inline std::span<const std::uint16_t> matched_patterns(verdict&&) = delete;

/// An immutable engine in the caller's memory. Copies refer to the same engine.
class engine final {
 public:
  static std::size_t memory(std::span<const pattern> patterns) noexcept {
    return rtbwire_engine_memory(patterns.data(), patterns.size());
  }
  engine(std::span<std::byte> memory, std::span<const pattern> patterns,
         rtbwire_engine_options options = {}) noexcept
      : status_{rtbwire_engine_init(memory.data(), memory.size(), patterns.data(), patterns.size(),
                                    &options, &engine_)} {}
  /// With a matcher. What the matcher refers to must outlive the engine.
  static std::size_t memory(const matcher&) noexcept { return rtbwire_matcher_engine_memory(); }
  engine(std::span<std::byte> memory, const matcher& search,
         rtbwire_engine_options options = {}) noexcept
      : status_{rtbwire_matcher_engine_init(memory.data(), memory.size(), &search, &options,
                                            &engine_)} {}
  [[nodiscard]] rtbwire_status status() const noexcept { return status_; }
  [[nodiscard]] const rtbwire_engine* get() const noexcept { return engine_; }

 private:
  const rtbwire_engine* engine_{nullptr};
  rtbwire_status status_;
};

/// A scanner in the caller's memory, for one thread.
class scanner final {
 public:
  static std::size_t memory(rtbwire_scanner_options options = {}) noexcept {
    return rtbwire_scanner_memory(&options);
  }
  scanner(std::span<std::byte> memory, const engine& engine,
          rtbwire_scanner_options options = {}) noexcept
      : status_{rtbwire_scanner_init(memory.data(), memory.size(), engine.get(), &options,
                                     &scanner_)} {}
  /// For an engine with a matcher. Only this scanner may use scratch.
  scanner(std::span<std::byte> memory, const engine& engine, void* scratch,
          rtbwire_scanner_options options) noexcept
      : status_{rtbwire_matcher_scanner_init(memory.data(), memory.size(), engine.get(), scratch,
                                             &options, &scanner_)} {}
  scanner(const scanner&) = delete;
  scanner& operator=(const scanner&) = delete;

  [[nodiscard]] rtbwire_status status() const noexcept { return status_; }
  [[nodiscard]] rtbwire_scanner* get() const noexcept { return scanner_; }

  /// If status() is not RTBWIRE_OK, the outcome is RTBWIRE_EXHAUSTED.
  [[nodiscard]] verdict scan(std::string_view packet) noexcept {
    return scan(std::as_bytes(std::span{packet.data(), packet.size()}));
  }
  [[nodiscard]] verdict scan(std::span<const std::byte> packet) noexcept {
    verdict answer;
    rtbwire_scan(scanner_, packet.data(), packet.size(), &answer);
    return answer;
  }

 private:
  rtbwire_scanner* scanner_{nullptr};
  rtbwire_status status_;
};

}  // namespace rtbwire
