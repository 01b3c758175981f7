// Package seen finds names that come twice in a group: the keys of an object, the ids of a
// list. Small groups are searched one by one, which is faster than hashing; large ones are
// hashed, so that the time stays linear whatever the input.
package seen

// LinearMax is up to how many names of a group are compared one by one.
const LinearMax = 16

// hashedMax is how many hashed names are worth the memory for the next document. Emptying a map
// takes as long as it was ever large.
const hashedMax = 1024

// Groups holds the names of nested groups. The zero value has no group open. Names are kept,
// not copied: they must not change before their group is closed.
type Groups struct {
	names  []string // of the open groups, outer ones first
	open   []group
	serial int               // tells groups apart
	hashed map[groupName]int // the names of groups that outgrew LinearMax
	most   int               // how large hashed ever was
}

type group struct {
	from   int // index of its first name
	serial int
}

type groupName struct {
	serial int
	name   string
}

// Open begins a group inside the current one.
func (g *Groups) Open() {
	g.serial++
	g.open = append(g.open, group{len(g.names), g.serial})
}

// Close ends the current group; the one around it goes on.
func (g *Groups) Close() {
	last := len(g.open) - 1
	top := g.open[last]
	own := g.names[top.from:]
	if len(own) > LinearMax {
		for _, name := range own {
			delete(g.hashed, groupName{top.serial, name})
		}
	}
	clear(own)
	g.names, g.open = g.names[:top.from], g.open[:last]
}

// Add adds a name to the current group. If the group had it before, Add returns its number
// there and true: names are numbered from 0 in the order of Add, repeated ones included.
func (g *Groups) Add(name string) (earlier int, repeated bool) {
	top := g.open[len(g.open)-1]
	own := g.names[top.from:]
	n := len(own)
	g.names = append(g.names, name)
	if n < LinearMax {
		for i, other := range own {
			if other == name {
				return i, true
			}
		}
		return 0, false
	}
	if n == LinearMax {
		if g.hashed == nil {
			g.hashed = make(map[groupName]int)
		}
		for i := n - 1; i >= 0; i-- { // backwards, so that the first one stays
			g.hashed[groupName{top.serial, own[i]}] = i
		}
	}
	key := groupName{top.serial, name}
	if i, ok := g.hashed[key]; ok {
		return i, true
	}
	g.hashed[key] = n
	g.most = max(g.most, len(g.hashed))
	return 0, false
}

// Reset closes all groups and keeps memory for the next document, unless this one was unusually
// large.
func (g *Groups) Reset() {
	if cap(g.names) > hashedMax || g.most > hashedMax {
		*g = Groups{}
		return
	}
	for len(g.open) > 0 {
		g.Close()
	}
}
