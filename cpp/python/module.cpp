// The Python module: engine, scanner and verdict of scan.h as classes.
//
// Order: options by name, engine, verdict, scanner, the module with its docstrings. Access to the
// memory of Python objects is in buffers.hpp.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "buffers.hpp"
#include "rtbwire/scan.hpp"

namespace rtbwire::python {
namespace {

using namespace nb::literals;

// ---- Options by name

struct layer_name {
  const char* name;
  std::uint32_t bit;
};
constexpr std::array<layer_name, 5> layer_names{{{"percent", RTBWIRE_LAYER_PERCENT},
                                                 {"entity", RTBWIRE_LAYER_ENTITY},
                                                 {"fullwidth", RTBWIRE_LAYER_FULLWIDTH},
                                                 {"twice", RTBWIRE_LAYER_TWICE},
                                                 {"squeeze", RTBWIRE_LAYER_SQUEEZE}}};
constexpr std::array kernel_values{RTBWIRE_KERNEL_BEST, RTBWIRE_KERNEL_SCALAR, RTBWIRE_KERNEL_SSE42,
                                   RTBWIRE_KERNEL_AVX2, RTBWIRE_KERNEL_AVX512, RTBWIRE_KERNEL_NEON};

// Quotes an argument in a message: its first printable ASCII characters, because messages end at a
// NUL and must be UTF-8.
std::string quoted(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string out{text.substr(0, most)};
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return "'" + out + (text.size() > most ? "...'" : "'");
}

// Half of a surrogate pair has no UTF-8, so this raises UnicodeEncodeError, which is a ValueError.
std::string utf8(nb::handle text) {
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data == nullptr) throw nb::python_error();
  return {data, static_cast<std::size_t>(size)};
}

[[noreturn]] void refuse_type(const std::string& what, nb::handle value, const char* allowed) {
  throw nb::type_error((what + ": expected " + allowed + ", got " + kind_of(value)).c_str());
}

std::uint32_t layer_bit(nb::handle name) {
  if (!PyUnicode_Check(name.ptr())) refuse_type("layers", name, "names of layers as str");
  const std::string text = utf8(name);
  for (const auto& layer : layer_names)
    if (text == layer.name) return layer.bit;
  throw nb::value_error(("layers: unknown layer " + quoted(text) +
                         " (want percent, entity, fullwidth, twice, squeeze or all)")
                            .c_str());
}

std::uint32_t layer_bits(nb::handle names) {
  if (PyUnicode_Check(names.ptr()))
    return utf8(names) == "all" ? std::uint32_t{RTBWIRE_LAYER_ALL} : layer_bit(names);
  if (!nb::isinstance<nb::iterable>(names))
    refuse_type("layers", names, "an iterable of names, one name, or 'all'");
  std::uint32_t bits = 0;
  for (nb::handle name : nb::iter(names)) bits |= layer_bit(name);
  return bits;
}

nb::tuple layers_named(std::uint32_t bits) {
  nb::list names;
  for (const auto& layer : layer_names)
    if ((bits & layer.bit) != 0) names.append(layer.name);
  return nb::tuple(names);
}

nb::tuple usable_kernels() {
  nb::list names;
  for (const auto kernel : kernel_values)
    if (rtbwire_kernel_usable(kernel)) names.append(rtbwire_kernel_name(kernel));
  return nb::tuple(names);
}

rtbwire_kernel kernel_named(const std::string& name) {
  std::string allowed;
  for (const auto kernel : kernel_values) {
    if (!rtbwire_kernel_usable(kernel)) continue;
    if (name == rtbwire_kernel_name(kernel)) return kernel;
    allowed += std::string{allowed.empty() ? "" : ", "} + rtbwire_kernel_name(kernel);
  }
  throw nb::value_error(
      ("kernel: " + quoted(name) + " is not available (this processor has " + allowed + ")")
          .c_str());
}

rtbwire_mode mode_named(const std::string& name) {
  if (name == "strict") return RTBWIRE_STRICT;
  if (name == "detect") return RTBWIRE_DETECT;
  throw nb::value_error(
      ("mode: unknown mode " + quoted(name) + " (want strict or detect)").c_str());
}

// ---- Engine

/// Patterns in the forms of Python and of C.
struct pattern_set {
  nb::tuple rows;  // (id, literal, why)
  nb::tuple ids;
  std::vector<std::string> literals;  // what `patterns` points to
  std::vector<pattern> patterns;

