//go:build !linux

package guardpage

import "testing"

// Enabled reports whether this system protects the pages around a Buffer.
const Enabled = false

// alloc returns size bytes without guards.
func alloc(tb testing.TB, size int) (whole []byte, guard int) {
	tb.Helper()
	return make([]byte, size), 0
}
