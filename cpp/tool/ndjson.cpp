#include "ndjson.hpp"

#include <cstring>

namespace rtbwire::tool {
namespace {

bool blank(bytes line) noexcept {
  for (const std::uint8_t c : line)
    if (c != ' ' && c != '\t' && c != '\r') return false;
  return true;
}

}  // namespace

void scan_lines(input& in, document_sink& to, counters& counts, std::size_t longest,
                const char* file) {
  document_head head;
  head.file = file;
  const auto take = [&](bytes line) {
    ++head.number;
    counts.add(counter::received);
    if (!line.empty() && line.back() == '\r') line = line.first(line.size() - 1);
    if (blank(line)) return counts.add(counter::skipped_empty);
    counts.add(counter::documents);
    to.document(head, line);
  };
  // A line that is too long is not kept, only its length.
  const auto take_long = [&](std::uint64_t size) {
    ++head.number;
    counts.add(counter::received);
    counts.add(counter::documents);
    to.too_large(head, size);
  };
  std::uint64_t passed = 0;  // bytes of a line that is too long
  std::size_t searched = 0;
  for (;;) {
    const bytes have = in.buffered();
    const void* const lf = have.size() > searched
                               ? std::memchr(have.data() + searched, '\n', have.size() - searched)
                               : nullptr;
    if (lf != nullptr) {
      const auto size =
          static_cast<std::size_t>(static_cast<const std::uint8_t*>(lf) - have.data());
      if (passed > 0) take_long(passed + size);
      else take(have.first(size));
      in.consume(size + 1);
      passed = searched = 0;
      continue;
    }
    searched = have.size();
    // One more for a CR, which is not part of the line.
    if (searched > longest + 1) {
      passed += searched;
      in.consume(searched);
      searched = 0;
    }
    if (in.more()) continue;
    // A line that was only partly read when the program stopped does not count.
    if (in.stopped()) return;
    if (passed > 0) take_long(passed + in.buffered().size());
    else if (!in.buffered().empty()) take(in.buffered());
    in.consume(in.buffered().size());
    return;
  }
}

}  // namespace rtbwire::tool
