package testkit

import (
	"os"
	"testing"
)

// Long reports whether tests should run their exhaustive parts: RTBWIRE_LONG=1 asks for them.
// With -short no test does.
func Long(tb testing.TB) bool {
	tb.Helper()
	switch s := os.Getenv("RTBWIRE_LONG"); s {
	case "", "0":
		return false
	case "1":
		return !testing.Short()
	default:
		tb.Fatalf("RTBWIRE_LONG is %q, want 0 or 1", s)
		return false
	}
}

// Scale returns the value for this run: short with -short, long with RTBWIRE_LONG=1, and normal
// otherwise.
func Scale[T any](tb testing.TB, short, normal, long T) T {
	tb.Helper()
	switch {
	case testing.Short():
		return short
	case Long(tb):
		return long
	}
	return normal
}
