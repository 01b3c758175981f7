// A matcher that uses Vectorscan in block mode. It has two databases. The first has all literals
// and expressions and reports where matches end, from which the begins of literals follow. The
// second also reports where matches of expressions begin; it is several times slower and searches
// only strings in which the first found one.
//
// Organised: rules for expressions, compiling, one search, the C calls.
#include "rtbwire/vectorscan.h"

#include <hs.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr unsigned char border = 0xff;  // marks the ends of strings in the text

struct pattern_info {
  std::uint32_t literal_size;  // 0 for an expression
  std::uint32_t least;         // bytes of the shortest match
};

struct free_database {
  void operator()(hs_database_t* p) const noexcept { hs_free_database(p); }
};
struct free_compile_error {
  void operator()(hs_compile_error_t* p) const noexcept { hs_free_compile_error(p); }
};
struct free_info {
  void operator()(hs_expr_info_t* p) const noexcept { std::free(p); }
};

}  // namespace

struct rtbwire_vectorscan {
  std::unique_ptr<hs_database_t, free_database> ends;
  std::unique_ptr<hs_database_t, free_database> begins;  // of expressions; null if there are none
  std::vector<pattern_info> patterns;
  std::uint32_t expression_least{UINT32_MAX};  // the least of all expressions
  rtbwire_matcher matcher{};
};

struct rtbwire_vectorscan_scratch {
  // hs_scan does not detect scratch that is too small for its database, and would overrun it.
  const rtbwire_vectorscan* made_for;
  hs_scratch_t* scratch{nullptr};
  ~rtbwire_vectorscan_scratch() { hs_free_scratch(scratch); }
};

namespace {

// ---- rules ----

// Returns why an expression would not mean here what it means elsewhere, or nullptr. Vectorscan
// checks the rest.
const char* refuse(std::string_view e) {
  if (e.starts_with("(*")) return "(*UTF8) and similar are not supported: the text is bytes";
  bool in_class = false;
  for (std::size_t i = 0; i < e.size(); ++i) {
    const char next = i + 1 < e.size() ? e[i + 1] : '\0';
    if (e[i] == '\\') {
      // \Q would hide anchors from the checks below.
      if (next == 'Q') return "\\Q is not supported: escape each byte";
      if (!in_class && next != '\0' && std::strchr("AzZG", next) != nullptr)
        return "anchors are not supported: they would match the packet, not a string";
      ++i;
    } else if (in_class) {
      in_class = e[i] != ']';
      if (e[i] == '[' && next == ':')
        i = std::min(e.find(":]", i + 2), e.size() - 2) + 1;  // [:alpha:]
    } else if (e[i] == '[') {
      in_class = true;
      // A closing bracket that comes first is a member of the class: []x] and [^]x].
      if (next == '^') ++i;
      if (i + 1 < e.size() && e[i + 1] == ']') ++i;
    } else if (e[i] == '^' || e[i] == '$') {
      return "anchors are not supported: they would match the packet, not a string (write \\^ or "
             "\\$ for the byte)";
    } else if (e.substr(i).starts_with("(?#")) {
      i = std::min(e.find(')', i), e.size());
    } else if (e[i] == '(' && next == '?') {
      // (?i-s) and (?i-s:...): the letters after the minus are switched off.
      bool off = false;
      for (std::size_t k = i + 2;
           k < e.size() && (std::isalpha(static_cast<unsigned char>(e[k])) || e[k] == '-'); ++k) {
        off |= e[k] == '-';
        if (off && e[k] == 'i') return "(?-i) is not supported: the text has no capital letters";
        // (?x) allows comments, which could hide the rest from these checks.
        if (!off && e[k] == 'x') return "(?x) is not supported";
      }
    }
  }
  return nullptr;
}

// Writes a literal as an expression: every byte except letters and digits as \xNN. Returns false
// if it is empty or not ASCII.
bool quote(std::string_view literal, std::string& out) {
  out.clear();
  for (const char c : literal) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) return false;  // its other case would not match
    char hex[8];
    std::snprintf(hex, sizeof hex, std::isalnum(byte) ? "%c" : "\\x%02x", byte);
    out += hex;
  }
  return !literal.empty();
}

// ---- compiling ----

constexpr unsigned flags_always = HS_FLAG_CASELESS | HS_FLAG_DOTALL;
constexpr unsigned flags_begins = flags_always | HS_FLAG_SOM_LEFTMOST;

struct compilation {
  const rtbwire_pattern* patterns;
  const rtbwire_pattern_kind* kinds;
  std::size_t count;
  rtbwire_vectorscan_error& error;

  bool is_expression(std::size_t i) const {
    return kinds != nullptr && kinds[i] == RTBWIRE_PATTERN_EXPRESSION;
  }

  rtbwire_status bad(std::size_t i, std::string_view why) {
    error.pattern_known = 1;
    error.pattern = i;
    std::snprintf(error.reason, sizeof error.reason, "%.100s: %.*s",
                  patterns[i].id != nullptr ? patterns[i].id : "", static_cast<int>(why.size()),
                  why.data());
    return RTBWIRE_BAD_PATTERN;
  }

