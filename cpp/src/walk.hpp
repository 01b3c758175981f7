// What walking a packet needs and finds (walk-inl.hpp).
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

}  // namespace rtbwire
