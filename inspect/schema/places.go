package schema

import (
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
)

// This file finds the places of findings in a decoded document without walking through all of it:
// an object or array is read when something inside it is asked for, and the values in it are
// skipped. Its nodes have their children in a range of their own, see node.first.

// findPlaces makes d find places on demand. It reports false for a text that the decoder's reader
// does not accept; then index is to be called.
func (d *docText) findPlaces() bool {
	p := d.places.Begin(d.data)
	if p == 0 {
		return false
	}
	d.nodes = append(d.nodes[:0], node{index: noIndex, off: int32(p - 1)})
	d.lazy, d.read, d.known = true, true, true
	return true
}

// expand reads the members or elements of a node. It reports false when the text is not what the
// reader accepts.
func (d *docText) expand(parent int32) bool {
	n := d.nodes[parent]
	first := int32(len(d.nodes))
	ok := true
	switch p, info := int(n.off), &fields[n.field]; {
	case d.data[p] == '{' && n.field == 0:
		ok = d.expandObject(d.root, p)
	case d.data[p] == '{' && info.kind == kindObject:
		ok = d.expandObject(info.object, p)
	case d.data[p] == '[' && info.array && n.index == noIndex:
		ok = d.expandArray(n.field, p)
	}
	d.nodes[parent].first, d.nodes[parent].next = first, int32(len(d.nodes))
	return ok
}

// expandObject adds a node for each member that the specification knows. Of a repeated key only the
// last one keeps its field.
func (d *docText) expandObject(o objectID, p int) bool {
	var latest [fieldsMax]int32 // the node of each field's value, by fieldInfo.bit; 0: absent
	p, more := d.places.First(p + 1)
	for more {
		key, value := d.places.Key(p)
		if value == 0 {
			return false
		}
		if f := o.field(mem.Bytes(key)); f != 0 {
			bit := fields[f].bit
			if earlier := latest[bit]; earlier != 0 {
				d.nodes[earlier].field = 0
			}
			latest[bit] = int32(len(d.nodes))
			d.nodes = append(d.nodes, node{field: f, index: noIndex, off: int32(value)})
		}
		if p = d.places.SkipAccepted(value); p == 0 {
			return false
		}
		p, more = d.places.Member(p)
	}
	return p != 0
}

// expandArray adds a node for each element.
func (d *docText) expandArray(f fieldID, p int) bool {
	p, more, _ := d.places.OpenArray(p, wire.DepthMax)
	for i := int32(0); more; i++ {
		d.nodes = append(d.nodes, node{field: f, index: i, off: int32(p)})
		if p = d.places.SkipAccepted(p); p == 0 {
			return false
		}
		p, more = d.places.NextElement(p)
	}
	return p != 0
}

// place returns the node that a path leads to, or the innermost one on the way. It reports false
// when the text is not what the reader accepts.
func (d *docText) place(path []step) (at int32, ok bool) {
	for _, s := range path {
		next, ok := d.inside(at, s.field, noIndex)
		if ok && next >= 0 && s.index >= 0 {
			at = next
			next, ok = d.inside(at, s.field, s.index)
		}
		if !ok {
			return 0, false
		}
		if next < 0 {
			break
		}
		at = next
	}
	return at, true
}

// inside returns the child of a node with the given field and index, or -1.
func (d *docText) inside(parent int32, f fieldID, index int32) (at int32, ok bool) {
	if d.nodes[parent].first == 0 && !d.expand(parent) {
		return 0, false
	}
	first, end := d.nodes[parent].first, d.nodes[parent].next
	if index >= 0 { // elements are in their order
		if at = first + index; at < end && d.nodes[at].index == index {
			return at, true
		}
		return -1, true
	}
	for at = first; at < end; at++ {
		if d.nodes[at].field == f && d.nodes[at].index == noIndex {
			return at, true
		}
	}
	return -1, true
}
