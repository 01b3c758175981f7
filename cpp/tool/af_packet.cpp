#include "af_packet.hpp"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace rtbwire::tool {
namespace {

constexpr std::size_t block_size = 1 << 20;
constexpr unsigned block_timeout_ms = 50;  // until a block that is not full is read

}  // namespace

interface_listener::interface_listener(const std::string& name, std::size_t ring_bytes,
                                       bool promiscuous)
    : block_count_{std::max<std::size_t>(4, (ring_bytes + block_size - 1) / block_size)},
      link_{link_ethernet} {
  const auto fail = [&](const char* what, const std::string& next) {
    const auto failure = system_failure(std::string{what} + " " + name, next);
    if (ring_ != nullptr) munmap(ring_, block_count_ * block_size);
    if (fd_ >= 0) close(fd_);
    throw failure;
  };
  const unsigned index = if_nametoindex(name.c_str());
  if (index == 0) fail("no interface", "ip link lists the interfaces");
  // Without a protocol, nothing is received before the ring exists.
  fd_ = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
  if (fd_ < 0)
    fail("cannot listen on",
         "run as root, or give the program CAP_NET_RAW (setcap cap_net_raw+ep rtbwire-scan)");

  ifreq request{};
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  if (ioctl(fd_, SIOCGIFHWADDR, &request) != 0)
    fail("cannot query", "does the interface still exist?");
  switch (request.ifr_hwaddr.sa_family) {
    case ARPHRD_ETHER: break;
    case ARPHRD_LOOPBACK: loopback_ = true; break;
    case ARPHRD_NONE:
    case ARPHRD_PPP: link_ = link_raw; break;
    default:
      errno = EPROTONOSUPPORT;
      fail("neither Ethernet nor raw IP:", "capture with another program and scan the file");
  }

  const int version = TPACKET_V3;
  if (setsockopt(fd_, SOL_PACKET, PACKET_VERSION, &version, sizeof version) != 0)
    fail("no TPACKET_V3 for", "it needs Linux 3.2 or later");
  tpacket_req3 ring{};
  ring.tp_block_size = block_size;
  ring.tp_block_nr = static_cast<unsigned>(block_count_);
  ring.tp_frame_size = TPACKET_ALIGNMENT << 7;
  ring.tp_frame_nr = static_cast<unsigned>(block_count_ * (block_size / ring.tp_frame_size));
  ring.tp_retire_blk_tov = block_timeout_ms;
  if (setsockopt(fd_, SOL_PACKET, PACKET_RX_RING, &ring, sizeof ring) != 0)
    fail("no ring for", "lower --ring");
  void* const map =
      mmap(nullptr, block_count_ * block_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (map == MAP_FAILED) fail("cannot map the ring of", "lower --ring");
  ring_ = static_cast<std::uint8_t*>(map);

  if (promiscuous) {
    packet_mreq member{};
    member.mr_ifindex = static_cast<int>(index);
    member.mr_type = PACKET_MR_PROMISC;
    if (setsockopt(fd_, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &member, sizeof member) != 0)
      fail("no promiscuous mode on", "remove --promiscuous");
  }
  sockaddr_ll to{};
  to.sll_family = AF_PACKET;
  to.sll_protocol = htons(ETH_P_ALL);
  to.sll_ifindex = static_cast<int>(index);
  if (bind(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    fail("cannot bind to", "is the interface up?");
}

interface_listener::~interface_listener() {
  munmap(ring_, block_count_ * block_size);
  close(fd_);
}

// Adds the drops since the last call.
void interface_listener::statistics(counters& counts) noexcept {
  tpacket_stats_v3 s{};
  socklen_t size = sizeof s;
  if (getsockopt(fd_, SOL_PACKET, PACKET_STATISTICS, &s, &size) == 0)
    counts.add(counter::dropped, s.tp_drops);
}

bool interface_listener::take_block(intake& to) {
  auto* const block = reinterpret_cast<tpacket_block_desc*>(ring_ + block_ * block_size);
  std::atomic_ref<std::uint32_t> status{block->hdr.bh1.block_status};
  if ((status.load(std::memory_order_acquire) & TP_STATUS_USER) == 0) return false;
  const std::uint8_t* at =
      reinterpret_cast<const std::uint8_t*>(block) + block->hdr.bh1.offset_to_first_pkt;
  for (std::uint32_t i = 0; i < block->hdr.bh1.num_pkts; ++i) {
    const auto* const h = reinterpret_cast<const tpacket3_hdr*>(at);
    const auto* const link =
        reinterpret_cast<const sockaddr_ll*>(at + TPACKET_ALIGN(sizeof(tpacket3_hdr)));
    document_head head;
    head.number = ++number_;
    head.time_ns = std::int64_t{h->tp_sec} * 1'000'000'000 + h->tp_nsec;
    if (loopback_ && link->sll_pkttype == PACKET_OUTGOING) {
      to.counts().add(counter::received);
      to.counts().add(counter::skipped_loopback_copy);
    } else {
      to.take({{at + h->tp_mac, h->tp_snaplen}, h->tp_len, head.time_ns, link_}, head);
    }
    at += h->tp_next_offset;
  }
  status.store(TP_STATUS_KERNEL, std::memory_order_release);
  block_ = (block_ + 1) % block_count_;
  return true;
}

void interface_listener::run(intake& to, pipeline& documents, const stopper& stop) {
  int error = 0;
  while (!stop.stopped() && error == 0) {
    if (take_block(to)) continue;
    statistics(to.counts());
    documents.flush();
    if (!stop.wait(fd_, 1000)) continue;
    // The wait also ends with an error.
    socklen_t size = sizeof error;
    getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  // The filter keeps new frames out of the ring, and the kernel does not count them as dropped. The
  // last block can be read after its timeout.
  sock_filter none[] = {{BPF_RET | BPF_K, 0, 0, 0}};
  const sock_fprog program{1, none};
  setsockopt(fd_, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
  for (int quiet = 0; quiet < 3; ++quiet) {
    while (take_block(to)) quiet = 0;
    poll(nullptr, 0, block_timeout_ms);
  }
  while (take_block(to)) {
  }
  statistics(to.counts());
  if (error == 0) return;
  errno = error;
  throw system_failure("the interface failed", "bring it up and restart the program");
}

}  // namespace rtbwire::tool
