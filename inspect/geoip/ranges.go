package geoip

import (
	"encoding/binary"
	"errors"
	"net/netip"
)

// index finds the number of an address's record: in sorted ranges of IPv4, and of the upper halves
// of IPv6. Where a network is smaller than an upper half (/64), the number has the bit leaf and is
// that of ranges of lower halves. Ranges take less memory than a tree, and fewer reads of it.
type index struct {
	v4    ranges[uint32]
	v6    ranges[uint64]
	lower []spans[uint64]
}

// span is a range of addresses, up to the start of the next one. The first one starts at 0.
type span[T uint32 | uint64] struct {
	start  T
	number uint32
}

type spans[T uint32 | uint64] []span[T]

// ranges are all spans, and which of them the addresses with the same first 16 bits are in: from
// top[bits] to top[bits+1].
type ranges[T uint32 | uint64] struct {
	spans spans[T]
	top   []uint32
	shift int // to the first 16 bits
}

const topBits = 16

// find returns the number of an address that is not IPv4 written as IPv6; 0 if it has none.
func (x *index) find(a netip.Addr) uint32 {
	if a.Is4() {
		b := a.As4()
		return x.v4.find(binary.BigEndian.Uint32(b[:]))
	}
	if x.v6.top == nil || !a.Is6() {
		return 0
	}
	b := a.As16()
	upper, lower := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	if upper == 0 && lower>>32 == 0 { // ::/96 is IPv4
		return x.v4.find(uint32(lower))
	}
	n := x.v6.find(upper)
	if n >= leaf {
		return x.lower[n&^leaf].find(lower)
	}
	return n
}

func (r *ranges[T]) find(a T) uint32 {
	top := a >> r.shift
	return r.spans[r.top[top] : r.top[top+1]+1].find(a)
}

// find returns the number of the last span that starts at the address or before it.
func (s spans[T]) find(a T) uint32 {
	at := 0
	for n := len(s); n > 1; {
		half := n / 2
		if s[at+half].start <= a {
			at += half
		}
		n -= half
	}
	return s[at].number
}

// add adds the span that starts at an address after all others.
func (s *spans[T]) add(start T, number uint32) {
	if n := len(*s); n == 0 || (*s)[n-1].number != number {
		*s = append(*s, span[T]{start, number})
	}
}

// finish builds the table of the first bits, of addresses with a number of bits.
func (r *ranges[T]) finish(bits int) {
	r.spans = append(spans[T](nil), r.spans...) // without room to grow
	r.top, r.shift = make([]uint32, 1<<topBits+1), bits-topBits
	at := 0
	for i := range 1 << topBits {
		for at+1 < len(r.spans) && r.spans[at+1].start <= T(i)<<r.shift {
			at++
		}
		r.top[i] = uint32(at) //nolint:gosec // less than stepsPerNode*nodesMax
	}
	r.top[1<<topBits] = uint32(len(r.spans) - 1)
}

// flattener makes an index of a tree.
type flattener struct {
	tree  tree
	index index
	steps int64 // that are left
}

// A tree may have the same nodes at several places: databases have IPv4 at three. More than this is
// a file that is made to fill the memory.
const (
	stepsPerNode = 16
	stepsMore    = 1 << 16
)

var errShared = errors.New("the search tree has the same networks at too many places")

// newIndex flattens a tree of a file that had a number of nodes.
func newIndex(t tree, fileNodes uint32) (*index, error) {
	f := flattener{tree: t, steps: stepsPerNode*int64(fileNodes) + stepsMore}
	root4 := t.root
	if t.bits > 32 {
		flatten(&f, &f.index.v6.spans, t.root, 0, 64, 0, f.lower)
		for range 96 { // to ::/96
			if root4 < leaf {
				root4 = t.nodes[root4][0]
			}
		}
	}
	flatten(&f, &f.index.v4.spans, root4, 0, 32, 0, nil)
	if f.steps < 0 {
		return nil, errShared
	}
	if t.bits > 32 {
		f.index.v6.finish(64)
	}
	f.index.v4.finish(32)
	x := f.index // without the tree
	return &x, nil
}

// flatten adds the spans of a branch with a number of bits left. Where stop bits are left it calls
// beyond for a node instead.
func flatten[T uint32 | uint64](f *flattener, to *spans[T], branch uint32, start T, bits, stop int, beyond func(branch uint32, start T)) {
	switch f.steps--; {
	case f.steps < 0:
	case branch >= leaf:
		to.add(start, branch&^leaf)
	case bits == stop:
		beyond(branch, start)
	default:
		n := f.tree.nodes[branch]
		flatten(f, to, n[0], start, bits-1, stop, beyond)
		flatten(f, to, n[1], start|1<<(bits-1), bits-1, stop, beyond)
	}
}

// lower adds the networks in an upper half of IPv6. IPv4 is not repeated: ::/96 and ::ffff:0:0/96
// are looked up elsewhere.
func (f *flattener) lower(branch uint32, upper uint64) {
	var s spans[uint64]
	flatten(f, &s, branch, 0, 64, 32, func(branch uint32, start uint64) {
		if quarter := start >> 32; upper == 0 && (quarter == 0 || quarter == 0xffff) {
			s.add(start, 0)
		} else {
			flatten(f, &s, branch, start, 32, 0, nil)
		}
	})
	f.index.v6.spans.add(upper, leaf|uint32(len(f.index.lower))) //nolint:gosec // less than nodesMax
	f.index.lower = append(f.index.lower, s)
}