  explicit pattern_set(nb::handle given) {
    if (given.is_none()) take_default();
    else take(given);
    for (const auto& literal : literals) patterns.push_back({"", literal.c_str(), ""});
  }

 private:
  void take_default() {
    nb::list all, names;
    for (const pattern& p : default_patterns()) {
      nb::str id{p.id};
      names.append(id);
      all.append(nb::make_tuple(id, p.literal, p.why));
      literals.emplace_back(p.literal);
    }
    rows = nb::tuple(all);
    ids = nb::tuple(names);
  }

  void take(nb::handle given) {
    constexpr const char* shape = "a tuple (id, literal, why) of three str";
    if (PyUnicode_Check(given.ptr()) || !nb::isinstance<nb::iterable>(given))
      refuse_type("patterns", given, "None or an iterable of tuples (id, literal, why)");
    nb::list all, names;
    for (nb::handle item : nb::iter(given)) {
      const std::string what = "patterns[" + std::to_string(all.size()) + "]";
      if (!PyTuple_Check(item.ptr()) && !PyList_Check(item.ptr())) refuse_type(what, item, shape);
      const nb::tuple row{nb::borrow(item)};
      if (row.size() != 3)
        throw nb::value_error(
            (what + ": expected " + shape + ", got " + std::to_string(row.size()) + " items")
                .c_str());
      for (nb::handle field : row)
        if (!PyUnicode_Check(field.ptr())) refuse_type(what, field, shape);
      std::string literal = utf8(row[1]);
      check(what, literal);
      literals.push_back(std::move(literal));
      names.append(row[0]);
      all.append(row);
    }
    if (all.size() == 0) throw nb::value_error("patterns: empty (None means the default set)");
    rows = nb::tuple(all);
    ids = nb::tuple(names);
  }

  // The library only says whether it accepts a set, so patterns are checked one by one.
  static void check(const std::string& what, const std::string& literal) {
    const pattern one{"", literal.c_str(), ""};
    if (literal.find('\0') == std::string::npos && rtbwire_engine_memory(&one, 1) != 0) return;
    throw nb::value_error((what + ": bad literal " + quoted(literal) +
                           " (want 1 to 64 ASCII characters other than NUL)")
                              .c_str());
  }
};

class engine_object final {
 public:
  engine_object(nb::handle patterns, nb::handle layers, const std::string& kernel)
      : layers_{layer_bits(layers)} {
    const rtbwire_engine_options options{kernel_named(kernel), layers_};
    const pattern_set set{patterns};
    const std::size_t size = engine::memory(set.patterns);
    if (size == 0)
      throw nb::value_error(
          ("patterns: " + std::to_string(set.patterns.size()) +
           " are too many, or too long (want at most 4,096 with 65,534 characters in all literals)")
              .c_str());
    memory_ = std::make_unique_for_overwrite<std::byte[]>(size);
    const engine made{{memory_.get(), size}, set.patterns, options};
    if (made.status() != RTBWIRE_OK)
      throw std::runtime_error("rtbwire_engine_init failed after all checks");
    engine_ = made.get();
    rows_ = set.rows;
    ids_ = set.ids;
  }
  engine_object(const engine_object&) = delete;
  engine_object& operator=(const engine_object&) = delete;

