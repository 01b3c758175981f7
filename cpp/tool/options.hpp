// The command line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "intake.hpp"
#include "pipeline.hpp"
#include "stats.hpp"
#include "udp.hpp"

namespace rtbwire::tool {

struct settings {
  enum class what { scan, help, version, list_patterns };
  what action{what::scan};
  std::vector<std::string> files;
  bool ndjson{false};
  std::string interface;
  bool promiscuous{false};
  std::uint32_t ring_bytes{16 << 20};
  udp_settings udp;
  scan_settings scan;
  intake_settings intake;
  bool candidates_set{false};
  unsigned threads{0};  // 0: one per processor, at most 8
  bool stats{false};
  summary_format summary{summary_format::text};
};

/// Throws usage_error.
settings parse_options(std::span<const std::string_view> arguments);

std::string help();

/// Parses a number with an optional suffix K, M or G (powers of 1024). Throws usage_error.
std::uint32_t parse_size(std::string_view option, std::string_view text, std::uint32_t min,
                         std::uint32_t max);

}  // namespace rtbwire::tool
