//go:build !linux

package conformance

import "time"

var processStart = time.Now()

// threadTime is the time that has passed: what this thread has used can't be asked for here.
func threadTime() time.Duration { return time.Since(processStart) }
