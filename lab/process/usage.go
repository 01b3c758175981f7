package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// Used is the processor time that a process has used.
type Used struct {
	CPU          time.Duration // to the nanosecond
	User, System time.Duration // to 10 ms
}

// Tick is the unit of times in /proc: USER_HZ, the same on every platform that Go has.
const Tick = 10 * time.Millisecond

// Used returns what the process and its descendants have used so far.
func (p *Process) Used() (sum Used, err error) {
	for _, pid := range family(p.PID()) {
		u, err := UsedBy(pid)
		if err != nil {
			return sum, err
		}
		sum.CPU, sum.User, sum.System = sum.CPU+u.CPU, sum.User+u.User, sum.System+u.System
	}
	return sum, nil
}

// UsedBy returns what one process has used so far (proc(5): fields 14 and 15 of stat).
func UsedBy(pid int) (u Used, err error) {
	if u.CPU, err = measure.CPUTimeOf(pid); err != nil {
		return u, err
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u, err
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return u, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	ticks := func(field string) time.Duration {
		n, _ := strconv.ParseInt(field, 10, 64) // the kernel writes numbers
		return time.Duration(n) * Tick
	}
	u.User, u.System = ticks(fields[11]), ticks(fields[12])
	return u, nil
}

// Memory returns the resident memory of the process and its descendants, now and at most, in MiB.
func (p *Process) Memory() (resident, peak float64) {
	for _, pid := range family(p.PID()) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		resident += kilobytes(string(text), "VmRSS:") / 1024
		peak += kilobytes(string(text), "VmHWM:") / 1024
	}
	return resident, peak
}

// kilobytes returns a number of /proc/PID/status, or 0.
func kilobytes(text, name string) float64 {
	_, rest, _ := strings.Cut(text, name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseFloat(fields[0], 64)
	return n
}

// family returns a process and its descendants.
func family(pid int) []int {
	pids := []int{pid}
	for i := 0; i < len(pids); i++ {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pids[i], pids[i]))
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}
