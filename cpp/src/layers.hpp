// What a step of further decodings makes of the text (layers-inl.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace rtbwire {

struct layered {
  std::size_t size;
  bool changed;
  bool droppable;      // with squeeze on: there are control characters or comments
  std::size_t origin;  // where in the old text the byte at position wanted came from
};

}  // namespace rtbwire
