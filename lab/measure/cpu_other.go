//go:build !linux

package measure

import (
	"errors"
	"time"
)

// CPUTime returns false on this platform.
func CPUTime() (used time.Duration, ok bool) { return 0, false }

// OnCore fails on this platform.
func OnCore(int) (undo func(), err error) {
	return nil, errors.New("no choice of cores on this platform")
}

// IdlestCore returns false on this platform.
func IdlestCore(time.Duration) (core int, ok bool) { return 0, false }

// UsageNow returns false on this platform.
func UsageNow() (Usage, bool) { return Usage{}, false }
