// Package seen finds duplicate names in a group: the keys of an object, the ids of a list. Small
// groups are searched one by one, which is faster than hashing; large ones are hashed, so that the
// time stays linear whatever the input.
package seen

import (
	"hash/maphash"
	"slices"
)

// LinearMax is up to how many names of a group are compared one by one.
const LinearMax = 16

// keptMax is how many names and groups Reset keeps memory for.
const keptMax = 1024

// Groups holds the names of nested groups. The zero value has no group open. Names are kept,
// not copied: they must not change before their group is closed.
type Groups struct {
	names []string // of the open groups, outer ones first
	open  []int    // for each open group the index of its first name

	// The hash table of the groups with more than LinearMax names. Names are inserted in the
	// order of their indexes and deleted in the reverse order, so that deleting one leaves the
	// table as it was before, without a gap in the search for another.
	table  []int // 1 + the index of a name, 0 for a free slot
	hashed int   // slots in use, at most half of them
	seed   maphash.Seed
}

// Open begins a group inside the current one.
func (g *Groups) Open() { g.open = append(g.open, len(g.names)) }

// Len is the number of names in the current group, repeated ones included.
func (g *Groups) Len() int { return len(g.names) - g.open[len(g.open)-1] }

// Close ends the current group; the one around it goes on.
func (g *Groups) Close() {
	last := len(g.open) - 1
	from := g.open[last]
	if len(g.names)-from > LinearMax {
		for i := len(g.names) - 1; i >= from; i-- {
			if slot := g.slot(g.names[i], from); g.table[slot] == 1+i {
				g.table[slot] = 0
				g.hashed--
			}
		}
	}
	clear(g.names[from:])
	g.names, g.open = g.names[:from], g.open[:last]
}

// Add adds a name to the current group. If the group had it before, Add returns its number
// there and true: names are numbered from 0 in the order of Add, repeated ones included.
func (g *Groups) Add(name string) (earlier int, repeated bool) {
	from := g.open[len(g.open)-1]
	own := g.names[from:]
	n := len(own)
	if n < LinearMax {
		g.names = append(g.names, name)
		for i, other := range own {
			if other == name {
				return i, true
			}
		}
		return 0, false
	}
	g.grow()
	if n == LinearMax {
		for i := range own {
			g.insert(from+i, from)
		}
	}
	g.names = append(g.names, name)
	return g.insert(from+n, from)
}

// Has reports whether the current group has a name.
func (g *Groups) Has(name string) bool {
	from := g.open[len(g.open)-1]
	if own := g.names[from:]; len(own) <= LinearMax {
		return slices.Contains(own, name)
	}
	return g.table[g.slot(name, from)] != 0
}

// Reset closes all groups. It keeps memory for the next document, unless this one was unusually
// large.
func (g *Groups) Reset() {
	if max(cap(g.names), cap(g.open)) > keptMax {
		*g = Groups{}
		return
	}
	for len(g.open) > 0 {
		g.Close()
	}
}

// insert enters a name of the group that begins at from into the table, unless the group has it
// there already.
func (g *Groups) insert(index, from int) (earlier int, repeated bool) {
	slot := g.slot(g.names[index], from)
	if n := g.table[slot]; n != 0 {
		return n - 1 - from, true
	}
	g.table[slot] = 1 + index
	g.hashed++
	return 0, false
}

// slot returns the slot of a name of the group that begins at from, a free one if the table does
// not have it.
func (g *Groups) slot(name string, from int) int {
	const odd = 0x9e3779b97f4a7c15 // spreads equal names of nested groups
	hash := maphash.String(g.seed, name) + uint64(from)*odd
	for mask := len(g.table) - 1; ; hash++ {
		slot := int(hash) & mask
		if n := g.table[slot]; n == 0 || n > from && g.names[n-1] == name {
			return slot
		}
	}
}

// grow makes room for the names that one call of Add inserts.
func (g *Groups) grow() {
	if len(g.table) == 0 {
		g.seed = maphash.MakeSeed()
	} else if 2*(g.hashed+LinearMax+1) <= len(g.table) {
		return
	}
	g.table, g.hashed = make([]int, max(8*LinearMax, 2*len(g.table))), 0
	for i, from := range g.open {
		end := len(g.names)
		if i+1 < len(g.open) {
			end = g.open[i+1]
		}
		if end-from > LinearMax {
			for index := from; index < end; index++ {
				g.insert(index, from)
			}
		}
	}
}
