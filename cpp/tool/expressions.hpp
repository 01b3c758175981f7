// The expressions of --regex FILE and the default patterns, searched by Vectorscan.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "rtbwire/scan.hpp"

namespace rtbwire::tool {

class expression_set {
 public:
  /// Throws usage_error if the file is not valid, or if the program was built without Vectorscan.
  explicit expression_set(const std::string& file);
  ~expression_set();
  expression_set(const expression_set&) = delete;
  expression_set& operator=(const expression_set&) = delete;

  /// The default patterns come first.
  std::span<const pattern> patterns() const noexcept;
  const rtbwire_matcher& matcher() const noexcept;
  /// Makes the scratch of one scanner. Throws std::bad_alloc.
  std::shared_ptr<void> scratch() const;

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace rtbwire::tool
