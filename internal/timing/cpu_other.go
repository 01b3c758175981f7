//go:build !linux

package timing

import (
	"errors"
	"time"
)

// CPUTime returns false on this platform.
func CPUTime() (used time.Duration, ok bool) { return 0, false }

// CPUTimeOf fails on this platform.
func CPUTimeOf(int) (time.Duration, error) {
	return 0, errors.New("no clock of another process on this platform")
}

// OnCore fails on this platform.
func OnCore(int) (undo func(), err error) {
	return nil, errors.New("no choice of cores on this platform")
}

// IdlestCore returns false on this platform.
func IdlestCore(time.Duration) (core int, ok bool) { return 0, false }

// UsageNow returns false on this platform.
func UsageNow() (Usage, bool) { return Usage{}, false }
