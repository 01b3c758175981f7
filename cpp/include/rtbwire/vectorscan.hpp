// The C++20 interface of vectorscan.h: the same two objects, freed by their destructors.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "rtbwire/scan.hpp"
#include "rtbwire/vectorscan.h"

namespace rtbwire {

/// Compiled patterns: immutable, for all threads. They must outlive their engines.
class vectorscan final {
 public:
  /// kinds is empty, or has one entry per pattern.
  explicit vectorscan(std::span<const pattern> patterns,
                      std::span<const rtbwire_pattern_kind> kinds = {}) noexcept
      : status_{!kinds.empty() && kinds.size() != patterns.size()
                    ? RTBWIRE_BAD_ARGUMENT
                    : rtbwire_vectorscan_create(patterns.data(), kinds.data(), patterns.size(),
                                                &error_, &self_)} {}
  ~vectorscan() { rtbwire_vectorscan_destroy(self_); }
  vectorscan(vectorscan&& other) noexcept
      : self_{std::exchange(other.self_, nullptr)}, error_{other.error_},
        status_{std::exchange(other.status_, RTBWIRE_BAD_ARGUMENT)} {}
  vectorscan& operator=(vectorscan&&) = delete;

  [[nodiscard]] rtbwire_status status() const noexcept { return status_; }
  /// Valid if status() is RTBWIRE_BAD_PATTERN, like reason().
  [[nodiscard]] const rtbwire_vectorscan_error& error() const noexcept { return error_; }
  [[nodiscard]] std::string_view reason() const noexcept { return error_.reason; }
  [[nodiscard]] const rtbwire_vectorscan* get() const noexcept { return self_; }
  /// Requires that status() is RTBWIRE_OK, like size().
  [[nodiscard]] const rtbwire::matcher& matcher() const noexcept {
    return *rtbwire_vectorscan_matcher(self_);
  }
  [[nodiscard]] std::size_t size() const noexcept { return rtbwire_vectorscan_size(self_); }

 private:
  rtbwire_vectorscan* self_{nullptr};
  rtbwire_vectorscan_error error_{};
  rtbwire_status status_;
};

/// Memory for the search of one scanner. It must outlive the scanner.
class vectorscan_scratch final {
 public:
  explicit vectorscan_scratch(const vectorscan& v) noexcept
      : status_{rtbwire_vectorscan_scratch_create(v.get(), &self_)} {}
  ~vectorscan_scratch() { rtbwire_vectorscan_scratch_destroy(self_); }
  vectorscan_scratch(vectorscan_scratch&& other) noexcept
      : self_{std::exchange(other.self_, nullptr)},
        status_{std::exchange(other.status_, RTBWIRE_BAD_ARGUMENT)} {}
  vectorscan_scratch& operator=(vectorscan_scratch&&) = delete;

  [[nodiscard]] rtbwire_status status() const noexcept { return status_; }
  [[nodiscard]] rtbwire_vectorscan_scratch* get() const noexcept { return self_; }

 private:
  rtbwire_vectorscan_scratch* self_{nullptr};
  rtbwire_status status_;
};

}  // namespace rtbwire
