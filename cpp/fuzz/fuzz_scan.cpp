// libFuzzer target: every kernel and mode must give the verdict of the scalar kernel. The first
// byte selects layers; the rest is the packet, in a block of exactly its size.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "rtbwire/scan.hpp"

namespace {

using namespace rtbwire;

struct judge {
  std::vector<std::byte> engine_memory, memory;
  std::unique_ptr<engine> eng;
  std::unique_ptr<scanner> scan;

  judge(rtbwire_kernel kernel, unsigned layers, rtbwire_mode mode)
      : engine_memory(engine::memory(default_patterns())) {
    const rtbwire_scanner_options options{mode, 1 << 16, 128};
    memory.resize(scanner::memory(options));
    eng = std::make_unique<engine>(engine_memory, default_patterns(),
                                   rtbwire_engine_options{kernel, layers});
    scan = std::make_unique<scanner>(memory, *eng, options);
  }
};

bool same(const verdict& a, const verdict& b) {
  return std::memcmp(&a, &b, offsetof(verdict, pointer)) == 0 &&
         std::strcmp(a.pointer, b.pointer) == 0 &&
         std::ranges::equal(matched_patterns(a), matched_patterns(b));
}

std::vector<judge> make_judges() {
  std::vector<judge> all;
  for (const unsigned layers : {0u, unsigned{RTBWIRE_LAYER_ALL}})
    for (const auto mode : {RTBWIRE_STRICT, RTBWIRE_DETECT})
      for (const auto kernel : {RTBWIRE_KERNEL_SCALAR, RTBWIRE_KERNEL_SSE42, RTBWIRE_KERNEL_AVX2,
                                RTBWIRE_KERNEL_AVX512, RTBWIRE_KERNEL_NEON})
        if (rtbwire_kernel_usable(kernel)) all.emplace_back(kernel, layers, mode);
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::vector<judge> judges = make_judges();
  if (size == 0 || size > 1 << 16) return 0;
  const std::size_t group = judges.size() / 4, first = (data[0] & 3) * group;
  const std::unique_ptr<char[]> packet{new char[size - 1]};
  std::memcpy(packet.get(), data + 1, size - 1);
  const std::string_view text{packet.get(), size - 1};
  const verdict want = judges[first].scan->scan(text);
  for (std::size_t i = 1; i < group; ++i)
    if (!same(want, judges[first + i].scan->scan(text))) std::abort();
  return 0;
}
