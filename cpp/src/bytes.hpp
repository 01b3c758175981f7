// The integers that the scanner works on, by their short names, and a set of bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rtbwire {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct byte_set {
  u8 has[256];
};

}  // namespace rtbwire
