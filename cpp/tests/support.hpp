// What the tests share: an engine and scanner with memory of their own, memory that ends at
// an unreadable page, and files.
#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "corpus.hpp"
#include "rtbwire/scan.hpp"

namespace rtbwire::test {

/// Returns every kernel that this processor can run.
std::vector<rtbwire_kernel> kernels();
/// The same without the scalar one.
std::vector<rtbwire_kernel> vector_kernels();

/// Owns what engine and scanner borrow.
class fixture_scanner {
 public:
  explicit fixture_scanner(rtbwire_kernel kernel = RTBWIRE_KERNEL_BEST,
                           rtbwire_scanner_options options = {}, unsigned layers = 0,
                           std::span<const pattern> patterns = default_patterns());
  verdict operator()(std::string_view packet) { return scanner_->scan(packet); }
  rtbwire_scanner* get() { return scanner_->get(); }

 private:
  std::vector<std::byte> engine_memory_, scanner_memory_;
  std::unique_ptr<engine> engine_;
  std::unique_ptr<scanner> scanner_;
};

/// A copy of text whose last byte is the last before an unreadable page.
class guarded {
 public:
  explicit guarded(std::string_view text);
  ~guarded();
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;
  std::string_view view() const { return view_; }

 private:
  void* map_;
  std::size_t size_;
  std::string_view view_;
};

/// Up to so many changes of a byte, by one of bytes: another, none, one more, or the end.
void mutate(corpus::random& random, std::string& text, std::string_view bytes, std::size_t most);

bool same(const verdict& a, const verdict& b);
std::string describe(const verdict& v);
/// Text as a JSON string. percent says how many of the bytes that need no escape get one,
/// upper that its digits are A to F.
std::string json_string(std::string_view text, unsigned percent = 0, bool upper = false);
std::string read_file(const std::string& path);
std::vector<std::string> read_lines(const std::string& path);

}  // namespace rtbwire::test
