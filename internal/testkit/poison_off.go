//go:build !rtbwiredebug

package testkit

// Poisoned reports whether released arenas are overwritten and never used again.
const Poisoned = false
