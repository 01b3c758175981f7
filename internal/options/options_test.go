package options

import (
	"math"
	"strconv"
	"testing"
)

// TestBudget: the memory budget never wraps, however large its parts and the document are.
func TestBudget(t *testing.T) {
	for _, c := range []struct {
		name          string
		perByte, base int
		n, want       int
	}{
		{"the defaults", MemoryPerByteDefault, MemoryBaseDefault, 1000, 56_000 + 36<<10},
		{"nothing", 0, 0, 1000, 0},
		{"less than what is set aside", UnchargedPerByte - 1, UnchargedBase - 1, 1000, 0},
		{"exactly what is set aside", UnchargedPerByte, UnchargedBase, 1000, 0},
		{"one more", UnchargedPerByte + 1, UnchargedBase + 1, 1000, 1001},
		{"the base alone is all", 0, math.MaxInt, 1000, math.MaxInt - UnchargedBase},
		{"all by bytes", math.MaxInt, 0, 1000, math.MaxInt},
		{"all of both", math.MaxInt, math.MaxInt, SizeMax, math.MaxInt},
		{"just beyond an int", math.MaxInt/1000 + UnchargedPerByte + 1, 0, 1000, math.MaxInt},
		{"exactly what wraps to nothing", 1<<(strconv.IntSize-20) + UnchargedPerByte, 0, 1 << 20, math.MaxInt},
		{"no bytes", math.MaxInt, UnchargedBase + 7, 0, 7},
	} {
		o := New()
		o.MemoryPerByte, o.MemoryBase = c.perByte, c.base
		if got := o.Budget(c.n); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
