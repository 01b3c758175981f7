// Signals, the line of --stats, and the service manager. One thread waits for signals; there is no
// signal handler.
#pragma once

#include <functional>
#include <string_view>
#include <thread>

#include "stop.hpp"

namespace rtbwire::tool {

/// Blocks the signals that control reads, for this thread and those it starts. Also blocks SIGPIPE,
/// so that a write to a closed pipe returns an error.
void block_signals();

class control {
 public:
  struct handlers {
    std::function<void()> stop;    // the first SIGTERM or SIGINT
    std::function<void()> report;  // SIGUSR1
    std::function<void()> tick;    // every second, if set
  };
  explicit control(handlers on);
  ~control();
  control(const control&) = delete;
  control& operator=(const control&) = delete;

 private:
  void work();

  handlers on_;
  stopper end_;
  int signals_;
  std::thread thread_;
};

/// Sends a state such as "READY=1" to the service manager that NOTIFY_SOCKET names, if any.
void notify_manager(std::string_view state) noexcept;

}  // namespace rtbwire::tool
