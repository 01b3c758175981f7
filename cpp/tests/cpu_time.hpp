// The time that a test has spent on a processor: what else the machine does is not in it.
#ifndef RTBWIRE_TESTS_CPU_TIME_HPP
#define RTBWIRE_TESTS_CPU_TIME_HPP

#include <time.h>

namespace rtbwire::test {

// cpu_seconds returns the CPU time of this thread.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace rtbwire::test

#endif  // RTBWIRE_TESTS_CPU_TIME_HPP
