// Bytes of a file or pipe, in blocks of 256 KiB.
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
  /// Opens a file; "-" is standard input. before_wait is called before a read that may wait.
  input(const std::string& path, const stopper& stop, std::function<void()> before_wait);
  ~input();
  input(const input&) = delete;
  input& operator=(const input&) = delete;

  const std::string& name() const noexcept { return name_; }
  /// What was read and not consumed yet. more() and need() move it.
  bytes buffered() const noexcept { return {room_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t n) noexcept {
    begin_ += n;
    offset_ += n;
  }
  /// Reads on; false at the end of the input, or when the program is to stop.
  bool more();
  /// The next n bytes, nullptr when the input ends before. n is at most need_max.
  const std::uint8_t* need(std::size_t n);
  /// Passes over n bytes; false when the input ends before.
  bool skip(std::uint64_t n);
  /// Bytes consumed so far: where the next one is in the input.
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
  std::unique_ptr<std::uint8_t[]> room_;
  std::uint64_t offset_{0};
};

}  // namespace rtbwire::tool