  [[nodiscard]] const rtbwire_engine* get() const noexcept { return engine_; }
  [[nodiscard]] const char* kernel() const {
    return rtbwire_kernel_name(rtbwire_engine_kernel(engine_));
  }
  [[nodiscard]] nb::tuple layers() const { return layers_named(layers_); }
  [[nodiscard]] nb::tuple patterns() const { return rows_; }
  [[nodiscard]] nb::tuple ids() const { return ids_; }

 private:
  std::uint32_t layers_;
  std::unique_ptr<std::byte[]> memory_;
  const rtbwire_engine* engine_{nullptr};
  nb::tuple rows_, ids_;
};

// ---- Verdict

/// A verdict, and the ids of its patterns. It outlives packet, scanner and engine.
class verdict_object final {
 public:
  verdict_object(const verdict& v, nb::tuple ids) : v_{v}, ids_{std::move(ids)} {}

  [[nodiscard]] rtbwire_outcome outcome() const noexcept { return v_.outcome; }
  [[nodiscard]] rtbwire_error error() const noexcept { return v_.error; }
  [[nodiscard]] std::optional<std::uint32_t> error_offset() const {
    return when(v_.error != RTBWIRE_ERROR_NONE, v_.error_offset);
  }
  [[nodiscard]] nb::object pattern() const { return malicious() ? id(v_.pattern) : nb::none(); }
  [[nodiscard]] nb::tuple patterns() const {
    nb::list names;
    if (malicious())
      for (const auto i : matched_patterns(v_)) names.append(id(i));
    return nb::tuple(names);
  }
  [[nodiscard]] std::uint32_t pattern_count() const noexcept {
    return malicious() ? v_.pattern_count : 0;
  }
  [[nodiscard]] std::optional<std::uint32_t> match_offset() const {
    return when(malicious(), v_.match_offset);
  }
  // A pointer that was cut may end inside a character, and in detect mode keys need not be UTF-8.
  [[nodiscard]] nb::object pointer() const {
    if (!located()) return nb::none();
    return nb::steal(PyUnicode_DecodeUTF8(
        v_.pointer, static_cast<Py_ssize_t>(std::strlen(v_.pointer)), "replace"));
  }
  [[nodiscard]] bool pointer_truncated() const noexcept {
    return located() && v_.pointer_truncated != 0;
  }
  [[nodiscard]] bool in_key() const noexcept { return malicious() && v_.match_in_key != 0; }
  [[nodiscard]] bool layered() const noexcept { return malicious() && v_.match_layered != 0; }
  [[nodiscard]] bool refuse(bool fail_closed) const noexcept {
    return rtbwire_refuse(&v_, fail_closed) != 0;
  }

  [[nodiscard]] nb::dict as_dict() const {
    nb::dict out;
    out["outcome"] = rtbwire_outcome_name(v_.outcome);
    out["error"] = v_.error == RTBWIRE_ERROR_NONE
                       ? nb::none()
                       : nb::object(nb::str(rtbwire_error_name(v_.error)));
    out["error_offset"] = nb::cast(error_offset());
    out["pattern"] = pattern();
    out["patterns"] = nb::list(patterns());
    out["pattern_count"] = pattern_count();
    out["pointer"] = pointer();
    out["pointer_truncated"] = pointer_truncated();
    out["match_offset"] = nb::cast(match_offset());
    out["in_key"] = in_key();
    out["layered"] = layered();
    return out;
  }
  [[nodiscard]] nb::tuple key() const {
    return nb::make_tuple(static_cast<int>(v_.outcome), static_cast<int>(v_.error), error_offset(),
                          pattern(), patterns(), pattern_count(), pointer(), pointer_truncated(),
                          match_offset(), in_key(), layered());
  }
  [[nodiscard]] nb::object equals(nb::handle other) const {
    if (!nb::isinstance<verdict_object>(other)) return nb::borrow(Py_NotImplemented);
    return nb::cast(key().equal(nb::cast<const verdict_object&>(other).key()));
  }
  [[nodiscard]] std::string repr() const {
    std::string text = std::string{"<Verdict: "} + rtbwire_outcome_name(v_.outcome);
    if (malicious()) {
      text += ", " + quoted(utf8(pattern())) + " at byte " + std::to_string(v_.match_offset);
      if (located()) text += " in " + quoted(v_.pointer);
    }
    if (v_.error != RTBWIRE_ERROR_NONE)
      text += std::string{", "} + rtbwire_error_name(v_.error) + " at byte " +
              std::to_string(v_.error_offset);
    return text + ">";
  }

