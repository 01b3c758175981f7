// Shared by the tests: an engine and scanner with their memory, memory that ends at an unreadable
// page, and files.
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

/// An engine and a scanner, with their memory.
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

/// A copy of text that ends at an unreadable page.
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

/// Changes text up to `most` times: replaces, removes or inserts a byte, or cuts the text.
void mutate(corpus::random& random, std::string& text, std::string_view bytes, std::size_t most);

/// Scans packets and counts wrong verdicts about whether they are malicious.
std::size_t count_wrong(scanner& scan, const std::vector<corpus::packet>& packets);

bool same(const verdict& a, const verdict& b);
std::string describe(const verdict& v);
/// Returns text as a JSON string. percent is the share of bytes that are escaped without need;
/// with upper, hex digits are A to F.
std::string json_string(std::string_view text, unsigned percent = 0, bool upper = false);
std::string read_file(const std::string& path);
std::vector<std::string> read_lines(const std::string& path);

}  // namespace rtbwire::test
