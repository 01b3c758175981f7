// Further decodings of the text, for payloads that are encoded once more than JSON does.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rtbwire {

struct layered {
  std::size_t size;
  bool changed;
  std::size_t origin;  // where in the old text the byte at position wanted came from
};

/// Decodes text in place by one step of every layer; no step makes it longer. With squeeze
/// on, drop says whether white space and comments become one space or nothing.
layered apply_layers(std::uint8_t* text, std::size_t size, std::uint32_t layers, bool drop,
                     std::size_t wanted) noexcept;

}  // namespace rtbwire
