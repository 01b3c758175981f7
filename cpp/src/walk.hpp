// The reference: RFC 8259 byte by byte, with the exact place of the first fault. The vector
// kernels only answer "certainly well-formed"; whatever else, this file gives the verdict.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rtbwire/scan.h"

namespace rtbwire {

/// One open container. For an object the raw bytes of the key last read, for an array the
/// index of the element being read.
struct frame {
  static constexpr std::uint32_t array = UINT32_MAX;
  std::uint32_t key_begin;  // array, or where the key's bytes begin
  std::uint32_t key_end;    // the key's end, or the index
};

struct walk_fault {
  rtbwire_error error;
  std::uint32_t offset;
};

/// Walks the whole packet and returns the first fault. frames has room for depth_max.
walk_fault walk(const std::uint8_t* packet, std::size_t size, frame* frames,
                std::uint32_t depth_max) noexcept;

/// Walks until the string that holds the raw offset match and describes it in verdict.
void locate(const std::uint8_t* packet, std::size_t size, frame* frames, std::uint32_t depth_max,
            std::size_t match, rtbwire_verdict* verdict) noexcept;

}  // namespace rtbwire
