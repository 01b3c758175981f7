// What the readers in C++ share: documents come in, the values at some places go out. README.md has
// both formats.
#ifndef RTBWIRE_READERS_READER_HPP
#define RTBWIRE_READERS_READER_HPP

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

// Whether strings and keys are read as strings of C, which end at the first NUL.
inline bool c_strings = false;

// as_read returns the part of a string or a key that the reader looks at.
inline std::string_view as_read(std::string_view text) {
  return c_strings ? text.substr(0, text.find('\0')) : text;
}

// A place is a JSON Pointer, whole and in segments. Its names need no escapes.
struct place {
  std::string pointer;
  std::vector<std::string> segments;
};

// index returns the position that a segment names in an array, or SIZE_MAX.
inline std::size_t index_of(const std::string& segment) {
  if (segment.empty() || segment.find_first_not_of("0123456789") != std::string::npos) return SIZE_MAX;
  return std::strtoull(segment.c_str(), nullptr, 10);
}

// line collects the values of a document.
class line {
 public:
  void absent() { add("-"); }
  void boolean(bool value) { add(value ? "t" : "f"); }
  void object() { add("{"); }
  void string(std::string_view value) {
    add("s");
    for (const unsigned char byte : as_read(value)) {
      text_ += "0123456789abcdef"[byte >> 4];
      text_ += "0123456789abcdef"[byte & 15];
    }
  }
  void number(double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    std::array<char, 32> buffer;
    std::snprintf(buffer.data(), buffer.size(), "n%016" PRIx64, bits);
    add(buffer.data());
  }
  void integer(double value, std::int64_t exact) {
    number(value);
    text_ += ':' + std::to_string(exact);
  }
  void open() {
    add("[");
    first_ = true;
  }
  void close() {
    text_ += ']';
    first_ = false;
  }
  void end_of_place() {
    text_ += '\t';
    first_ = true;
  }
  // put writes the line, or that the document was refused.
  void put(bool refused) {
    if (refused || text_.empty()) text_ = "refused\t";
    text_.back() = '\n';
    std::fwrite(text_.data(), 1, text_.size(), stdout);
    std::fflush(stdout);
    text_.clear();
    first_ = true;
  }

 private:
  void add(const char* text) {
    if (!first_) text_ += ',';
    text_ += text;
    first_ = false;
  }

  std::string text_;
  bool first_ = true;
};

// run gives each document to read, which returns false if the parser refuses it.
template <class Read>
int run(int argc, char** argv, Read read) {
  std::vector<place> places;
  for (int i = 1; i < argc; i++) {
    const std::string argument = argv[i];
    if (argument == "--c-strings") {
      c_strings = true;
      continue;
    }
    place p{argument, {}};
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t next = argument.find('/', at + 1);
      p.segments.push_back(argument.substr(at + 1, next == std::string::npos ? next : next - at - 1));
      at = next;
    }
    places.push_back(p);
  }
  line out;
  std::string document;
  std::array<unsigned char, 4> size;
  while (std::fread(size.data(), 1, size.size(), stdin) == size.size()) {
    document.resize(std::size_t{size[0]} << 24 | size[1] << 16 | size[2] << 8 | size[3]);
    if (std::fread(document.data(), 1, document.size(), stdin) != document.size()) return 1;
    out.put(!read(document, places, out));
  }
  return 0;
}

// read_tree reads places in a parsed document. A Tree has child(value, name), which returns nullptr
// without such a member or element, and put(value, line, nested), which writes a value.
template <class Tree, class Value>
void read_tree(const Tree& tree, Value root, const std::vector<place>& places, line& out) {
  for (const place& p : places) {
    Value value = root;
    for (const std::string& segment : p.segments) {
      if (value) value = tree.child(value, segment);
    }
    if (value)
      tree.put(value, out, false);
    else
      out.absent();
    out.end_of_place();
  }
}

#endif
