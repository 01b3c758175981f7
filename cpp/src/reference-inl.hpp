// What every kernel does in the same way, with its own way to skip plain bytes: struct skip, defined
// by the including file, which is in the kernel's namespace.

walk_fault walk(const std::uint8_t* packet, std::size_t size, frame* frames, std::uint32_t depth_max,
                bool utf8) noexcept {
  return walk_packet<skip>(packet, size, frames, depth_max, utf8);
}

void locate(const std::uint8_t* packet, std::size_t size, frame* frames, std::uint32_t depth_max,
            std::size_t match, bool utf8, rtbwire_verdict* verdict) noexcept {
  locate_in_packet<skip>(packet, size, frames, depth_max, match, utf8, verdict);
}

layered apply_layers(std::uint8_t* text, std::size_t size, std::uint32_t layers, squeezing how,
                     std::size_t wanted) noexcept {
  return decode_layers<skip>(text, size, layers, how, wanted);
}
