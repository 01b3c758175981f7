#include "udp.hpp"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <ctime>

namespace rtbwire::tool {
namespace {

constexpr std::size_t messages = 64;         // per call of recvmmsg
constexpr std::size_t datagram_max = 65536;  // the longest, and one byte

struct address {
  sockaddr_storage storage{};
  socklen_t size{0};
};

address resolve(const std::string& text) {
  const std::string next = "; write --udp 127.0.0.1:9000, --udp '[::]:9000' or --udp :9000";
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) throw usage_error{"no port in '" + text + "'" + next};
  std::string host = text.substr(0, colon), port = text.substr(colon + 1);
  unsigned number = 0;
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.empty() || parsed.ec != std::errc{} || parsed.ptr != port.data() + port.size() ||
      number > 65535)
    throw usage_error{"no port between 0 and 65535 in '" + text + "'" + next};
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  const int failed =
      getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &hints, &found);
  if (failed != 0) throw input_error{"'" + host + "': " + gai_strerror(failed) + next};
  address a;
  std::memcpy(&a.storage, found->ai_addr, found->ai_addrlen);
  a.size = found->ai_addrlen;
  freeaddrinfo(found);
  return a;
}

bool try_bind(int fd, const address& to) noexcept {
  return bind(fd, reinterpret_cast<const sockaddr*>(&to.storage), to.size) == 0;
}

input_error bind_failure(const udp_settings& udp) {
  return system_failure("cannot bind " + udp.address,
                        errno == EACCES ? "ports below 1024 need CAP_NET_BIND_SERVICE"
                                        : "check that the address is local and the port is free");
}

// With SO_REUSEPORT the port could be shared with another program by mistake.
void check_port_is_free(const udp_settings& udp, const address& to) {
  const int fd = socket(to.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  const bool free = try_bind(fd, to);
  const int error = errno;
  close(fd);
  errno = error;
  if (!free) throw bind_failure(udp);
}

endpoint to_endpoint(const sockaddr_storage& from) noexcept {
  endpoint e;
  if (from.ss_family == AF_INET) {
    const auto& in = reinterpret_cast<const sockaddr_in&>(from);
    e.version = 4;
    e.port = ntohs(in.sin_port);
    std::memcpy(e.address.data(), &in.sin_addr, 4);
  } else if (from.ss_family == AF_INET6) {
    const auto& in = reinterpret_cast<const sockaddr_in6&>(from);
    e.version = 6;
    e.port = ntohs(in.sin6_port);
    std::memcpy(e.address.data(), &in.sin6_addr, 16);
  }
  return e;
}

std::int64_t now_ns() noexcept {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace

struct udp_listener::worker {
  worker(const address& to, const udp_settings& udp, const shared_engine& engine,
         const scan_settings& settings, ledger& all)
      : counts{all.open()}, judge_{engine, settings, counts}, batch_{messages * slot(settings)},
        slot_size{slot(settings)} {
    fd = socket(to.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) throw system_failure("socket", "check that this kernel has IPv4 and IPv6");
    const int on = 1;
    if (udp.threads > 1) setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
    // More than net.core.rmem_max needs CAP_NET_ADMIN.
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &udp.receive_buffer, sizeof(int)) != 0)
      setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &udp.receive_buffer, sizeof(int));
    if (!try_bind(fd, to)) {
      const auto failure = bind_failure(udp);
      close(fd);
      throw failure;
    }
    for (std::size_t i = 0; i < messages; ++i) {
      parts[i] = {batch_.buffer() + i * slot_size, slot_size};
      headers[i] = {};
      headers[i].msg_hdr.msg_name = &names[i];
      headers[i].msg_hdr.msg_iov = &parts[i];
      headers[i].msg_hdr.msg_iovlen = 1;
    }
  }
  ~worker() { close(fd); }
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  // A longer datagram is cut, and its verdict is "too large".
  static std::size_t slot(const scan_settings& settings) {
    return std::min<std::size_t>(settings.scanner.packet_max, datagram_max);
  }

  int receive() noexcept {
    for (std::size_t i = 0; i < messages; ++i) {
      headers[i].msg_hdr.msg_namelen = sizeof names[i];
      headers[i].msg_hdr.msg_control = control[i].data();
      headers[i].msg_hdr.msg_controllen = sizeof control[i];
    }
    // MSG_TRUNC returns the length of the datagram, not of the part that was kept.
    return recvmmsg(fd, headers.data(), messages, MSG_DONTWAIT | MSG_TRUNC, nullptr);
  }

  void drops(std::uint32_t total) noexcept {
    const std::uint32_t more = total - drops_seen;
    // The number comes from two sources, read at different times. It never decreases.
    if (static_cast<std::int32_t>(more) <= 0) return;
    counts.add(counter::dropped, more);
    drops_seen = total;
  }

  // Counts the drops since the last datagram, which no control message reports.
  void drops_of_socket() noexcept {
    std::array<std::uint32_t, SK_MEMINFO_VARS> info{};
    socklen_t size = sizeof info;
    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info.data(), &size) == 0 &&
        size > SK_MEMINFO_DROPS * sizeof info[0])
      drops(info[SK_MEMINFO_DROPS]);
  }

  // Stops queueing. The kernel counts later datagrams as dropped.
  void shut() noexcept {
    sock_filter none[] = {{BPF_RET | BPF_K, 0, 0, 0}};
    const sock_fprog program{1, none};
    setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
  }

  counters& counts;
  judge judge_;
  batch batch_;
  std::size_t slot_size;
  int fd{-1}, error{0};
  std::uint32_t drops_seen{0};
  std::uint64_t number{0};
  endpoint local;
  std::array<mmsghdr, messages> headers;
  std::array<iovec, messages> parts;
  std::array<sockaddr_storage, messages> names;
  struct alignas(cmsghdr) control_room : std::array<char, CMSG_SPACE(sizeof(std::uint32_t))> {};
  std::array<control_room, messages> control;
};

