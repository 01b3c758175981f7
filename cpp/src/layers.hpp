// What one step of the further decodings (layers-inl.hpp) takes and returns.
#pragma once

#include <cstddef>

namespace rtbwire {

/// What becomes of white space and comments.
struct squeezing {
  bool drop;   // they vanish; otherwise a run becomes one space
  bool signs;  // of a comment only its signs count as white space, not what is between them
};

struct layered {
  std::size_t size;
  bool changed;
  bool droppable;      // while squeezing: the text has control characters or comments
  bool commented;      // while squeezing: the text has signs that begin a comment
  std::size_t origin;  // where the byte at position wanted was before the step
};

}  // namespace rtbwire
