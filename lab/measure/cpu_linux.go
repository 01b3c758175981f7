package measure

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor time that this process has used. Other processes don't add to
// it, so that it means something on a busy machine too.
func cpuTime() (time.Duration, bool) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t)
	return time.Duration(t.Nano()), err == nil
}
