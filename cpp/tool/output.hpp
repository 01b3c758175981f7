// One verdict as one line of JSON, and where lines are written.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "document.hpp"
#include "rtbwire/scan.hpp"

namespace rtbwire::tool {

enum class show { refused, matched, all, none };

/// Text in memory of fixed size. Text that does not fit is cut; with line_max, lines fit.
class text_buffer {
 public:
  explicit text_buffer(std::span<char> buffer) noexcept : buffer_{buffer} {}
  void raw(std::string_view text) noexcept;
  void number(std::uint64_t n) noexcept;
  /// Appends a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. Control
  /// characters are escaped, including C1 and DEL, which terminals interpret.
  void string(std::string_view text) noexcept;
  std::string_view text() const noexcept { return {buffer_.data(), used_}; }
  std::size_t left() const noexcept { return buffer_.size() - used_; }
  void clear() noexcept { used_ = 0; }

 private:
  std::span<char> buffer_;
  std::size_t used_{0};
};

inline constexpr std::size_t excerpt_max = 48;  // bytes of the packet in a line
inline constexpr std::size_t file_max = 255;    // bytes of the name of a file
inline constexpr std::size_t id_max = 64;       // bytes of the id of a pattern
inline constexpr std::size_t why_max = 200;     // bytes of its reason
/// The longest line: at most six characters for each byte of these, and the rest.
inline constexpr std::size_t line_max = 6 * (excerpt_max + RTBWIRE_POINTER_MAX + file_max +
                                             why_max + (RTBWIRE_PATTERNS_MAX + 1) * id_max) +
                                        1024;

void write_line(text_buffer& out, const document& d, const verdict& v,
                std::span<const pattern> patterns, bool refused) noexcept;

/// A file descriptor to which several threads write blocks of whole lines.
class line_sink {
 public:
  explicit line_sink(int fd) noexcept : fd_{fd} {}
  /// Returns false if writing failed; error() says why.
  bool write(std::string_view lines) noexcept;
  int error() const noexcept;

 private:
  mutable std::mutex mutex_;
  int fd_;
  int error_{0};
};

/// Appends "192.0.2.1:80" or "[2001:db8::1]:80".
std::string_view print_endpoint(const endpoint& e, std::span<char> buffer) noexcept;
/// Appends the time by RFC 3339, with nanoseconds.
std::string_view print_time(std::int64_t ns, std::span<char> buffer) noexcept;

}  // namespace rtbwire::tool