udp_listener::udp_listener(const udp_settings& udp, const shared_engine& engine,
                           const scan_settings& settings, ledger& all, line_sink& out,
                           stopper& stop)
    : out_{out}, stop_{stop} {
  address to = resolve(udp.address);
  check_port_is_free(udp, to);
  for (unsigned i = 0; i < udp.threads; ++i) {
    workers_.push_back(std::make_unique<worker>(to, udp, engine, settings, all));
    worker& w = *workers_.back();
    // If the port was 0, the next sockets use the port that this one got.
    getsockname(w.fd, reinterpret_cast<sockaddr*>(&to.storage), &to.size);
    w.local = to_endpoint(to.storage);
    w.number = i;
    port_ = w.local.port;
  }
}

udp_listener::~udp_listener() = default;

void udp_listener::work(worker& w) {
  bool shut = false;
  const std::uint64_t step = workers_.size();
  for (;;) {
    if (!shut && stop_.stopped()) {
      w.shut();
      shut = true;
    }
    const int n = w.receive();
    if (n <= 0) {
      const int error = n < 0 ? errno : EAGAIN;
      w.drops_of_socket();
      if (error == EINTR) continue;
      if (error != EAGAIN) {
        w.error = error;
        stop_.stop();
        break;
      }
      if (shut) break;
      stop_.wait(w.fd, 1000);
      continue;
    }
    const std::int64_t time = now_ns();
    w.batch_.clear();
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      msghdr& h = w.headers[i].msg_hdr;
      for (cmsghdr* c = CMSG_FIRSTHDR(&h); c != nullptr; c = CMSG_NXTHDR(&h, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_RXQ_OVFL) continue;
        std::uint32_t total;
        std::memcpy(&total, CMSG_DATA(c), sizeof total);
        w.drops(total);
      }
      // Threads count in steps of their number, so their packet numbers differ.
      w.number += step;
      w.counts.add(counter::received);
      if (w.headers[i].msg_len == 0) {
        w.counts.add(counter::skipped_empty);
        continue;
      }
      w.counts.add(counter::documents);
      document d;
      d.head.number = w.number - step + 1;
      d.head.time_ns = time;
      d.head.from = transport::udp;
      d.head.source = to_endpoint(w.names[i]);
      d.head.destination = w.local;
      d.size = w.headers[i].msg_len;
      d.data =
          d.size <= w.slot_size ? static_cast<const std::uint8_t*>(w.parts[i].iov_base) : nullptr;
      w.batch_.documents.push_back(d);
    }
    w.judge_(w.batch_);
    if (!out_.write(w.batch_.text.text())) stop_.stop();
  }
  w.drops_of_socket();
}

void udp_listener::run() {
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers_.size(); ++i)
    threads.emplace_back([this, i] { work(*workers_[i]); });
  work(*workers_[0]);
  for (std::thread& t : threads) t.join();
  for (const auto& w : workers_) {
    if (w->error == 0) continue;
    errno = w->error;
    throw system_failure("cannot receive any more", "restart the program");
  }
}

}  // namespace rtbwire::tool
