// No input takes more than a bounded CPU time per byte. The fastest of several runs counts, because
// a busy machine also slows the caches. Does not run under sanitizers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "adversarial.hpp"
#include "cpu_time.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

double nanoseconds_per_byte(fixture_scanner& scan, const std::string& text) {
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    const std::size_t times = 1 + 20000 / text.size();
    const double begin = cpu_seconds();
    for (std::size_t i = 0; i < times; ++i) (void)scan(text);
    const double took = 1e9 * (cpu_seconds() - begin);
    best = std::min(best, took / static_cast<double>(times * text.size()));
  }
  return best;
}

void expect_bound(rtbwire_kernel kernel, rtbwire_mode mode, unsigned layers, double bound) {
  fixture_scanner scan{kernel, {mode, 0, 0}, layers};
  double worst = 0;
  std::string name;
  for (const auto& family : corpus::adversarial()) {
    const double ns = nanoseconds_per_byte(scan, family.text);
    EXPECT_LE(ns, bound) << rtbwire_kernel_name(kernel) << " mode " << mode << " layers " << layers
                         << ": " << family.name << ", " << family.text.size() << " bytes";
    if (ns > worst) {
      worst = ns;
      name = family.name;
    }
  }
  std::printf("%s, %s, layers %u: at most %.2f ns/B (%s)\n", rtbwire_kernel_name(kernel),
              mode == RTBWIRE_STRICT ? "strict" : "detect", layers, worst, name.c_str());
}

// The bound for the vector kernels is 10 ns per byte on an idle core. The factor is for machines
// that are slower or shared.
TEST(Bound, NoInputIsSlow) {
  const char* factor = std::getenv("RTBWIRE_BOUND_FACTOR");
  const double bound = 10 * (factor != nullptr ? std::atof(factor) : 4);
  for (const auto kernel : kernels())
    for (const auto mode : {RTBWIRE_STRICT, RTBWIRE_DETECT}) expect_bound(kernel, mode, 0, bound);
}

// Layers decode the whole text up to six times.
TEST(Bound, NoInputIsSlowWithLayers) {
  const char* factor = std::getenv("RTBWIRE_BOUND_FACTOR");
  const double bound = 40 * (factor != nullptr ? std::atof(factor) : 4);
  for (const auto kernel : kernels())
    expect_bound(kernel, RTBWIRE_STRICT, RTBWIRE_LAYER_ALL, bound);
}

}  // namespace
}  // namespace rtbwire::test