 private:
  [[nodiscard]] bool malicious() const noexcept { return v_.outcome == RTBWIRE_MALICIOUS; }
  [[nodiscard]] bool located() const noexcept { return malicious() && v_.pointer_known != 0; }
  [[nodiscard]] nb::object id(std::size_t i) const { return nb::object(ids_[i]); }
  static std::optional<std::uint32_t> when(bool known, std::uint32_t value) {
    return known ? std::optional{value} : std::nullopt;
  }

  verdict v_;
  nb::tuple ids_;
};

// ---- Scanner

class scanner_object final {
 public:
  // Enough packets to make the cost of the GIL small, and few enough for Ctrl-C to work and for
  // their verdicts to stay in the cache.
  static constexpr std::size_t chunk = 512;
  // For a short packet it costs more to release the GIL, which wakes a waiting thread, than to
  // scan.
  static constexpr std::size_t short_packet = 4096;

  scanner_object(nb::object engine, const std::string& mode, nb::int_ packet_max,
                 nb::int_ depth_max)
      : engine_{std::move(engine)}, engine_of_{nb::cast<const engine_object&>(engine_)},
        mode_{mode_named(mode)}, packet_max_{limit("packet_max", packet_max)},
        depth_max_{limit("depth_max", depth_max)} {
    const rtbwire_scanner_options options{mode_, packet_max_, depth_max_};
    std::array<std::byte, 1> none;
    rtbwire_scanner* ignored = nullptr;
    // The library knows the limits. If they are accepted, the result is NO_ROOM.
    if (rtbwire_scanner_init(none.data(), none.size(), engine_of_.get(), &options, &ignored) ==
        RTBWIRE_BAD_ARGUMENT)
      throw nb::value_error(("packet_max, depth_max: " + std::to_string(packet_max_) + " and " +
                             std::to_string(depth_max_) +
                             " are too large (want at most 268,435,455 bytes and 1,048,576 levels)")
                                .c_str());
    const std::size_t size = rtbwire_scanner_memory(&options);
    memory_ = std::make_unique_for_overwrite<std::byte[]>(size);
    if (rtbwire_scanner_init(memory_.get(), size, engine_of_.get(), &options, &scanner_) !=
        RTBWIRE_OK)
      throw std::runtime_error("rtbwire_scanner_init failed after all checks");
  }
  scanner_object(const scanner_object&) = delete;
  scanner_object& operator=(const scanner_object&) = delete;

  [[nodiscard]] verdict_object scan(nb::handle packet) {
    const held_buffer in{packet, "packet"};
    verdict v;
    run(in.size() <= short_packet,
        [&]() noexcept { rtbwire_scan(scanner_, in.data(), in.size(), &v); });
    return {v, engine_of_.ids()};
  }

