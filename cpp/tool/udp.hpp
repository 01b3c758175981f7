// Live UDP. Each thread has its own socket, scanner and batch.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "pipeline.hpp"

namespace rtbwire::tool {

struct udp_settings {
  std::string address;  // "127.0.0.1:9000", "[::]:9000", ":9000"
  int receive_buffer{4 << 20};
  unsigned threads{1};
};

class udp_listener {
 public:
  /// Opens the sockets. From here on datagrams are queued.
  udp_listener(const udp_settings& udp, const shared_engine& engine, const scan_settings& settings,
               ledger& all, line_sink& out, stopper& stop);
  ~udp_listener();
  udp_listener(const udp_listener&) = delete;
  udp_listener& operator=(const udp_listener&) = delete;

  /// Receives until stop, and then what is queued. A filter first closes the sockets to new
  /// datagrams, which the kernel counts as dropped, so every datagram is counted. Throws
  /// input_error if a socket fails; what was received before is counted.
  void run();
  std::uint16_t port() const noexcept { return port_; }

 private:
  struct worker;
  void work(worker& w);

  line_sink& out_;
  stopper& stop_;
  std::uint16_t port_{0};
  std::vector<std::unique_ptr<worker>> workers_;
};

}  // namespace rtbwire::tool