  rtbwire_status run(rtbwire_vectorscan& out) {
    std::vector<std::string> texts(count);
    std::vector<unsigned> all(count), expressions;
    for (std::size_t i = 0; i < count; ++i) {
      const char* const literal = patterns[i].literal;
      if (literal == nullptr) return bad(i, "the literal is missing");
      all[i] = static_cast<unsigned>(i);
      pattern_info info{};
      if (is_expression(i)) {
        if (const char* const why = refuse(literal)) return bad(i, why);
        texts[i] = literal;
        expressions.push_back(all[i]);
        hs_expr_info_t* raw = nullptr;
        hs_compile_error_t* raw_why = nullptr;
        const hs_error_t e = hs_expression_info(literal, flags_begins, &raw, &raw_why);
        const std::unique_ptr<hs_expr_info_t, free_info> expression{raw};
        const std::unique_ptr<hs_compile_error_t, free_compile_error> why{raw_why};
        if (e != HS_SUCCESS) return bad(i, why ? why->message : "Vectorscan gives no reason");
        if (expression->min_width == 0) return bad(i, "it can match the empty string");
        info.least = expression->min_width;
        out.expression_least = std::min(out.expression_least, info.least);
      } else {
        if (!quote(literal, texts[i])) return bad(i, "a literal must be ASCII and not empty");
        info.least = info.literal_size = static_cast<std::uint32_t>(std::strlen(literal));
      }
      out.patterns.push_back(info);
    }
    const rtbwire_status status = compile(texts, all, flags_always, out.ends);
    if (status != RTBWIRE_OK || expressions.empty()) return status;
    return compile(texts, expressions, flags_begins, out.begins);
  }

  rtbwire_status compile(const std::vector<std::string>& texts, const std::vector<unsigned>& which,
                         unsigned flag, std::unique_ptr<hs_database_t, free_database>& out) {
    const std::vector<unsigned> flags(which.size(), flag);
    std::vector<const char*> pointers;
    for (const unsigned i : which) pointers.push_back(texts[i].c_str());
    hs_database_t* database = nullptr;
    hs_compile_error_t* raw_why = nullptr;
    const hs_error_t e = hs_compile_multi(pointers.data(), flags.data(), which.data(),
                                          static_cast<unsigned>(which.size()), HS_MODE_BLOCK,
                                          nullptr, &database, &raw_why);
    const std::unique_ptr<hs_compile_error_t, free_compile_error> why{raw_why};
    out.reset(database);
    if (e == HS_SUCCESS) return RTBWIRE_OK;
    if (e == HS_NOMEM) return RTBWIRE_NO_ROOM;
    if (why && why->expression >= 0)
      return bad(which[static_cast<std::size_t>(why->expression)], why->message);
    // The reason applies to all of them together, for example their size.
    std::snprintf(error.reason, sizeof error.reason, "%s",
                  why ? why->message : "Vectorscan gives no reason");
    return RTBWIRE_BAD_PATTERN;
  }
};

// ---- one search ----

// First the whole text is searched. hs_scan reports each position at which a pattern ends, so a
// match within one string is reported even if a longer one that began in another string ends at
// the same byte. Then each string in which an expression ends is searched again, alone, for
// begins: a match cannot span two strings there.
struct whole_search {
  const pattern_info* patterns;
  const unsigned char* text;
  rtbwire_report report;
  void* found;
  std::size_t seen{0};                              // text before this was searched for borders
  std::size_t string{0};                            // where the string that contains seen begins
  std::size_t again_begin{SIZE_MAX}, again_end{0};  // the strings to search again

  std::size_t begin_of_last(std::size_t from, std::size_t end,
                            std::size_t otherwise) const noexcept {
    for (std::size_t i = end; i > from; --i)
      if (text[i - 1] == border) return i;
    return otherwise;
  }

  // Returns where the string that contains the byte before end begins. Ends are reported in
  // ascending order, except that assertions such as \b are reported one byte late, so all calls
  // together read the text once.
  std::size_t string_of(std::size_t end) noexcept {
    if (end > seen) {
      string = begin_of_last(seen, end, string);
      seen = end;
    }
    return string <= end ? string : begin_of_last(0, end, 0);
  }

  static int one(unsigned id, unsigned long long, unsigned long long to, unsigned,
                 void* self) noexcept {
    whole_search& s = *static_cast<whole_search*>(self);
    const pattern_info& p = s.patterns[id];
    const auto end = static_cast<std::size_t>(to);
    if (p.literal_size != 0) {
      s.report(s.found, id, end - p.literal_size);
      return 0;
    }
    const std::size_t string = s.string_of(end);
    if (end - string < p.least) return 0;  // every match that ends here spans two strings
    if (string < s.again_begin) s.again_begin = string;
    if (end > s.again_end) s.again_end = end;
    return 0;
  }
};

