package gateway

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the processor time of a process to the nanosecond. /proc has it in steps of
// 10 ms, which are a hundredth of a short measurement.
func processorTime(pid int) (time.Duration, error) {
	const clock = 2 // the clock of the scheduler (clock_getcpuclockid in libc)
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|clock), &t); err != nil {
		return 0, fmt.Errorf("the clock of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// ownTime returns the processor time of this process, and of those that it started and waited for.
func ownTime() (sum time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var r unix.Rusage
		if unix.Getrusage(who, &r) == nil {
			sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
	}
	return sum
}
