// A line is a packet.
#pragma once

#include "input.hpp"
#include "pipeline.hpp"

namespace rtbwire::tool {

/// Lines end with LF or CRLF, the last one also with the input. Blank ones are skipped.
void scan_lines(input& in, document_sink& to, counters& counts, std::size_t longest, const char* file);

}  // namespace rtbwire::tool