  [[nodiscard]] nb::list scan_batch(nb::handle packets) {
    constexpr const char* allowed =
        "an iterable of objects with the buffer protocol (scan() takes one packet)";
    if (PyUnicode_Check(packets.ptr()) || PyObject_CheckBuffer(packets.ptr()) ||
        !nb::isinstance<nb::iterable>(packets))
      refuse_type("packets", packets, allowed);
    std::vector<held_buffer> held;
    std::vector<rtbwire_bytes> in;
    for (nb::handle packet : nb::iter(packets)) {
      held.emplace_back(packet, "packets", static_cast<std::ptrdiff_t>(held.size()));
      in.push_back({held.back().data(), held.back().size()});
    }
    nb::list out;
    std::vector<verdict> verdicts(std::min(chunk, in.size()));
    for (std::size_t at = 0; at < in.size(); at += chunk) {
      const std::size_t n = std::min(chunk, in.size() - at);
      run(false,
          [&]() noexcept { rtbwire_scan_batch(scanner_, in.data() + at, n, verdicts.data()); });
      for (std::size_t i = 0; i < n; ++i)
        out.append(nb::cast(verdict_object{verdicts[i], engine_of_.ids()}));
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return out;
  }

  [[nodiscard]] nb::bytes scan_offsets(nb::handle buffer, nb::handle where) {
    const held_buffer in{buffer, "buffer"};
    const offsets at{where};
    at.check(in.size());
    std::vector<char> outcomes(at.packets());
    for (std::size_t first = 0; first < at.packets(); first += chunk) {
      const std::size_t n = std::min(chunk, at.packets() - first);
      run(false, [&]() noexcept {
        std::array<rtbwire_bytes, chunk> packets;
        std::array<verdict, chunk> verdicts;
        for (std::size_t i = 0; i < n; ++i)
          packets[i] = {static_cast<const char*>(in.data()) + at.begin(first + i),
                        at.length(first + i)};
        rtbwire_scan_batch(scanner_, packets.data(), n, verdicts.data());
        for (std::size_t i = 0; i < n; ++i)
          outcomes[first + i] = static_cast<char>(verdicts[i].outcome);
      });
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return nb::bytes(outcomes.data(), outcomes.size());
  }

  [[nodiscard]] nb::object engine() const { return engine_; }
  [[nodiscard]] const char* mode() const noexcept {
    return mode_ == RTBWIRE_STRICT ? "strict" : "detect";
  }
  [[nodiscard]] std::uint32_t packet_max() const noexcept { return packet_max_; }
  [[nodiscard]] std::uint32_t depth_max() const noexcept { return depth_max_; }

 private:
  static std::uint32_t limit(const char* what, const nb::int_& value) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow != 0 || number < 1 || number > UINT32_MAX)
      throw nb::value_error(
          (std::string{what} + ": out of range (want 1 to " +
           (std::string_view{what} == "packet_max" ? "268,435,455 bytes)" : "1,048,576 levels)"))
              .c_str());
    return static_cast<std::uint32_t>(number);
  }

  // The memory of a scanner holds one packet at a time. No thread waits for the GIL while it holds
  // the lock, or for the lock while it holds the GIL, so there is no deadlock.
  template <class Work>
  void run(bool brief, Work work) {
    if (brief) {
      const std::unique_lock lock{busy_, std::try_to_lock};
      if (lock.owns_lock()) return work();
    }
    const nb::gil_scoped_release released;
    const std::lock_guard lock{busy_};
    work();
  }

