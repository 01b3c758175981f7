#include "control.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace rtbwire::tool {
namespace {

sigset_t control_signals() noexcept {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&set, s);
  return set;
}

}  // namespace

void block_signals() {
  sigset_t set = control_signals();
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

control::control(handlers on) : on_{std::move(on)} {
  const sigset_t set = control_signals();
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals_ < 0) throw system_failure("signalfd", "raise the limit of open files (ulimit -n)");
  thread_ = std::thread{[this] { work(); }};
}

control::~control() {
  end_.stop();
  thread_.join();
  close(signals_);
}

void control::work() {
  using clock = std::chrono::steady_clock;
  auto next = clock::now() + std::chrono::seconds{1};
  bool stopping = false;
  while (!end_.stopped()) {
    int wait = -1;
    if (on_.tick) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now()).count();
      wait = static_cast<int>(std::max<decltype(left)>(left, 0));
    }
    if (end_.wait(signals_, wait)) {
      signalfd_siginfo info;
      if (read(signals_, &info, sizeof info) != sizeof info) continue;
      if (info.ssi_signo == SIGUSR1) {
        on_.report();
      } else if (!stopping) {
        stopping = true;
        on_.stop();
      } else {
        // The second request: something blocks, such as a pipe without a reader.
        _exit(128 + static_cast<int>(info.ssi_signo));
      }
    }
    if (on_.tick && clock::now() >= next && !end_.stopped()) {
      on_.tick();
      next += std::chrono::seconds{1};
    }
  }
}

void notify_manager(std::string_view state) noexcept {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  const std::size_t size = path == nullptr ? 0 : std::strlen(path);
  if (size < 2 || size >= sizeof to.sun_path) return;
  std::memcpy(to.sun_path, path, size);
  if (to.sun_path[0] == '@') to.sun_path[0] = '\0';  // a name without a file
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  sendto(fd, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to),
         static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size));
  close(fd);
}

}  // namespace rtbwire::tool