struct string_search {
  std::size_t offset;  // of the string in the text
  rtbwire_report report;
  void* found;

  static int one(unsigned id, unsigned long long from, unsigned long long, unsigned,
                 void* self) noexcept {
    const string_search& s = *static_cast<string_search*>(self);
    s.report(s.found, id, s.offset + static_cast<std::size_t>(from));
    return 0;
  }
};

int find(const void* context, void* scratch, const void* text, std::size_t size,
         rtbwire_report report, void* found) noexcept {
  const auto& v = *static_cast<const rtbwire_vectorscan*>(context);
  const auto* const mine = static_cast<rtbwire_vectorscan_scratch*>(scratch);
  if (mine == nullptr || mine->made_for != &v || size > UINT32_MAX) return HS_INVALID;
  const auto* const bytes = static_cast<const unsigned char*>(text);
  const auto scan = [&](const hs_database_t* database, std::size_t begin, std::size_t end,
                        match_event_handler one, void* self) noexcept {
    return hs_scan(database, reinterpret_cast<const char*>(bytes + begin),
                   static_cast<unsigned>(end - begin), 0, mine->scratch, one, self);
  };
  whole_search whole{v.patterns.data(), bytes, report, found};
  if (const hs_error_t e = scan(v.ends.get(), 0, size, whole_search::one, &whole); e != HS_SUCCESS)
    return e;
  for (std::size_t begin = whole.again_begin; begin < whole.again_end;) {
    const void* const next = std::memchr(bytes + begin, border, size - begin);
    const std::size_t end =
        next == nullptr ? size
                        : static_cast<std::size_t>(static_cast<const unsigned char*>(next) - bytes);
    // Skip strings that are too short for any match: a packet may consist of them.
    if (end - begin >= v.expression_least) {
      string_search string{begin, report, found};
      if (const hs_error_t e = scan(v.begins.get(), begin, end, string_search::one, &string);
          e != HS_SUCCESS)
        return e;
    }
    begin = end + 1;
  }
  return 0;
}

}  // namespace

rtbwire_status rtbwire_vectorscan_create(const rtbwire_pattern* patterns,
                                         const rtbwire_pattern_kind* kinds, size_t count,
                                         rtbwire_vectorscan_error* error,
                                         rtbwire_vectorscan** created) {
  rtbwire_vectorscan_error ignored{};
  rtbwire_vectorscan_error& why = error != nullptr ? *error : ignored;
  why = {};
  if (created == nullptr) return RTBWIRE_BAD_ARGUMENT;
  *created = nullptr;
  if (patterns == nullptr || count == 0 || count > RTBWIRE_MATCHER_PATTERNS_MAX)
    return RTBWIRE_BAD_ARGUMENT;
  if (hs_valid_platform() != HS_SUCCESS) return RTBWIRE_NO_KERNEL;
  try {
    auto v = std::make_unique<rtbwire_vectorscan>();
    const rtbwire_status status = compilation{patterns, kinds, count, why}.run(*v);
    if (status != RTBWIRE_OK) return status;
    v->matcher = {v.get(), static_cast<std::uint32_t>(count), find};
    *created = v.release();
    return RTBWIRE_OK;
  } catch (const std::bad_alloc&) {
    return RTBWIRE_NO_ROOM;
  }
}

void rtbwire_vectorscan_destroy(rtbwire_vectorscan* v) { delete v; }

const rtbwire_matcher* rtbwire_vectorscan_matcher(const rtbwire_vectorscan* v) {
  return &v->matcher;
}

size_t rtbwire_vectorscan_size(const rtbwire_vectorscan* v) {
  size_t sum = 0;
  for (const hs_database_t* database : {v->ends.get(), v->begins.get()}) {
    size_t size = 0;
    if (database != nullptr && hs_database_size(database, &size) == HS_SUCCESS) sum += size;
  }
  return sum;
}

rtbwire_status rtbwire_vectorscan_scratch_create(const rtbwire_vectorscan* v,
                                                 rtbwire_vectorscan_scratch** created) {
  if (created == nullptr) return RTBWIRE_BAD_ARGUMENT;
  *created = nullptr;
  if (v == nullptr) return RTBWIRE_BAD_ARGUMENT;
  std::unique_ptr<rtbwire_vectorscan_scratch> scratch{new (std::nothrow)
                                                          rtbwire_vectorscan_scratch{v}};
  // The second call grows it to fit both databases.
  if (!scratch || hs_alloc_scratch(v->ends.get(), &scratch->scratch) != HS_SUCCESS ||
      (v->begins && hs_alloc_scratch(v->begins.get(), &scratch->scratch) != HS_SUCCESS))
    return RTBWIRE_NO_ROOM;
  *created = scratch.release();
  return RTBWIRE_OK;
}

void rtbwire_vectorscan_scratch_destroy(rtbwire_vectorscan_scratch* scratch) { delete scratch; }
