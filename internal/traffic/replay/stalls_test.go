package replay

import "testing"

// TestStalls: a long stall is remembered until the requests that became due in it are sent,
// whatever happens meanwhile.
func TestStalls(t *testing.T) {
	var s stalls
	const long, short = 40_000_000, stallMin + 1
	s.add(stall{1000, 1000 + long})
	from := int64(2000 + long)
	for range 10 * stallsMax {
		s.add(stall{from, from + short})
		from += 2 * short
	}
	s.add(stall{from, from + stallMin}) // too short
	if n := len(s.list); n != stallsMax {
		t.Errorf("%d are remembered", n)
	}
	for _, tt := range []struct{ due, end int64 }{
		{999, 0}, {1000, 1000 + long}, {1000 + long, 1000 + long}, {1001 + long, 0},
		{from - 2*short, from - short}, {from - short + 1, 0}, {from, 0},
	} {
		if end := s.end(tt.due); end != tt.end {
			t.Errorf("a request due at %d: %d, want %d", tt.due, end, tt.end)
		}
	}
	if n := len(s.list); n != 0 {
		t.Errorf("%d are left", n)
	}
}
