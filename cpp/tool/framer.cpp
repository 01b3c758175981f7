#include "framer.hpp"

#include <algorithm>
#include <cstring>

namespace rtbwire::tool {
namespace {

bool is_space(std::uint8_t c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0x1e;  // RFC 7464
}

std::string_view view(bytes data) noexcept {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

constexpr std::size_t start_max = 8;  // bytes that suffice to recognise HTTP

}  // namespace

void framer::reset(std::span<std::uint8_t> buffer) noexcept {
  *this = framer{};
  buffer_ = buffer;
}

bool framer::push(bytes segment, framer_target& to) {
  used_some_ = false;
  if (state_ == state::opaque) state_ = state::start;
  bytes data = segment;
  while (!data.empty()) {
    std::size_t n = data.size();
    const std::size_t body = static_cast<std::size_t>(std::min<std::uint64_t>(left_, data.size()));
    switch (state_) {
      case state::start: n = start(data); break;
      case state::opaque:
        if (lost_ || to.all) {
          partial_ = lost_;
          to.head.from = transport::tcp;
          append(data, to);
          emit(lost_, to);
          used_some_ = true;
        }
        break;
      case state::json: n = json(data, to); break;
      case state::head: n = head(data, to); break;
      case state::body:
      case state::chunk_data:
        // A response to HEAD has the length of a body that does not follow.
        if (state_ == state::body && left_ == http_.length && http_.response &&
            view(data).starts_with("HTTP/1.")) {
          state_ = state::start;
          n = 0;
          break;
        }
        n = body;
        left_ -= n;
        body_bytes(data.first(n), to);
        if (left_ > 0) break;
        if (state_ == state::chunk_data) state_ = state::chunk_end;
        else end_body(to);
        break;
      case state::body_close: body_bytes(data, to); break;
      case state::chunk_size: n = chunk_size(data, to); break;
      case state::chunk_end:
      case state::trailer: n = line_end(data, to); break;
    }
    data = data.subspan(n);
  }
  return used_some_;
}

// Between messages: collects the bytes that say what begins here.
std::size_t framer::start(bytes data) {
  std::size_t n = 0;
  if (used_ == 0)
    while (n < data.size() && is_space(data[n])) ++n;
  if (n == data.size()) return n;
  if (used_ == 0 && (data[n] == '{' || data[n] == '[')) {
    state_ = state::json;
    text_ = text::between;
    lost_ = false;
    return n;
  }
  const std::size_t had = used_;
  const std::size_t take = std::min(start_max - had, data.size() - n);
  std::memcpy(buffer_.data() + had, data.data() + n, take);
  switch (begins_http({reinterpret_cast<const char*>(buffer_.data()), had + take})) {
    case http_start::yes:
      // The bytes of earlier segments are in the buffer, so the head is read from its first byte.
      state_ = state::head;
      lost_ = false;
      line_ = 1;
      return n;
    case http_start::undecided:
      used_ += take;
      used_some_ = true;
      return n + take;
    case http_start::no: break;
  }
  used_ = 0;
  state_ = state::opaque;
  return n;
}

std::size_t framer::head(bytes data, framer_target& to) {
  used_some_ = true;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (used_ == buffer_.size()) {
      broken(to);
      return i;
    }
    buffer_[used_++] = data[i];
    if (data[i] == '\n') {
      if (line_ == 0) {
        begin_body(to);
        return i + 1;
      }
      line_ = 0;
    } else if (data[i] != '\r') {
      ++line_;
    }
  }
  return data.size();
}

void framer::begin_body(framer_target& to) {
  to.counts.add(counter::http_messages);
  const bool valid = parse_http_head({reinterpret_cast<const char*>(buffer_.data()), used_}, http_);
  used_ = 0;
  unwanted_ = http_.encoded;
  partial_ = false;
  text_ = text::between;
  state_ = state::start;
  if (!valid) return broken(to);
  if (http_.no_body) return;
  if (http_.chunked) {
    state_ = state::chunk_size;
    left_ = 0;
    digits_ = extension_ = false;
  } else if (http_.has_length) {
    left_ = http_.length;
    if (left_ > 0) state_ = state::body;
  } else if (http_.response) {
    state_ = state::body_close;
  }
  if (state_ != state::start && http_.encoded) to.counts.add(counter::bodies_encoded);
}

void framer::body_bytes(bytes data, framer_target& to) {
  used_some_ = true;
  if (unwanted_) return;
  to.head.from = transport::http;
  if (!http_.lines) return append(data, to);
  while (!data.empty()) data = data.subspan(json(data, to));
}

void framer::end_body(framer_target& to) {
  to.head.from = transport::http;
  if (http_.lines) end_text(to);
  else if (!unwanted_) emit(false, to);
  used_ = 0;
  partial_ = unwanted_ = false;
  state_ = state::start;
}

std::size_t framer::chunk_size(bytes data, framer_target& to) {
  used_some_ = true;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::uint8_t c = data[i], letter = c | 0x20;
    if (c == '\n') {
      if (!digits_) {
        broken(to);
        return i + 1;
      }
      line_ = 0;
      state_ = left_ > 0 ? state::chunk_data : state::trailer;
      return i + 1;
    }
    if (extension_) continue;
    const int digit = c >= '0' && c <= '9'             ? c - '0'
                      : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                                       : -1;
    if (digit >= 0 && left_ >> 56 == 0) {
      left_ = left_ << 4 | static_cast<unsigned>(digit);
      digits_ = true;
    } else if (c == ';' || is_space(c)) {
      extension_ = true;
    } else {
      broken(to);
      return i;
    }
  }
  return data.size();
}

