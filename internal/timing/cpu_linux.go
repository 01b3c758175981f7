package timing

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns the processor time that this process has used. Other processes do not add to it,
// so that it is useful on a busy machine too.
func CPUTime() (used time.Duration, ok bool) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t)
	return time.Duration(t.Nano()), err == nil
}

// CPUTimeOf returns the processor time that another process has used, to the nanosecond: /proc has
// it in steps of 10 ms, which are a hundredth of a short measurement.
func CPUTimeOf(pid int) (time.Duration, error) {
	const clock = 2 // the clock of the scheduler (clock_getcpuclockid in libc)
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|clock), &t); err != nil {
		return 0, fmt.Errorf("the clock of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// OnCore ties all threads of this process to a core, and returns a function that frees them.
func OnCore(core int) (undo func(), err error) {
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, err
	}
	if one.Set(core); !before.IsSet(core) {
		return nil, fmt.Errorf("this process may not run on core %d", core)
	}
	setAffinity(&one)
	return func() { setAffinity(&before) }, nil
}

// setAffinity passes over threads that have ended.
func setAffinity(set *unix.CPUSet) {
	// A thread that was started meanwhile inherits from its parent, which may have had its turn
	// only afterwards: the second pass finds it.
	for range 2 {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return
		}
		for _, task := range tasks {
			if tid, err := strconv.Atoi(task.Name()); err == nil {
				_ = unix.SchedSetaffinity(tid, set)
			}
		}
	}
}

// IdlestCore watches the cores for a while and returns the one that was idle most, of those that
// this process may use. Of equally idle cores it returns the last: interrupts go to the first.
func IdlestCore(while time.Duration) (core int, ok bool) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return 0, false
	}
	before := idleTicks()
	time.Sleep(while)
	after := idleTicks()
	most := int64(-1)
	for c := range after {
		if c < len(before) && allowed.IsSet(c) && after[c]-before[c] >= most {
			core, most = c, after[c]-before[c]
		}
	}
	return core, most >= 0
}

// idleTicks returns for each core how long it was idle.
func idleTicks() []int64 {
	var ticks []int64
	for _, fields := range procStat() {
		if fields[0] == "cpu" || len(fields) < 6 {
			continue
		}
		core, err := strconv.Atoi(strings.TrimPrefix(fields[0], "cpu"))
		if err != nil {
			continue
		}
		for len(ticks) <= core {
			ticks = append(ticks, 0)
		}
		ticks[core] = number(fields[4]) + number(fields[5])
	}
	return ticks
}

// procStat returns the lines of /proc/stat about processors, in words.
func procStat() [][]string {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return nil
	}
	var lines [][]string
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 0 && strings.HasPrefix(fields[0], "cpu") {
			lines = append(lines, fields)
		}
	}
	return lines
}

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

const ticksPerSecond = 100 // USER_HZ, the same on every platform that Go has

// UsageNow reads the counters of the machine. Processes that this one has started count as its own
// once they have ended.
func UsageNow() (Usage, bool) {
	lines := procStat()
	if len(lines) == 0 || len(lines[0]) < 9 {
		return Usage{}, false
	}
	all := lines[0] // cpu user nice system idle iowait irq softirq steal
	u := Usage{At: time.Now(), Stolen: seconds(number(all[8]))}
	for _, i := range []int{1, 2, 3, 6, 7} {
		u.Busy += seconds(number(all[i]))
	}
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var r unix.Rusage
		if unix.Getrusage(who, &r) != nil {
			return Usage{}, false
		}
		u.Own += time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	return u, true
}

func seconds(ticks int64) time.Duration { return time.Duration(ticks) * time.Second / ticksPerSecond }
