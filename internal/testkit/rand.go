package testkit

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Rand returns random numbers that depend on the seed alone.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// Seed is the seed in RTBWIRE_SEED, 1 without it.
func Seed(tb testing.TB) uint64 {
	tb.Helper()
	return Number[uint64](tb, "RTBWIRE_SEED", 1)
}

// Number returns the number in an environment variable, or otherwise if the variable is not set.
func Number[T int | uint64](tb testing.TB, variable string, otherwise T) T {
	tb.Helper()
	s := os.Getenv(variable)
	if s == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil || uint64(T(n)) != n {
		tb.Fatalf("%s=%q is not a number for this platform: %v", variable, s, err)
	}
	return T(n)
}
