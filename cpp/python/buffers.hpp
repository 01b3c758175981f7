// Memory of Python objects that is read while the GIL is released.
#pragma once

#include <nanobind/nanobind.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace rtbwire::python {

namespace nb = nanobind;

/// Returns the name of the type of a value, for messages.
inline std::string kind_of(nb::handle value) {
  return nb::cast<std::string>(value.type().attr("__name__"));
}

/// An exported buffer. As long as this object exists, the memory stays in place and a bytearray
/// cannot be resized. Other threads may still write to the bytes; the scanner copies a packet
/// before it scans it.
/// Threads: construct and destroy it with the GIL; size() and data() need no lock.
class held_buffer final {
 public:
  /// what names the argument in messages, index its item if it is not negative.
  held_buffer(nb::handle value, const char* what, std::ptrdiff_t index = -1,
              int flags = PyBUF_SIMPLE) {
    if (!PyObject_CheckBuffer(value.ptr()))
      throw nb::type_error((name(what, index) +
                            ": expected bytes, bytearray, memoryview or another object with the "
                            "buffer protocol, got " +
                            kind_of(value))
                               .c_str());
    if (PyObject_GetBuffer(value.ptr(), &view_, flags) == 0) return;
    if (!PyErr_ExceptionMatches(PyExc_BufferError)) throw nb::python_error();
    PyErr_Clear();
    throw nb::value_error(
        (name(what, index) + ": the buffer is not contiguous; bytes() makes a contiguous copy")
            .c_str());
  }
  held_buffer(held_buffer&& other) noexcept : view_{std::exchange(other.view_, Py_buffer{})} {}
  held_buffer(const held_buffer&) = delete;
  held_buffer& operator=(const held_buffer&) = delete;
  held_buffer& operator=(held_buffer&&) = delete;
  ~held_buffer() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }

  [[nodiscard]] const void* data() const noexcept { return view_.buf; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(view_.len); }
  [[nodiscard]] const Py_buffer& view() const noexcept { return view_; }

 private:
  static std::string name(const char* what, std::ptrdiff_t index) {
    return index < 0 ? what : std::string{what} + "[" + std::to_string(index) + "]";
  }

  Py_buffer view_{};
};

/// A copy of the integers of a buffer, of 4 or 8 bytes each, or of an iterable of int. They are
/// copied so that nothing can change them between the check and their use without the GIL.
class offsets final {
 public:
  explicit offsets(nb::handle value) {
    if (PyObject_CheckBuffer(value.ptr())) from_buffer(value);
    else from_iterable(value);
    if (at_.empty())
      throw nb::value_error(
          "offsets: empty (n packets have n + 1 offsets; the last is the end of the last packet)");
  }

  [[nodiscard]] std::size_t packets() const noexcept { return at_.size() - 1; }
  [[nodiscard]] std::size_t begin(std::size_t i) const noexcept { return at_[i]; }
  [[nodiscard]] std::size_t length(std::size_t i) const noexcept { return at_[i + 1] - at_[i]; }

  /// Throws unless the offsets ascend and are within a buffer of this size.
  void check(std::size_t size) const {
    for (std::size_t i = 0; i < at_.size(); ++i) {
      if (i > 0 && at_[i] < at_[i - 1])
        throw nb::value_error(("offsets[" + std::to_string(i) + "]: " + std::to_string(at_[i]) +
                               " is less than the previous one, " + std::to_string(at_[i - 1]))
                                  .c_str());
      if (at_[i] > size)
        throw nb::value_error(("offsets[" + std::to_string(i) + "]: " + std::to_string(at_[i]) +
                               " is beyond the buffer, which has " + std::to_string(size) +
                               " bytes")
                                  .c_str());
    }
  }

 private:
  static constexpr const char* allowed =
      "offsets: expected a buffer of integers of 4 or 8 bytes in native byte order, such as "
      "array('Q') or a numpy array of uint64, or an iterable of int; got ";

  void from_buffer(nb::handle value) {
    const held_buffer in{value, "offsets", -1, PyBUF_ND | PyBUF_FORMAT};
    const Py_buffer& view = in.view();
    const char* format = view.format != nullptr ? view.format : "B";
    constexpr char native = std::endian::native == std::endian::little ? '<' : '>';
    const char* kind = format;
    if (*kind == '@' || *kind == '=' || *kind == native) ++kind;
    const bool is_signed = std::strchr("ilqn", *kind) != nullptr;
    const bool known =
        *kind != '\0' && kind[1] == '\0' && std::strchr("iIlLqQnN", *kind) != nullptr;
    if (view.ndim != 1 || !known || (view.itemsize != 4 && view.itemsize != 8))
      throw nb::type_error((allowed + std::to_string(view.ndim) + " dimension(s) of format '" +
                            std::string{format}.substr(0, 32) + "'")
                               .c_str());
    const auto* bytes = static_cast<const char*>(view.buf);
    const std::size_t width = static_cast<std::size_t>(view.itemsize);
    at_.resize(in.size() / width);
    for (std::size_t i = 0; i < at_.size(); ++i) {
      if (width == 8) {
        std::memcpy(&at_[i], bytes + i * 8, 8);
        if (is_signed) not_negative(i, static_cast<std::int64_t>(at_[i]));
      } else {
        std::uint32_t word;
        std::memcpy(&word, bytes + i * 4, 4);
        if (is_signed) not_negative(i, static_cast<std::int32_t>(word));
        at_[i] = word;
      }
    }
  }

  void from_iterable(nb::handle value) {
    if (!nb::isinstance<nb::iterable>(value))
      throw nb::type_error((allowed + kind_of(value)).c_str());
    for (nb::handle item : nb::iter(value)) {
      if (!PyLong_Check(item.ptr()))
        throw nb::type_error(
            ("offsets[" + std::to_string(at_.size()) + "]: expected int, got " + kind_of(item))
                .c_str());
      int overflow = 0;
      const long long number = PyLong_AsLongLongAndOverflow(item.ptr(), &overflow);
      if (overflow > 0)
        throw nb::value_error(
            ("offsets[" + std::to_string(at_.size()) + "]: beyond any buffer").c_str());
      not_negative(at_.size(), overflow < 0 ? -1 : number);
      at_.push_back(static_cast<std::uint64_t>(number));
    }
  }

  static void not_negative(std::size_t i, std::int64_t number) {
    if (number < 0)
      throw nb::value_error(("offsets[" + std::to_string(i) +
                             "]: negative (offsets count from the start of the buffer)")
                                .c_str());
  }

  std::vector<std::uint64_t> at_;
};

}  // namespace rtbwire::python
