// The reference: RFC 8259 byte by byte, with the exact place of the first fault. Whatever the rest
// of a kernel does not accept, this file judges. Included by every kernel, like escape-inl.hpp;
// they differ only in how they skip the plain bytes of strings.
//
// Organised bottom up: strings and their parts, scalars, containers, JSON Pointer.

// Skip: a function of the first of some bytes of a string that says how many of them need no look
// of their own. It may read up to packet_back bytes behind the packet.
template <class Skip>
class walker final {
 public:
  walker(const u8* packet, std::size_t size, frame* frames, u32 depth_max, std::size_t match, bool utf8,
         rtbwire_verdict* verdict) noexcept
      : in_{packet}, size_{size}, frames_{frames}, depth_max_{depth_max}, match_{match},
        unchecked_{!utf8}, verdict_{verdict} {}

  walk_fault run() noexcept {
    if (document()) skip_space();
    if (fault_ == RTBWIRE_ERROR_NONE && at_ < size_ && !located_) fail(RTBWIRE_ERROR_TRAILING_BYTES);
    return {fault_, static_cast<u32>(at_)};
  }

 private:
  static bool is_digit(u8 c) noexcept { return c >= '0' && c <= '9'; }

  // Each of these leaves at_ behind what it read and returns true, or at the first byte
  // that could not be accepted, sets fault_ and returns false.

  bool fail(rtbwire_error error) noexcept {
    fault_ = at_ >= size_ ? RTBWIRE_ERROR_TRUNCATED : error;
    return false;
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
      case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't':
        ++at_;
        return true;
      case 'u':
        break;
      default:
        return fail(RTBWIRE_ERROR_ESCAPE);
    }
    ++at_;
    u32 unit = 0;
    if (!hex4(&unit)) return false;
    if (unit < 0xd800 || unit > 0xdfff) return true;
    if (unit < 0xdc00) {
      // The other half has to follow at once. A packet that ends before it could is truncated.
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

  // One character above U+007F: the table of RFC 3629 section 4.
  bool utf8() noexcept {
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
      if (at_ >= size_ || in_[at_] < low || in_[at_] > high) return fail(RTBWIRE_ERROR_UTF8);
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
    // In a string that goes wrong nobody knows where it ends: all that follows is in it.
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
      if (at_ >= size_ || in_[at_] != static_cast<u8>(*text)) return fail(RTBWIRE_ERROR_LITERAL);
    return true;
  }

  // A key, its colon, and the space before the value.
  bool key() noexcept {
    if (at_ >= size_ || in_[at_] != '"') return fail(RTBWIRE_ERROR_UNEXPECTED_BYTE);
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
    if (at_ >= size_ || in_[at_] != ':') return fail(RTBWIRE_ERROR_UNEXPECTED_BYTE);
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
        return fail(RTBWIRE_ERROR_UNEXPECTED_BYTE);
    }
  }

  bool open(bool object) noexcept {
    if (depth_ == depth_max_) return fail(RTBWIRE_ERROR_DEPTH);
    ++at_;
    frames_[depth_++] = object ? frame{0, 0} : frame{frame::array, 0};
    skip_space();
    return true;
  }

  // Reads values until the outermost one is complete; depth_ takes the place of recursion.
  bool document() noexcept {
    skip_space();
    for (;;) {
      if (at_ >= size_) return fail(RTBWIRE_ERROR_TRUNCATED);
      const u8 c = in_[at_];
      if (c == '{' || c == '[') {
        if (!open(c == '{')) return false;
        if (at_ < size_ && in_[at_] == c + 2) {  // '}' and ']' are two behind in ASCII
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

  // Closes what ends here. True when a value has to follow.
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
      if (in_[at_] != ',') return fail(RTBWIRE_ERROR_UNEXPECTED_BYTE);
      ++at_;
      skip_space();
      if (!array) return key();
      ++top.key_end;
      return true;
    }
  }

  // Writes the JSON Pointer (RFC 6901) of the value or key just read. Keys are copied as
  // they stand, so that a pointer never needs room for decoding; only ~ and / are escaped.
  void found(bool in_key) noexcept {
    located_ = true;
    u32 used = 0;
    bool cut = false;
    const auto put = [&](char c) noexcept {
      if (used < RTBWIRE_POINTER_MAX) verdict_->pointer[used++] = c;
      else cut = true;
    };
    for (u32 i = 0; i < depth_ && !cut; ++i) {
      const frame& f = frames_[i];
      put('/');
      if (f.key_begin == frame::array) {
        char text[10];
        int n = 0;
        u32 index = f.key_end;
        do text[n++] = static_cast<char>('0' + index % 10);
        while ((index /= 10) != 0);
        while (n > 0) put(text[--n]);
        continue;
      }
      for (u32 k = f.key_begin; k < f.key_end && !cut; ++k) {
        if (in_[k] == '~') { put('~'); put('0'); }
        else if (in_[k] == '/') { put('~'); put('1'); }
        else put(static_cast<char>(in_[k]));
      }
    }
    verdict_->pointer[used] = '\0';
    verdict_->pointer_known = 1;
    verdict_->pointer_truncated = cut;
    verdict_->match_in_key = in_key;
  }

  const u8* in_;
  std::size_t size_;
  std::size_t at_{0};
  frame* frames_;
  u32 depth_{0};
  u32 depth_max_;
  rtbwire_error fault_{RTBWIRE_ERROR_NONE};
  std::size_t match_;
  bool unchecked_;  // bytes above 0x7f have yet to be shown to be UTF-8
  rtbwire_verdict* verdict_;
  bool holds_match_{false};
  bool located_{false};
};

template <class Skip>
walk_fault walk_packet(const u8* packet, std::size_t size, frame* frames, u32 depth_max, bool utf8) noexcept {
  return walker<Skip>{packet, size, frames, depth_max, SIZE_MAX, utf8, nullptr}.run();
}

template <class Skip>
void locate_in_packet(const u8* packet, std::size_t size, frame* frames, u32 depth_max, std::size_t match,
                      bool utf8, rtbwire_verdict* verdict) noexcept {
  (void)walker<Skip>{packet, size, frames, depth_max, match, utf8, verdict}.run();
}
