// Reads a file or pipe in blocks of 256 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "document.hpp"
#include "stop.hpp"

namespace rtbwire::tool {

class input {
 public:
  /// Opens a file; "-" is standard input. Calls before_wait before a read that may block.
  input(const std::string& path, const stopper& stop, std::function<void()> before_wait);
  ~input();
  input(const input&) = delete;
  input& operator=(const input&) = delete;

  const std::string& name() const noexcept { return name_; }
  /// Returns the bytes read but not consumed. more() and need() move them.
  bytes buffered() const noexcept { return {buffer_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t n) noexcept {
    begin_ += n;
    offset_ += n;
  }
  /// Reads more. Returns false at the end of the input, or if the program is stopping.
  bool more();
  /// Returns the next n bytes, at most need_max, or nullptr if the input ends before.
  const std::uint8_t* need(std::size_t n);
  /// Skips n bytes. Returns false if the input ends before.
  bool skip(std::uint64_t n);
  /// Returns the number of bytes consumed so far.
  std::uint64_t offset() const noexcept { return offset_; }
  bool stopped() const noexcept { return stop_.stopped(); }

  static constexpr std::size_t need_max = 16 << 20;

 private:
  void reserve(std::size_t n);

  std::string name_;
  int fd_;
  const stopper& stop_;
  std::function<void()> before_wait_;
  std::size_t size_{256 << 10}, begin_{0}, end_{0};  // 0 <= begin_ <= end_ <= size_
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::uint64_t offset_{0};
};

}  // namespace rtbwire::tool
