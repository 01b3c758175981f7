// What a step of further decodings makes of the text (layers-inl.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace rtbwire {

// What becomes of white space and comments.
struct squeezing {
  bool drop;   // nothing, instead of one space
  bool signs;  // of a comment only its signs are white space, not what is between them
};

struct layered {
  std::size_t size;
  bool changed;
  bool droppable;      // with squeeze on: there are control characters or comments
  bool commented;      // or signs that begin a comment
  std::size_t origin;  // where in the old text the byte at position wanted came from
};

}  // namespace rtbwire
