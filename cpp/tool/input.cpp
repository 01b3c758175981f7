#include "input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rtbwire::tool {

input::input(const std::string& path, const stopper& stop, std::function<void()> before_wait)
    : name_{path == "-" ? "standard input" : path},
      fd_{path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)}, stop_{stop},
      before_wait_{std::move(before_wait)}, buffer_{new std::uint8_t[size_]} {
  if (fd_ < 0) throw system_failure("cannot open " + path, "check the name and the permissions");
}

input::~input() {
  if (fd_ != STDIN_FILENO) close(fd_);
}

// Makes room for n bytes from begin_ on, and for at least one new byte.
void input::reserve(std::size_t n) {
  n = std::max(n, end_ - begin_ + 1);
  if (begin_ + n <= size_) return;
  if (n > size_) {
    const std::size_t size = std::max(n, 2 * size_);
    std::unique_ptr<std::uint8_t[]> larger{new std::uint8_t[size]};
    std::memcpy(larger.get(), buffer_.get() + begin_, end_ - begin_);
    buffer_ = std::move(larger);
    size_ = size;
  } else {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  }
  end_ -= begin_;
  begin_ = 0;
}

bool input::more() {
  if (begin_ == end_) begin_ = end_ = 0;
  reserve(0);
  for (;;) {
    if (stop_.stopped()) return false;
    if (!stop_.wait(fd_, 0)) {
      if (before_wait_) before_wait_();
      if (!stop_.wait(fd_, -1)) continue;
    }
    const ssize_t n = read(fd_, buffer_.get() + end_, size_ - end_);
    if (n > 0) {
      end_ += static_cast<std::size_t>(n);
      return true;
    }
    if (n == 0) return false;
    if (errno == EISDIR) throw input_error{name_ + " is a folder; name a file"};
    if (errno != EINTR && errno != EAGAIN)
      throw system_failure("cannot read " + name_, "check the file system");
  }
}

const std::uint8_t* input::need(std::size_t n) {
  if (end_ - begin_ < n) reserve(n);
  while (end_ - begin_ < n)
    if (!more()) return nullptr;
  return buffer_.get() + begin_;
}

bool input::skip(std::uint64_t n) {
  while (n > 0) {
    if (begin_ == end_ && !more()) return false;
    const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(n, end_ - begin_));
    consume(now);
    n -= now;
  }
  return true;
}

}  // namespace rtbwire::tool
