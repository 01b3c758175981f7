// What the walk of a packet (walk-inl.hpp) needs and returns.
#pragma once

#include "bytes.hpp"
#include "rtbwire/scan.h"

namespace rtbwire {

/// One open container. For an object the raw bytes of the key last read, for an array the index
/// of the element being read.
struct frame {
  static constexpr u32 array = UINT32_MAX;
  u32 key_begin;  // array, or where the key's bytes begin
  u32 key_end;    // the key's end, or the index
};

struct walk_fault {
  rtbwire_error error;
  u32 offset;
};

}  // namespace rtbwire