  nb::object engine_;  // keeps engine_of_ alive
  const engine_object& engine_of_;
  rtbwire_mode mode_;
  std::uint32_t packet_max_, depth_max_;
  std::unique_ptr<std::byte[]> memory_;
  rtbwire_scanner* scanner_{nullptr};
  std::mutex busy_;
};

// ---- Module

nb::tuple default_rows() { return pattern_set{nb::none()}.rows; }

void bind_enums(nb::module_& m) {
  nb::enum_<rtbwire_outcome>(m, "Outcome", nb::is_arithmetic(),
                             "The result of a scan. An int with stable values.")
      .value("CLEAN", RTBWIRE_CLEAN, "No pattern was found; in strict mode also: valid JSON.")
      .value("MALICIOUS", RTBWIRE_MALICIOUS,
             "A pattern was found; error says whether the packet is also malformed.")
      .value("MALFORMED", RTBWIRE_MALFORMED, "Not RFC 8259 JSON in UTF-8, but searched to its end.")
      .value("TOO_DEEP", RTBWIRE_TOO_DEEP, "Nested deeper than depth_max, but searched to its end.")
      .value("TOO_LARGE", RTBWIRE_TOO_LARGE, "Longer than packet_max: not searched.")
      .value("EXHAUSTED", RTBWIRE_EXHAUSTED,
             "Does not fit in the scanner's memory. Does not occur in Python.")
      .value("FAILED", RTBWIRE_FAILED, "The search failed. Does not occur in Python.");

  nb::enum_<rtbwire_error>(m, "ErrorCode", nb::is_arithmetic(),
                           "Why a packet is malformed. An int with stable values.")
      .value("NONE", RTBWIRE_ERROR_NONE, "Valid JSON, or not checked (detect mode).")
      .value("EMPTY", RTBWIRE_ERROR_EMPTY, "No value at all.")
      .value("SYNTAX", RTBWIRE_ERROR_SYNTAX,
             "RFC 8259 sections 2 and 3: no token may begin or continue here.")
      .value("TRUNCATED", RTBWIRE_ERROR_TRUNCATED, "The packet ends inside a value.")
      .value("TRAILING", RTBWIRE_ERROR_TRAILING,
             "RFC 8259 section 2: something other than white space follows the value.")
      .value("BOM", RTBWIRE_ERROR_BOM,
             "RFC 8259 section 8.1: the packet begins with a byte order mark.")
      .value("CONTROL", RTBWIRE_ERROR_CONTROL,
             "RFC 8259 section 7: an unescaped control character in a string.")
      .value("ESCAPE", RTBWIRE_ERROR_ESCAPE,
             "RFC 8259 section 7: an escape sequence that does not exist.")
      .value("UTF8", RTBWIRE_ERROR_UTF8,
             "RFC 8259 section 8.1: bytes in a string that are not UTF-8.")
      .value("SURROGATE", RTBWIRE_ERROR_SURROGATE,
             "RFC 8259 section 8.2: half of a surrogate pair.")
      .value("NUMBER", RTBWIRE_ERROR_NUMBER, "RFC 8259 section 6: not a JSON number.")
      .value("DEPTH", RTBWIRE_ERROR_DEPTH, "RFC 8259 section 9: nested deeper than depth_max.");
}

void bind_engine(nb::module_& m) {
  nb::class_<engine_object>(
      m, "Engine", nb::is_final(),
      "Compiled patterns. Nothing changes an engine: all threads may share one.")
      .def(nb::init<nb::handle, nb::handle, const std::string&>(), "patterns"_a = nb::none(),
           "layers"_a.none() = nb::tuple(), "kernel"_a = "best",
           nb::sig(
               "def __init__(self, patterns: collections.abc.Iterable[tuple[str, str, str]] | None "
               "= None, "
               "layers: str | collections.abc.Iterable[str] = (), kernel: str = 'best') -> None"),
           R"(Compiles patterns.

patterns: tuples (id, literal, why); None is the default set. A literal is 1 to 64 ASCII
    characters. It is searched in keys and values, with JSON escapes decoded, ignoring case.
    Several patterns may have the same id. At most 4,096 patterns with 65,534 characters.
layers: further decodings to search, names from layers() or 'all': 'percent' (%3c),
    'entity' (&lt;), 'fullwidth' (U+FF1C), 'twice' (JSON inside JSON), 'squeeze' (white space
    and comments inside a literal). Each takes time; off by default.
kernel: instruction set, one of kernels(). All give the same verdicts; 'best' is the fastest.

Raises ValueError or TypeError for bad arguments.)")
      .def_prop_ro("patterns", &engine_object::patterns,
                   nb::sig("def patterns(self) -> tuple[tuple[str, str, str], ...]"),
                   "The patterns as tuples (id, literal, why).")
      .def_prop_ro("layers", &engine_object::layers, nb::sig("def layers(self) -> tuple[str, ...]"),
                   "Names of the further decodings.")
      .def_prop_ro("kernel", &engine_object::kernel, "The instruction set in use; never 'best'.")
      .def("__repr__", [](const engine_object& self) {
        return "<Engine: " + std::to_string(self.patterns().size()) + " patterns, " +
               self.kernel() + ">";
      });
}

void bind_verdict(nb::module_& m) {
  nb::class_<verdict_object>(m, "Verdict", nb::is_final(),
                             R"(The result of a scan. Made by a Scanner.

A verdict does not refer to packet, scanner or engine. Two verdicts with the same content are
equal. pattern, pointer, match_offset, in_key and layered describe the first match.)")
      .def_prop_ro("outcome", &verdict_object::outcome,
                   "Clean, malicious, malformed, too deep or too large.")
      .def_prop_ro("error", &verdict_object::error,
                   "Why the packet is malformed; ErrorCode.NONE if it is not. A malicious packet "
                   "may also be malformed.")
      .def_prop_ro("error_offset", &verdict_object::error_offset,
                   "The first byte that could not be accepted; None if there is no error.")
      .def_prop_ro("pattern", &verdict_object::pattern, nb::sig("def pattern(self) -> str | None"),
                   "The id of the pattern of the first match; None if the packet is not malicious.")
      .def_prop_ro("patterns", &verdict_object::patterns,
                   nb::sig("def patterns(self) -> tuple[str, ...]"),
                   "The ids of all patterns that occur in the packet, in the order of the engine; "
                   "at most 16.")
      .def_prop_ro("pattern_count", &verdict_object::pattern_count,
                   "The number of patterns that occur; may be more than 16.")
      .def_prop_ro(
          "pointer", &verdict_object::pointer, nb::sig("def pointer(self) -> str | None"),
          "The JSON Pointer (RFC 6901) of the first match, with the escapes of the packet; "
          "None if the packet is not JSON up to the match, or not malicious.")
      .def_prop_ro("pointer_truncated", &verdict_object::pointer_truncated,
                   "Whether pointer was cut to 159 bytes.")
      .def_prop_ro("match_offset", &verdict_object::match_offset,
                   "The first byte of the first match in the packet, of an escape its backslash; "
                   "None if there is none.")
      .def_prop_ro("in_key", &verdict_object::in_key, "Whether the first match is in a key.")
      .def_prop_ro("layered", &verdict_object::layered,
                   "Whether the first match was found only after a further decoding.")
      .def("refuse", &verdict_object::refuse, "fail_closed"_a = true,
           R"(Returns whether a gateway should drop the packet.

It should if the packet is malicious and, with fail_closed, also if it is malformed, too deep
or too large, because other parsers may read such a packet differently.)")
      .def("as_dict", &verdict_object::as_dict, nb::sig("def as_dict(self) -> dict[str, object]"),
           "Returns all of it as str, int, bool, list and None, for json.dumps and logs.")
      .def("__eq__", &verdict_object::equals, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const verdict_object& self) { return nb::hash(self.key()); })
      .def("__repr__", &verdict_object::repr);
}

