package wire

import "slices"

// This file finds keys that come twice, for strict mode.

// duplicates is the state of one search.
type duplicates struct {
	names   []string // the keys of the open objects, outer ones first
	objects int      // how many objects have been seen
	many    map[objectKey]struct{}
	at      int
	found   bool
}

type objectKey struct {
	object int
	name   string
}

// linearMax is up to how many keys of an object are compared one by one.
const linearMax = 16

// findDuplicate returns the offset of the first key that its object had before, at any depth.
// The document has been decoded before, so that it is valid.
func findDuplicate(data []byte) (at int, found bool) {
	var d duplicates
	ref := reference{data: data, member: d.member}
	ref.document(DepthMost)
	return d.at, d.found
}

// member looks at the key that was just read.
func (d *duplicates) member(ref *reference) bool {
	top := &ref.levels[len(ref.levels)-1]
	if top.names == 0 { // the object's first key
		d.objects++
		top.id = d.objects
	}
	// Behind the keys of the objects that are still open there may be some of closed ones.
	d.names = d.names[:top.outer+top.names]
	name := unescapeReference(ref.data[top.keyStart:top.keyEnd])
	if d.seen(top, name) {
		d.at, d.found = top.keyStart-1, true
		return false
	}
	d.names = append(d.names, name)
	top.names++
	return true
}

func (d *duplicates) seen(top *level, name string) bool {
	own := d.names[len(d.names)-top.names:]
	if len(own) <= linearMax && slices.Contains(own, name) {
		return true
	}
	if len(own) < linearMax {
		return false
	}
	if d.many == nil {
		d.many = make(map[objectKey]struct{})
	}
	if len(own) == linearMax {
		for _, other := range own {
			d.many[objectKey{top.id, other}] = struct{}{}
		}
	}
	_, seen := d.many[objectKey{top.id, name}]
	d.many[objectKey{top.id, name}] = struct{}{}
	return seen
}