// Reads the line feed after a chunk, or the lines after the last one.
std::size_t framer::line_end(bytes data, framer_target& to) {
  used_some_ = true;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i] == '\r') continue;
    if (data[i] != '\n') {
      if (state_ == state::chunk_end) {
        broken(to);
        return i;
      }
      line_ = 1;
      continue;
    }
    if (state_ == state::chunk_end) {
      state_ = state::chunk_size;
      left_ = 0;
      digits_ = extension_ = false;
      return i + 1;
    }
    if (line_ == 0) {
      end_body(to);
      return i + 1;
    }
    line_ = 0;
  }
  return data.size();
}

// Reads up to the end of one text of a sequence.
std::size_t framer::json(bytes data, framer_target& to) {
  used_some_ = true;
  std::size_t i = 0;
  if (text_ == text::between) {
    while (i < data.size() && is_space(data[i])) ++i;
    if (i == data.size()) return i;
    if (state_ == state::json && begins_http(view(data.subspan(i))) == http_start::yes) {
      state_ = state::start;
      return i;
    }
    depth_ = 0;
    escape_ = in_string_ = false;
    text_ = data[i] == '{' || data[i] == '[' ? text::nested
            : data[i] == '"'                 ? text::string
                                             : text::line;
  }
  const std::size_t begin = i;
  bool end = false;
  for (; i < data.size() && !end; ++i) {
    const std::uint8_t c = data[i];
    if (text_ == text::line) {
      end = c == '\n';
    } else if (in_string_) {
      if (escape_) escape_ = false;
      else if (c == '\\') escape_ = true;
      else if (c == '"') {
        in_string_ = false;
        end = text_ == text::string;
      }
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if (c == '}' || c == ']') {
      end = --depth_ == 0;
    }
  }
  if (state_ == state::json) to.head.from = transport::tcp;
  append(data.subspan(begin, i - begin), to);
  if (end) end_text(to);
  return i;
}

void framer::end_text(framer_target& to) {
  if (text_ != text::between) {
    // White space after a line does not belong to it.
    if (text_ == text::line)
      while (used_ > 0 && is_space(buffer_[used_ - 1])) --used_;
    emit(false, to);
  }
  text_ = text::between;
  partial_ = false;
}

void framer::append(bytes data, framer_target& to) {
  while (!data.empty() && !unwanted_) {
    if (used_ == buffer_.size()) {
      emit(true, to);
      if (unwanted_) return;
      std::memmove(buffer_.data(), buffer_.data() + buffer_.size() - overlap, overlap);
      used_ = overlap;
      partial_ = true;
    }
    const std::size_t n = std::min(buffer_.size() - used_, data.size());
    std::memcpy(buffer_.data() + used_, data.data(), n);
    used_ += n;
    data = data.subspan(n);
  }
}

// Passes on the document in the buffer, unless it does not begin like JSON.
void framer::emit(bool truncated, framer_target& to) {
  const bytes whole{buffer_.data(), used_};
  used_ = 0;
  if (whole.empty()) return;
  if (to.head.from == transport::http && !partial_ && !http_.lines && !to.all &&
      !candidate(whole)) {
    to.counts.add(counter::bodies_not_candidate);
    unwanted_ = true;
    return;
  }
  document_head head = to.head;
  head.truncated = truncated || partial_;
  to.counts.add(counter::documents);
  to.sink.document(head, whole);
}

void framer::broken(framer_target& to) {
  to.counts.add(counter::http_broken);
  if (!unwanted_ && state_ != state::head) {
    to.head.from = transport::http;
    emit(true, to);
  }
  used_ = 0;
  partial_ = unwanted_ = false;
  lost_ = true;
  state_ = state::opaque;
}

void framer::gap(std::uint64_t n, framer_target& to) {
  const bool in_body = state_ == state::body || state_ == state::chunk_data;
  to.head.from = state_ == state::json ? transport::tcp : transport::http;
  if (state_ == state::json || in_body || state_ == state::body_close ||
      state_ == state::chunk_end || state_ == state::chunk_size || state_ == state::trailer) {
    if (!unwanted_) emit(true, to);
    used_ = 0;
    partial_ = true;
    text_ = text::between;
  }
  if (state_ == state::body_close) return;
  // In a body of known length the framer knows where it ends.
  if (in_body && n < left_) {
    left_ -= n;
    return;
  }
  lost_ = lost_ || (state_ != state::start && state_ != state::opaque);
  used_ = 0;
  partial_ = unwanted_ = false;
  state_ = state::start;
}

void framer::close(framer_target& to) {
  if (state_ == state::body_close) return end_body(to);
  gap(UINT64_MAX, to);
}

}  // namespace rtbwire::tool
