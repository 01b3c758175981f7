// The reference: RFC 8259 byte by byte, with the exact place of the first fault. It decides about
// every packet that the rest of a kernel does not accept.
//
// Organised bottom up: strings and their parts, scalars, containers.
#pragma once

#include "escape-inl.hpp"
#include "pointer-inl.hpp"
#include "walk.hpp"

namespace rtbwire {
namespace {

// Skip::plain(p, only_ascii) returns how many bytes of a string from p on need no check of their
// own. It may read up to packet_back bytes after the packet.
template <class Skip>
class walker final {
 public:
  walker(const u8* packet, std::size_t size, frame* frames, u32 depth_max, std::size_t match,
         bool is_utf8, rtbwire_verdict* verdict) noexcept
      : in_{packet}, size_{size}, frames_{frames}, depth_max_{depth_max}, match_{match},
        unchecked_{!is_utf8}, verdict_{verdict} {}

  walk_fault run() noexcept {
    if (has_bom()) return {RTBWIRE_ERROR_BOM, 0};
    skip_space();
    if (at_ == size_) return {RTBWIRE_ERROR_EMPTY, static_cast<u32>(at_)};
    if (document()) skip_space();
    if (fault_ == RTBWIRE_ERROR_NONE && at_ < size_ && !located_) fail(RTBWIRE_ERROR_TRAILING);
    return {fault_, static_cast<u32>(at_)};
  }

 private:
  static bool is_digit(u8 c) noexcept { return c >= '0' && c <= '9'; }

  // Each function below advances at_ past what it read and returns true, or sets fault_, leaves
  // at_ at the offset to report, and returns false.

  bool fail(rtbwire_error error) noexcept {
    fault_ = at_ >= size_ ? RTBWIRE_ERROR_TRUNCATED : error;
    return false;
  }

  bool has_bom() const noexcept {
    return size_ >= 3 && in_[0] == 0xef && in_[1] == 0xbb && in_[2] == 0xbf;
  }

  void skip_space() noexcept {
    while (at_ < size_ &&
           (in_[at_] == ' ' || in_[at_] == '\t' || in_[at_] == '\n' || in_[at_] == '\r'))
      ++at_;
  }

  bool hex4(u32* value) noexcept {
    *value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const int digit = at_ < size_ ? hex_value(in_[at_]) : -1;
      if (digit < 0) return fail(RTBWIRE_ERROR_ESCAPE);
      *value = *value << 4 | static_cast<u32>(digit);
    }
    return true;
  }

  bool escape() noexcept {
    const std::size_t begin = at_++;
    if (at_ >= size_) return fail(RTBWIRE_ERROR_ESCAPE);
    switch (in_[at_]) {
      case '"':
      case '\\':
      case '/':
      case 'b':
      case 'f':
      case 'n':
      case 'r':
      case 't': ++at_; return true;
      case 'u': break;
      default: return fail(RTBWIRE_ERROR_ESCAPE);
    }
    ++at_;
    u32 unit = 0;
    if (!hex4(&unit)) return false;
    if (unit < 0xd800 || unit > 0xdfff) return true;
    if (unit < 0xdc00) {
      // The other half must follow at once. A packet that ends before it is truncated.
      if (at_ >= size_) return fail(RTBWIRE_ERROR_SURROGATE);
      if (in_[at_] == '\\' && (++at_ >= size_ || in_[at_] == 'u')) {
        if (at_ >= size_) return fail(RTBWIRE_ERROR_SURROGATE);
        ++at_;
        u32 low = 0;
        if (!hex4(&low)) return false;
        if (low >= 0xdc00 && low <= 0xdfff) return true;
      }
    }
    at_ = begin;
    return fail(RTBWIRE_ERROR_SURROGATE);
  }

  // One character above U+007F, by the table of RFC 3629 section 4.
  bool utf8() noexcept {
    const std::size_t begin = at_;
    const u8 lead = in_[at_];
    u8 low = 0x80, high = 0xbf;
    int more = 0;
    if (lead >= 0xc2 && lead <= 0xdf) {
      more = 1;
    } else if (lead >= 0xe0 && lead <= 0xef) {
      more = 2;
      if (lead == 0xe0) low = 0xa0;
      if (lead == 0xed) high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      more = 3;
      if (lead == 0xf0) low = 0x90;
      if (lead == 0xf4) high = 0x8f;
    } else {
      return fail(RTBWIRE_ERROR_UTF8);
    }
    ++at_;
    for (; more > 0; --more, ++at_) {
      if (at_ >= size_) return fail(RTBWIRE_ERROR_TRUNCATED);
      if (in_[at_] < low || in_[at_] > high) {
        at_ = begin;
        return fail(RTBWIRE_ERROR_UTF8);
      }
      low = 0x80;
      high = 0xbf;
    }
    return true;
  }

  // at_ is at the quote. begin and end become the bytes between the quotes.
  bool string(u32* begin, u32* end) noexcept {
    *begin = static_cast<u32>(++at_);
    bool ok = true;
    while (ok) {
      at_ += Skip::plain(in_ + at_, unchecked_);
      if (at_ >= size_) {
        at_ = size_;
        ok = fail(RTBWIRE_ERROR_TRUNCATED);
        break;
      }
      const u8 c = in_[at_];
      if (c == '"') break;
      if (c == '\\') ok = escape();
      else if (c < 0x20) ok = fail(RTBWIRE_ERROR_CONTROL);
      else if (c < 0x80 || !unchecked_) ++at_;
      else ok = utf8();
    }
    *end = static_cast<u32>(at_);
    if (ok) ++at_;
    // Where an invalid string ends is unknown, so everything after it counts as part of it.
    holds_match_ = verdict_ != nullptr && match_ >= *begin && (!ok || match_ < *end);
    return ok;
  }