void bind_scanner(nb::module_& m) {
  nb::class_<scanner_object>(m, "Scanner", nb::is_final(),
                             R"(Scans packets with an engine, in its own memory.

Make one per thread. Threads may share a scanner, but then a call waits, without the GIL,
until another thread has scanned its chunk of up to 512 packets.)")
      .def(
          "__init__",
          [](scanner_object* self, nb::object engine, const std::string& mode, nb::int_ packet_max,
             nb::int_ depth_max) {
            if (!nb::isinstance<engine_object>(engine) || !nb::inst_ready(engine))
              refuse_type("engine", engine, "an Engine");
            new (self) scanner_object{std::move(engine), mode, packet_max, depth_max};
          },
          "engine"_a.none(), "mode"_a = "strict", "packet_max"_a = 65535, "depth_max"_a = 256,
          nb::sig("def __init__(self, engine: Engine, mode: typing.Literal['strict', 'detect'] = "
                  "'strict', "
                  "packet_max: int = 65535, depth_max: int = 256) -> None"),
          R"(Allocates memory for packets of this size.

mode: 'strict' checks that a packet is RFC 8259 JSON in UTF-8, and searches patterns; 'detect'
    only searches patterns, and is faster.
packet_max: the longest packet in bytes, up to 268,435,455. A scanner takes about twice as
    much memory.
depth_max: the deepest nesting of arrays and objects, up to 1,048,576.

Raises ValueError or TypeError for bad arguments.)")
      .def("scan", &scanner_object::scan, "packet"_a.none(),
           nb::sig("def scan(self, packet: typing_extensions.Buffer) -> Verdict"),
           R"(Scans one packet: bytes, bytearray, memoryview or any contiguous buffer.

The packet is not changed and not kept. The GIL is released for packets of more than 4,096
bytes.)")
      .def("scan_batch", &scanner_object::scan_batch, "packets"_a.none(),
           nb::sig("def scan_batch(self, packets: "
                   "collections.abc.Iterable[typing_extensions.Buffer]) -> list[Verdict]"),
           R"(Scans many packets and releases the GIL meanwhile.

Returns a verdict for each packet, in order, as scan() would. Until the call returns, the
packets cannot be resized: a bytearray raises BufferError. Do not write to them either: if
another thread does, the verdict may be about old bytes, new bytes or a mixture. Ctrl-C takes
effect after each 512 packets.)")
      .def("scan_offsets", &scanner_object::scan_offsets, "buffer"_a.none(), "offsets"_a.none(),
           nb::sig("def scan_offsets(self, buffer: typing_extensions.Buffer, "
                   "offsets: typing_extensions.Buffer | collections.abc.Iterable[int]) -> bytes"),
           R"(Scans packets in one buffer and returns one byte per packet.

Packet i is buffer[offsets[i]:offsets[i + 1]]: n packets have n + 1 ascending offsets, as in
Arrow. offsets is a buffer of integers of 4 or 8 bytes (array('Q'), numpy) or an iterable of
int. The bytes of the result are values of Outcome: outcomes.count(Outcome.MALICIOUS) counts
them, and outcomes.find(Outcome.MALICIOUS) finds the first. The GIL is released as in
scan_batch().)")
      .def_prop_ro("engine", &scanner_object::engine, nb::sig("def engine(self) -> Engine"),
                   "The engine of this scanner.")
      .def_prop_ro("mode", &scanner_object::mode, "'strict' or 'detect'.")
      .def_prop_ro("packet_max", &scanner_object::packet_max, "The longest packet, in bytes.")
      .def_prop_ro("depth_max", &scanner_object::depth_max,
                   "The deepest nesting of arrays and objects.")
      .def("__repr__", [](const scanner_object& self) {
        return std::string{"<Scanner: "} + self.mode() + ", " + std::to_string(self.packet_max()) +
               " bytes, " + std::to_string(self.depth_max()) + " levels>";
      });
}

}  // namespace
}  // namespace rtbwire::python

NB_MODULE(_core, m) {
  using namespace rtbwire::python;
  m.doc() = "The compiled part of rtbwire_scan; see there.";
  m.attr("__version__") = RTBWIRE_VERSION;
  bind_enums(m);
  bind_engine(m);
  bind_verdict(m);
  bind_scanner(m);
  m.def("default_patterns", &default_rows,
        nb::sig("def default_patterns() -> tuple[tuple[str, str, str], ...]"),
        "Returns the default patterns as tuples (id, literal, why).");
  m.def("kernels", &usable_kernels, nb::sig("def kernels() -> tuple[str, ...]"),
        "Returns the instruction sets of this processor, and 'best'.");
  m.def(
      "layers", [] { return layers_named(RTBWIRE_LAYER_ALL); },
      nb::sig("def layers() -> tuple[str, ...]"),
      "Returns the names of all further decodings that an Engine can search.");
}
