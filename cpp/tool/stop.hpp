// A request to stop, which wakes all threads that wait for input.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>

#include "errors.hpp"

namespace rtbwire::tool {

class stopper {
 public:
  stopper() : fd_{eventfd(0, EFD_CLOEXEC)} {
    if (fd_ < 0) throw system_failure("eventfd", "raise the limit of open files (ulimit -n)");
  }
  ~stopper() { close(fd_); }
  stopper(const stopper&) = delete;
  stopper& operator=(const stopper&) = delete;

  void stop() noexcept {
    stopped_.store(true, std::memory_order_release);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = write(fd_, &one, sizeof one);
  }
  bool stopped() const noexcept { return stopped_.load(std::memory_order_acquire); }

  /// Waits until fd is readable, stop() is called, or ms milliseconds have passed (-1: no limit).
  /// Returns true if fd is readable or has failed; read() then returns the error.
  bool wait(int fd, int ms) const noexcept {
    pollfd both[2] = {{fd, POLLIN, 0}, {fd_, POLLIN, 0}};
    return poll(both, 2, ms) > 0 && both[0].revents != 0;
  }

 private:
  int fd_;
  std::atomic<bool> stopped_{false};
};

}  // namespace rtbwire::tool
