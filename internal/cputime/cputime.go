// Package cputime measures the CPU time of code, which other work on the machine affects less than
// wall time. Tests of time use it.
package cputime

import (
	"runtime"
	"sync"
	"time"
)

// Of runs f and returns the CPU time of its thread. Goroutines that f starts, the collector's among
// them, do not count. Where the system does not tell, it returns the time that passed.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := thread()
	f()
	return thread() - start
}

// AfterFunc calls f in a goroutine of its own once this process has used d of CPU time, unless stop
// is called before. It looks a few times a second.
func AfterFunc(d time.Duration, f func()) (stop func()) {
	done := make(chan struct{})
	end := Process() + d
	go func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if Process() >= end {
					f()
					return
				}
			}
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}

// Process returns the CPU time that all threads of this process have used. Where the system does
// not tell, it returns the time since the process started.
func Process() time.Duration { return process() }
