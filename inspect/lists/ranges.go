package lists

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"slices"
)

// addresses is a set of prefixes: sorted ranges of addresses that neither overlap nor touch. IPv6
// prefixes of up to 64 bits are ranges of the upper half of an address; longer ones are kept
// apart, so that the others take half the memory.
type addresses struct {
	v4   ranges[uint32]
	v6   ranges[uint64]
	long []longRange
}

// longRange is a range of addresses with the same upper half.
type longRange struct{ upper, first, last uint64 }

// add adds a prefix. finish must be called before contains.
func (s *addresses) add(p netip.Prefix) {
	if a := p.Addr(); a.Is4() {
		b := a.As4()
		first := binary.BigEndian.Uint32(b[:])
		s.v4.all = append(s.v4.all, span[uint32]{first, first | uint32(1<<(32-p.Bits())-1)}) //nolint:gosec // at most 32 bits
		return
	}
	b := p.Addr().As16()
	upper, lower := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	if n := p.Bits(); n <= 64 {
		s.v6.all = append(s.v6.all, span[uint64]{upper, upper | (1<<(64-n) - 1)})
	} else {
		s.long = append(s.long, longRange{upper, lower, lower | (1<<(128-n) - 1)})
	}
}

// finish makes the set ready for lookups.
func (s *addresses) finish() {
	s.v4.finish()
	s.v6.finish()
	slices.SortFunc(s.long, func(a, b longRange) int {
		return cmp.Or(cmp.Compare(a.upper, b.upper), cmp.Compare(a.first, b.first), cmp.Compare(b.last, a.last))
	})
	kept := s.long[:0]
	for _, r := range s.long { // prefixes are within each other, or apart
		if last := len(kept) - 1; last < 0 || kept[last].upper != r.upper || kept[last].last < r.first {
			kept = append(kept, r)
		}
	}
	s.long = slices.Clone(kept)
}

// len returns the number of ranges.
func (s *addresses) len() int { return len(s.v4.all) + len(s.v6.all) + len(s.long) }

// contains reports whether a prefix of the set has the address, which is not IPv4 written as IPv6.
func (s *addresses) contains(a netip.Addr) bool {
	if a.Is4() {
		b := a.As4()
		return s.v4.contains(binary.BigEndian.Uint32(b[:]))
	}
	if !a.Is6() {
		return false
	}
	b := a.As16()
	upper, lower := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	if s.v6.contains(upper) {
		return true
	}
	if len(s.long) == 0 {
		return false
	}
	i, found := slices.BinarySearchFunc(s.long, longRange{upper: upper, first: lower}, func(r, at longRange) int {
		return cmp.Or(cmp.Compare(r.upper, at.upper), cmp.Compare(r.first, at.first))
	})
	return found || i > 0 && s.long[i-1].upper == upper && lower <= s.long[i-1].last
}

// ranges are sorted. A lookup searches the first addresses of every blockSize-th range, which fit
// into a cache near the processor, and then one block: at most 4 cache lines of the ranges.
type ranges[T uint32 | uint64] struct {
	all    []span[T]
	blocks []T
}

type span[T uint32 | uint64] struct{ first, last T }

const blockSize = 32

func (r *ranges[T]) finish() {
	slices.SortFunc(r.all, func(a, b span[T]) int { return cmp.Compare(a.first, b.first) })
	merged := r.all[:0]
	for _, s := range r.all {
		last := len(merged) - 1
		if last >= 0 && (s.first == 0 || s.first-1 <= merged[last].last) {
			merged[last].last = max(merged[last].last, s.last)
		} else {
			merged = append(merged, s)
		}
	}
	r.all = slices.Clone(merged)
	for i := 0; i < len(r.all); i += blockSize {
		r.blocks = append(r.blocks, r.all[i].first)
	}
	r.blocks = slices.Clip(r.blocks)
}

func (r *ranges[T]) contains(a T) bool {
	// The number of blocks that begin at the address or before it.
	from, n := 0, len(r.blocks)
	for n > 0 {
		half := (n + 1) / 2
		if r.blocks[from+half-1] <= a {
			from += half
		}
		n -= half
	}
	if from == 0 {
		return false
	}
	block := r.all[(from-1)*blockSize : min(from*blockSize, len(r.all))]
	at := 0 // of the last range that begins at the address or before it
	for n := len(block); n > 1; {
		half := n / 2
		if block[at+half].first <= a {
			at += half
		}
		n -= half
	}
	return a <= block[at].last
}
