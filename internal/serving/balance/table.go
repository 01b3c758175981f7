package balance

import (
	"cmp"
	"math"
	"slices"
)

// SlotsMax bounds the slots of a table. Shares that fit into none that is shorter are rounded to a
// multiple of 1/SlotsMax.
const SlotsMax = 4096

// table is the shares of a group, as they are now. It is never changed, but replaced.
type table struct {
	slots []slot
	open  []*Endpoint // their breakers are open: one request in each pause tries them
	panic bool        // unhealthy addresses are among the slots
}

// slot is a turn of an address.
type slot struct {
	endpoint *Endpoint
	share    float32
}

// newSlots returns the slots of addresses with shares, so that each has its part of them and its
// turns are as far apart as they can be.
func newSlots(endpoints []*Endpoint, shares []float64) []slot {
	counts := slotCounts(shares)
	type turn struct {
		at float64 // in the cycle, from 0 to 1
		i  int
	}
	var turns []turn
	for i, n := range counts {
		for k := range n {
			// The phases differ, so that the single turns of several addresses don't come together.
			phase := (float64(i) + 0.5) / float64(len(counts))
			turns = append(turns, turn{(float64(k) + phase) / float64(n), i})
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	slots := make([]slot, len(turns))
	for k, t := range turns {
		slots[k] = slot{endpoints[t.i], float32(shares[t.i])}
	}
	return slots
}

// slotCounts returns how many slots each share gets: exactly in proportion if there is a number of
// slots for that, the smallest of these, and rounded otherwise. Every share greater than 0 gets
// one.
func slotCounts(shares []float64) []int {
	sum, smallest := 0.0, math.Inf(1)
	for _, s := range shares {
		if sum += s; s > 0 {
			smallest = min(smallest, s)
		}
	}
	counts := make([]int, len(shares))
	if sum == 0 {
		return counts
	}
	for n := max(1, int(sum/smallest)); n <= SlotsMax; n++ {
		if exactly(counts, shares, float64(n)/sum) {
			return counts
		}
	}
	// The largest remainders get what is left.
	type rest struct {
		part float64
		i    int
	}
	var rests []rest
	left := SlotsMax
	for i, s := range shares {
		want := s * SlotsMax / sum
		counts[i] = int(want)
		if s > 0 {
			counts[i] = max(counts[i], 1)
		}
		left -= counts[i]
		rests = append(rests, rest{want - float64(counts[i]), i})
	}
	slices.SortStableFunc(rests, func(a, b rest) int { return cmp.Compare(b.part, a.part) })
	for k := 0; k < left; k++ {
		counts[rests[k%len(rests)].i]++
	}
	return counts
}

// exactly fills in the products of shares and a factor, and reports whether all are integers.
func exactly(counts []int, shares []float64, factor float64) bool {
	const rounding = 1e-9
	for i, s := range shares {
		n := math.Round(s * factor)
		if math.Abs(s*factor-n) > rounding*max(n, 1) || s > 0 && n == 0 {
			return false
		}
		counts[i] = int(n)
	}
	return true
}
