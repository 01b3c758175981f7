package schema

// This file maps paths to offsets: the text layer writes the nodes of a document, and findings
// of the value layer look up their places in them.

// node is a value that the specification knows, in the order of the text.
type node struct {
	field fieldID // 0 for the root
	hole  bool    // the value can't be decoded and was taken out
	index int32   // in an array, else noIndex
	off   int32   // of the value's first byte
	next  int32   // the node after this one's descendants
	first int32   // the first child, of nodes that are read on demand; next is then after the last
}

// locate returns the offset of the value at the current path, or of the innermost value around
// it; -1 when there is no text.
func (f *findings) locate() int {
	d := &f.docs[f.doc]
	if !d.read && d.data != nil && (f.slow || !d.findPlaces()) {
		f.index(d)
	}
	if d.lazy {
		if at, ok := d.place(f.path); ok {
			return f.offset(d, at)
		}
		d.lazy, d.read, d.known, d.nodes = false, false, false, d.nodes[:0]
		f.index(d)
	}
	if !d.known {
		return -1
	}
	return f.offset(d, d.find(f.path))
}

// offset returns the offset of a node that the current path leads to. The path may go on in an ext,
// which has no nodes.
func (f *findings) offset(d *docText, at int32) int {
	n := &d.nodes[at]
	if n.field != 0 && fields[n.field].kind == kindExt {
		for i := len(f.path) - 2; i >= 0; i-- {
			if f.path[i].field == n.field {
				return inExt(d.data, int(n.off), f.path[i+1:])
			}
		}
	}
	return int(n.off)
}

// find returns the node that a path leads to, or the innermost one on the way.
func (d *docText) find(path []step) (at int32) {
	for i, s := range path {
		next := d.child(2*i, at, s.field, noIndex)
		if next >= 0 && s.index >= 0 {
			at = next
			next = d.child(2*i+1, at, s.field, s.index)
		}
		if next < 0 {
			break
		}
		at = next
	}
	return at
}

// cursor is a child that was looked up.
type cursor struct {
	parent, node, index int32
	field               fieldID
}

// child returns the child of a node with the given field and index, or -1. Of a repeated key only
// the last value still has a field. depth tells the levels of a path apart: each remembers its last
// child, so that findings about one element after the other don't each walk from the first element.
func (d *docText) child(depth int, parent int32, f fieldID, index int32) int32 {
	for len(d.cursors) <= depth {
		d.cursors = append(d.cursors, cursor{})
	}
	at, last := parent+1, &d.cursors[depth]
	if last.node != 0 && last.parent == parent && last.field == f && last.index <= index {
		at = last.node
	}
	for ; at < d.nodes[parent].next; at = d.nodes[at].next {
		if d.nodes[at].field == f && d.nodes[at].index == index {
			*last = cursor{parent, at, index, f}
			return at
		}
	}
	return -1
}

// index fills in the nodes of a document that was decoded, by the text layer.
func (f *findings) index(d *docText) {
	if f.indexer == nil {
		f.indexer = new(layers)
		f.indexer.engine = silent
	}
	q := f.indexer
	q.begin(d.data, nil)
	q.docs[0].nodes, d.nodes = d.nodes, nil
	q.text(Request, d.root)
	d.read, d.known = true, q.docs[0].known
	q.docs[0].nodes, d.nodes = nil, q.docs[0].nodes
	q.finish()
}

// silent is an engine whose rules are all off. It is lenient because the decoder that read
// the document may have been.
var silent = &Engine{maxFindings: 1, lenient: true}
