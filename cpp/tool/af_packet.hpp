// Frames from a network interface, through a ring that the kernel fills (TPACKET_V3).
#pragma once

#include <string>

#include "intake.hpp"
#include "stop.hpp"

namespace rtbwire::tool {

class interface_listener {
 public:
  /// ring_bytes is rounded up to blocks of 1 MiB, at least four.
  interface_listener(const std::string& name, std::size_t ring_bytes, bool promiscuous);
  ~interface_listener();
  interface_listener(const interface_listener&) = delete;
  interface_listener& operator=(const interface_listener&) = delete;

  /// Reads frames until stop, and then those in the ring. Throws input_error if the interface fails
  /// or goes down, after it has read what was in the ring.
  void run(intake& to, pipeline& documents, const stopper& stop);

 private:
  bool take_block(intake& to);
  void statistics(counters& counts) noexcept;

  int fd_{-1};
  std::uint8_t* ring_{nullptr};
  std::size_t block_count_{0}, block_{0};
  std::uint64_t number_{0};
  std::uint32_t link_;
  bool loopback_{false};
};

}  // namespace rtbwire::tool
