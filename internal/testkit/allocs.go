package testkit

import "testing"

// Allocs returns how many allocations a call of f makes. The runtime and other goroutines allocate
// now and then, and a collection empties pools, so what a call makes is what each of a few makes.
func Allocs(f func()) float64 {
	least := testing.AllocsPerRun(1, f)
	for try := 0; try < 4 && least > 0; try++ {
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}