  bool digits() noexcept {
    if (at_ >= size_ || !is_digit(in_[at_])) return fail(RTBWIRE_ERROR_NUMBER);
    while (at_ < size_ && is_digit(in_[at_])) ++at_;
    return true;
  }

  bool number() noexcept {
    if (in_[at_] == '-') ++at_;
    if (at_ < size_ && in_[at_] == '0') {
      ++at_;
      if (at_ < size_ && is_digit(in_[at_])) return fail(RTBWIRE_ERROR_NUMBER);
    } else if (!digits()) {
      return false;
    }
    if (at_ < size_ && in_[at_] == '.') {
      ++at_;
      if (!digits()) return false;
    }
    if (at_ < size_ && (in_[at_] | 0x20) == 'e') {
      ++at_;
      if (at_ < size_ && (in_[at_] == '+' || in_[at_] == '-')) ++at_;
      if (!digits()) return false;
    }
    return true;
  }

  bool literal(const char* text) noexcept {
    for (; *text != '\0'; ++text, ++at_)
      if (at_ >= size_ || in_[at_] != static_cast<u8>(*text)) return fail(RTBWIRE_ERROR_SYNTAX);
    return true;
  }

  // A key, its colon, and the white space before the value.
  bool key() noexcept {
    if (at_ >= size_ || in_[at_] != '"') return fail(RTBWIRE_ERROR_SYNTAX);
    frame& top = frames_[depth_ - 1];
    if (!string(&top.key_begin, &top.key_end)) {
      if (holds_match_) found(true);
      return false;
    }
    if (holds_match_) {
      found(true);
      return false;
    }
    skip_space();
    if (at_ >= size_ || in_[at_] != ':') return fail(RTBWIRE_ERROR_SYNTAX);
    ++at_;
    skip_space();
    return true;
  }

  // A string, number or literal.
  bool scalar() noexcept {
    u32 begin = 0, end = 0;
    bool ok = false;
    switch (in_[at_]) {
      case '"':
        ok = string(&begin, &end);
        if (!holds_match_) return ok;
        found(false);
        return false;
      case 't': return literal("true");
      case 'f': return literal("false");
      case 'n': return literal("null");
      default:
        if (in_[at_] == '-' || is_digit(in_[at_])) return number();
        return fail(RTBWIRE_ERROR_SYNTAX);
    }
  }

  bool open(bool object) noexcept {
    if (depth_ == depth_max_) return fail(RTBWIRE_ERROR_DEPTH);
    ++at_;
    frames_[depth_++] = object ? frame{0, 0} : frame{frame::array, 0};
    skip_space();
    return true;
  }

  // Reads values until the outermost one is complete; depth_ replaces recursion.
  bool document() noexcept {
    for (;;) {
      if (at_ >= size_) return fail(RTBWIRE_ERROR_TRUNCATED);
      const u8 c = in_[at_];
      if (c == '{' || c == '[') {
        if (!open(c == '{')) return false;
        if (at_ < size_ && in_[at_] == c + 2) {  // in ASCII, '}' and ']' are 2 after '{' and '['
          --depth_;
          ++at_;
        } else {
          if (c == '{' && !key()) return false;
          continue;
        }
      } else if (!scalar()) {
        return false;
      }
      if (!after_value()) return fault_ == RTBWIRE_ERROR_NONE && !located_;
    }
  }

  // Closes the containers that end here. Returns true if another value follows.
  bool after_value() noexcept {
    for (;;) {
      if (depth_ == 0) return false;
      skip_space();
      frame& top = frames_[depth_ - 1];
      const bool array = top.key_begin == frame::array;
      if (at_ >= size_) return fail(RTBWIRE_ERROR_TRUNCATED);
      if (in_[at_] == (array ? ']' : '}')) {
        --depth_;
        ++at_;
        continue;
      }
      if (in_[at_] != ',') return fail(RTBWIRE_ERROR_SYNTAX);
      ++at_;
      skip_space();
      if (!array) return key();
      ++top.key_end;
      return true;
    }
  }

  // Reports the value or key just read as the one that contains the match.
  void found(bool in_key) noexcept {
    located_ = true;
    write_pointer(in_, frames_, depth_, verdict_);
    verdict_->match_in_key = in_key;
  }

  const u8* in_;
  std::size_t size_;
  std::size_t at_{0};
  frame* frames_;
  u32 depth_{0};
  u32 depth_max_;
  rtbwire_error fault_{RTBWIRE_ERROR_NONE};
  std::size_t match_;  // raw offset to locate
  bool unchecked_;     // the packet is not yet known to be UTF-8
  rtbwire_verdict* verdict_;
  bool holds_match_{false};
  bool located_{false};
};

template <class Skip>
walk_fault walk(const u8* packet, std::size_t size, frame* frames, u32 depth_max,
                bool is_utf8) noexcept {
  return walker<Skip>{packet, size, frames, depth_max, SIZE_MAX, is_utf8, nullptr}.run();
}

template <class Skip>
void locate(const u8* packet, std::size_t size, frame* frames, u32 depth_max, std::size_t match,
            bool is_utf8, rtbwire_verdict* verdict) noexcept {
  (void)walker<Skip>{packet, size, frames, depth_max, match, is_utf8, verdict}.run();
}

}  // namespace
}  // namespace rtbwire
