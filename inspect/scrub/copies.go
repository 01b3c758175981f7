package scrub

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/wire"
)

// An edit that sets a value reaches one copy of it: the last one. One that removes a value reaches
// all of them. So a value below a key that comes twice is removed, whatever was to be done.

// repeated is called at a duplicate key: the edits of its first value become removals, and so will
// those of the next.
func (m *Scratch) repeated(first mark) {
	m.copied, m.copies = true, true
	for i := range m.edits[first.from:first.to] {
		m.edits[first.from+i].Value = nil
	}
}

// withoutCopies sorts the edits from an index on, and drops those that another one makes needless:
// copies have the same paths, and where they differ in shape, one path leads to a part of another.
func withoutCopies(edits []wire.Edit, from int) []wire.Edit {
	slices.SortFunc(edits[from:], func(a, b wire.Edit) int { return comparePaths(a.Path, b.Path) })
	kept := from
	for _, e := range edits[from:] {
		if kept > from {
			if rest, ok := strings.CutPrefix(e.Path, edits[kept-1].Path); ok && (rest == "" || rest[0] == '/') {
				continue
			}
		}
		edits[kept] = e
		kept++
	}
	clear(edits[kept:])
	return edits[:kept]
}

// comparePaths orders paths so that the parts of a value come right after it.
func comparePaths(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(rank(a[i]), rank(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

func rank(b byte) int {
	if b == '/' {
		return -1
	}
	return int(b)
}

// mayDiffer reports whether readers can take a name for another one: it has an upper-case letter,
// one that is not ASCII, or a NUL.
func mayDiffer(name string) bool {
	for i := range len(name) {
		if b := name[i]; b-'A' < 26 || b >= utf8.RuneSelf || b == 0 {
			return true
		}
	}
	return false
}
