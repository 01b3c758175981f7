//go:build !linux

package measure

import "time"

func cpuTime() (time.Duration, bool) { return 0, false }

// OnCore does nothing on this platform.
func OnCore(int) (undo func()) { return func() {} }

// IdlestCore returns false on this platform.
func IdlestCore(time.Duration) (core int, ok bool) { return 0, false }

// UsageNow returns false on this platform.
func UsageNow() (Usage, bool) { return Usage{}, false }
