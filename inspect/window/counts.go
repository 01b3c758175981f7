package window

import (
	"math/bits"
	"sync/atomic"
)

// countTable counts the requests of each key in the last slots of time.
type countTable struct{ table[countBucket] }

const (
	countWays  = 5 // entries of a bucket
	countSlots = 4 // of a window: the current one and those before
	laneBits   = 16
	laneMax    = 1<<laneBits - 1
)

// countBucket is a cache line with the entries whose requests are the newest, in that order. An
// entry is a tag and counts: 16 bits for each slot, the current one in the lowest. A lane that is
// full stays so. An entry without counts is free.
type countBucket struct {
	now    atomic.Uint32 // the current slot, its lower bits
	tags   [countWays]uint32
	counts [countWays]uint64
}

func newCountTable(entries int) countTable {
	return countTable{newTable[countBucket](entries, countWays)}
}

// prefetch reads from the buckets of a hash.
func (t *countTable) prefetch(hash uint64) {
	if hash != 0 {
		_, a, b := t.place(hash)
		a.now.Load()
		b.now.Load()
	}
}

// observe returns how many requests with the hash are in the window, after adding one in the given
// slot if asked to. Hash 0 has none.
func (t *countTable) observe(c *clock, slot int64, hash uint64, add bool) (n int) {
	if hash == 0 {
		return 0
	}
	s, a, b := t.place(hash)
	s.mu.Lock()
	now := c.now.Load() // while locked: a bucket never sees an older time after a newer one
	if age := now - slot; age >= 0 && age < countSlots {
		var forgot bool
		n, forgot = count(a, b, uint32(hash), uint32(now), uint(age), add)
		if forgot {
			s.forgotten++
		}
	}
	s.mu.Unlock()
	return n
}

// count is observe for the two buckets of a tag. It reports whether an entry gave way.
func count(a, b *countBucket, tag, now uint32, age uint, add bool) (n int, forgot bool) {
	a.advance(now)
	if i := a.find(tag); i >= 0 {
		return a.touch(i, age, add), false
	}
	b.advance(now)
	if i := b.find(tag); i >= 0 {
		return b.touch(i, age, add), false
	}
	if !add {
		return 0, false
	}
	to, freeA, freeB := a, a.free(), b.free()
	const oldest = countWays - 1
	switch {
	case freeA == 0 && freeB == 0:
		forgot = true
		if bits.TrailingZeros64(b.counts[oldest])/laneBits > bits.TrailingZeros64(a.counts[oldest])/laneBits {
			to = b
		}
	case freeB > freeA:
		to = b
	}
	to.toFront(to.slot(), tag, 1<<(laneBits*age))
	return 1, forgot
}

// advance moves the counts to a later slot. Those that leave the window are gone, and so are all of
// a time that is after now: the clock was moved back.
func (b *countBucket) advance(now uint32) {
	passed := now - b.now.Load()
	if passed == 0 {
		return
	}
	b.now.Store(now)
	if passed >= countSlots {
		b.counts = [countWays]uint64{}
		return
	}
	for i := range b.counts {
		b.counts[i] <<= laneBits * passed
	}
}

// find returns the index of the entry with the tag, or -1.
func (b *countBucket) find(tag uint32) int {
	for i, t := range b.tags {
		if t == tag && b.counts[i] != 0 {
			return i
		}
	}
	return -1
}

// free returns how many entries are free.
func (b *countBucket) free() (n int) {
	for _, c := range b.counts {
		if c == 0 {
			n++
		}
	}
	return n
}

// slot returns the index of a free entry, or else of the oldest.
func (b *countBucket) slot() int {
	for i, c := range b.counts {
		if c == 0 {
			return i
		}
	}
	return countWays - 1
}

// touch returns the sum of an entry's counts, after adding one of the age if asked to, which makes
// the entry the newest.
func (b *countBucket) touch(i int, age uint, add bool) int {
	counts := b.counts[i]
	if add {
		if counts>>(laneBits*age)&laneMax < laneMax {
			counts += 1 << (laneBits * age)
		}
		b.toFront(i, b.tags[i], counts)
	}
	const even = laneMax | laneMax<<(2*laneBits)
	pairs := counts&even + counts>>laneBits&even
	return int(uint32(pairs) + uint32(pairs>>(2*laneBits)))
}

// toFront puts an entry to the front, in place of the one at the index.
func (b *countBucket) toFront(i int, tag uint32, counts uint64) {
	for ; i > 0; i-- {
		b.tags[i], b.counts[i] = b.tags[i-1], b.counts[i-1]
	}
	b.tags[0], b.counts[0] = tag, counts
}
