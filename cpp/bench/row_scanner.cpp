// Our scanner, each kernel and mode, with all default patterns.
#include <vector>

#include "contender.hpp"
#include "rtbwire/scan.hpp"

namespace rtbwire::bench {
namespace {

template <rtbwire_kernel Kernel, rtbwire_mode Mode>
class ours final : public contender {
 public:
  answer judge(std::string_view packet) override {
    rtbwire_scan(scanner_.get(), packet.data(), packet.size(), &verdict_);
    if (verdict_.outcome == RTBWIRE_MALICIOUS) return answer::malicious;
    return verdict_.outcome == RTBWIRE_CLEAN ? answer::clean : answer::invalid;
  }
  std::size_t arena_peak() const override { return rtbwire_scanner_peak(scanner_.get()); }

 private:
  static constexpr rtbwire_scanner_options options{Mode, 65535, 0};
  std::vector<std::byte> engine_memory_ =
      std::vector<std::byte>(engine::memory(default_patterns()));
  std::vector<std::byte> memory_ = std::vector<std::byte>(scanner::memory(options));
  engine engine_{engine_memory_, default_patterns(), {Kernel, 0}};
  scanner scanner_{memory_, engine_, options};
  verdict verdict_{};
};

template <rtbwire_kernel Kernel, rtbwire_mode Mode>
void add(const char* name) {
  if (!rtbwire_kernel_usable(Kernel)) return;
  add_row(name, []() -> contender* { return new ours<Kernel, Mode>; },
          {.grammar = Mode == RTBWIRE_STRICT, .longest = 65535});
}

}  // namespace

void add_scanner_rows() {
  add<RTBWIRE_KERNEL_AVX512, RTBWIRE_STRICT>("scanner-strict-avx512");
  add<RTBWIRE_KERNEL_AVX2, RTBWIRE_STRICT>("scanner-strict-avx2");
  add<RTBWIRE_KERNEL_SSE42, RTBWIRE_STRICT>("scanner-strict-sse42");
  add<RTBWIRE_KERNEL_NEON, RTBWIRE_STRICT>("scanner-strict-neon");
  add<RTBWIRE_KERNEL_SCALAR, RTBWIRE_STRICT>("scanner-strict-scalar");
  add<RTBWIRE_KERNEL_AVX512, RTBWIRE_DETECT>("scanner-detect-avx512");
  add<RTBWIRE_KERNEL_AVX2, RTBWIRE_DETECT>("scanner-detect-avx2");
  add<RTBWIRE_KERNEL_SSE42, RTBWIRE_DETECT>("scanner-detect-sse42");
  add<RTBWIRE_KERNEL_NEON, RTBWIRE_DETECT>("scanner-detect-neon");
  add<RTBWIRE_KERNEL_SCALAR, RTBWIRE_DETECT>("scanner-detect-scalar");
}

}  // namespace rtbwire::bench
