//go:build race

package testkit

// Race reports whether the race detector is on: memory and time then differ from other builds.
const Race = true
