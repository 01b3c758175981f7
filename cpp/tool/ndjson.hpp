// Lines of JSON: each line is a packet.
#pragma once

#include "input.hpp"
#include "pipeline.hpp"

namespace rtbwire::tool {

/// Reads lines that end in LF, CRLF or the end of the input. Blank lines are skipped.
void scan_lines(input& in, document_sink& to, counters& counts, std::size_t longest,
                const char* file);

}  // namespace rtbwire::tool
