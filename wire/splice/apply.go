package splice

import (
	"cmp"
	"errors"
	"slices"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// splicer is the working memory of Apply.
type splicer struct {
	tree
	r     coder.Reader
	from  int // where the object that is read begins
	spans []span
	text  []byte // to insert
	err   *wire.Error

	// In the first pass edits inside a value are applied when the walk comes to it, as if no key
	// came twice. What goes wrong then, or a key that comes twice, needs a second pass: it looks
	// for the values that count first, and goes into them afterwards.
	second   bool
	removing bool // an earlier value of a duplicate key: only removals are applied
}

// span is a piece of the document and what takes its place.
type span struct {
	from, to int
	text     []byte
}

// bytesKept is how much memory for text a splicer keeps for the next document.
const bytesKept = 1 << 20

// reset makes the memory free for the next document, and lets the last one be collected.
func (s *splicer) reset() {
	s.r.Reset()
	if s.r.Retained() > bytesKept {
		s.r.Drop()
	}
	s.tree.reset()
	clear(s.spans)
	if cap(s.spans) > nodesKept {
		s.spans = nil
	}
	s.spans, s.err, s.second, s.removing = s.spans[:0], nil, false, false
	if cap(s.text) > bytesKept {
		s.text = nil
	}
	s.text = s.text[:0]
}

// splice edits the object in data[from:to].
func (s *splicer) splice(dst, data []byte, from, to int, edits []wire.Edit) ([]byte, error) {
	s.from = from
	if !s.plantAll(edits) {
		return dst, s.err
	}
	p := s.r.Begin(data[from:to])
	if start := p; p != 0 {
		if p = s.object(start-1, 0, s.r.Depth()); s.second {
			s.spans, s.text, s.err = s.spans[:0], s.text[:0], nil
			p = s.object(start-1, 0, s.r.Depth())
		}
	}
	if s.err != nil {
		return dst, s.err
	}
	if err := s.r.End(p); err != nil {
		return dst, s.within(err, from)
	}
	slices.SortFunc(s.spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return s.output(dst, data, from, edits), nil
}

// output appends data with the spans replaced, whose positions are those in data[from:].
func (s *splicer) output(dst, data []byte, from int, edits []wire.Edit) []byte {
	size := len(data)
	for i := range s.spans {
		size += len(s.spans[i].text)
	}
	if overlaps(dst, data, edits) {
		dst = append(make([]byte, 0, len(dst)+size), dst...)
	}
	out := slices.Grow(dst, size)
	done := 0
	for i := range s.spans {
		out = append(append(out, data[done:from+s.spans[i].from]...), s.spans[i].text...)
		done = from + s.spans[i].to
	}
	return append(out, data[done:]...)
}

// overlaps reports whether the free room of dst is memory that is still to be read.
func overlaps(dst, data []byte, edits []wire.Edit) bool {
	if mem.Overlaps(dst, data) {
		return true
	}
	for i := range edits {
		if mem.Overlaps(dst, edits[i].Value) {
			return true
		}
	}
	return false
}

// within makes an error about the object one about the document.
func (s *splicer) within(err error, from int) error {
	if e := (*wire.Error)(nil); s.prefix != "" && errors.As(err, &e) {
		moved := *e
		moved.Offset += from
		moved.Path = s.prefix + e.Path
		return &moved
	}
	return err
}

// fail notes an error about an edit.
func (s *splicer) fail(err *wire.Error) bool {
	if s.err == nil {
		err.Path = grammar.CutPointer(err.Path)
		s.err = err
	}
	s.second = true // the value may not be the one that counts
	return false
}

// failIndex notes that an array at offset, -1 for a new one, has no element at the path of a node.
func (s *splicer) failIndex(offset, node int) bool {
	return s.fail(&wire.Error{Code: wire.CodePath, Offset: offset, Path: s.path(node), Expected: "index of an element, or -"})
}

// plantAll adds the paths of all edits to the tree: those that set something first, so that new
// members come in their order.
func (s *splicer) plantAll(edits []wire.Edit) bool {
	for _, sets := range []bool{true, false} {
		for i := range edits {
			if (edits[i].Value != nil) == sets && !s.plant(&edits[i]) {
				return false
			}
		}
	}
	return true
}

// plant adds an edit's path to the tree.
func (s *splicer) plant(e *wire.Edit) bool {
	if e.Value != nil {
		if code, at := coder.Validate(e.Value); code != 0 {
			return s.fail(coder.Invalid(e.Value, code, at, e.Path))
		}
	}
	node := s.nodeAt(e.Path[len(s.prefix):])
	if node <= 0 { // the whole document can't be spliced into itself
		return s.fail(badPath(e.Path))
	}
	for n := s.nodes[node].parent; n != 0; n = s.nodes[n].parent {
		if s.nodes[n].edited {
			return s.fail(&wire.Error{Code: wire.CodeConflict, Offset: -1, Path: e.Path})
		}
		s.nodes[n].sets = s.nodes[n].sets || e.Value != nil
	}
	if s.nodes[node].edited || s.nodes[node].child != 0 {
		return s.fail(&wire.Error{Code: wire.CodeConflict, Offset: -1, Path: e.Path})
	}
	s.nodes[node].edited, s.nodes[node].sets, s.nodes[node].value = true, e.Value != nil, e.Value
	return true
}

// object edits the object at p, the value of node, and returns the position after it.
func (s *splicer) object(p, node, depth int) int {
	r := &s.r
	if depth <= 0 {
		return r.Refuse(wire.CodeDepth, p)
	}
	s.begin(node)
	m := members{keptEnd: p + 1, mark: len(s.spans)}
	p, more := r.First(p + 1)
	if p == 0 {
		return 0
	}
	for more {
		start := p
		m.begin(s, start)
		name, value := r.Key(p)
		if value == 0 {
			return 0
		}
		child := s.lookup(node, name)
		if p = s.value(child, value, depth-1); p == 0 {
			return 0
		}
		m.end(s, start, p, s.nodes[child].removed())
		if p, more = r.Member(p); p == 0 {
			return 0
		}
	}
	end := r.Closed(p, depth)
	if end == 0 {
		return 0
	}
	m.last(s)
	if !s.children(node, depth) {
		return 0
	}
	from := len(s.text)
	for c := s.nodes[node].child; c != 0; c = s.nodes[c].next {
		if s.nodes[c].at == 0 && s.nodes[c].sets && !s.removing {
			s.text = append(s.text, ',')
			s.build(c)
		}
	}
	m.close(s, s.text[from:len(s.text):len(s.text)])
	return end
}

// value reads the value at p, notes that it belongs to node, and goes into it in the first pass.
// Node 0 stands for a value that no edit is about.
func (s *splicer) value(node, p, depth int) (end int) {
	n := &s.nodes[node]
	if node == 0 || n.child == 0 {
		end = s.r.Skip(p, depth)
	} else if again := n.at != 0; again && !s.second {
		s.second = true
		return 0
	} else if again && !s.removeFrom(node, depth+1) {
		return 0
	} else if b := s.r.At(p); s.second || b != '{' && b != '[' {
		end = s.r.Skip(p, depth)
	} else if n.at = p; b == '{' {
		n.visited = true
		return s.object(p, node, depth)
	} else {
		n.visited = true
		return s.array(p, node, depth)
	}
	if node != 0 {
		n.at, n.end = p, end
	}
	return end
}

// removeFrom applies the removals below an earlier value of a duplicate key: the last one counts,
// but a removed value must be gone from all of them.
func (s *splicer) removeFrom(node, depth int) bool {
	outer := s.removing
	s.removing = true
	ok := s.present(node, depth)
	s.removing = outer
	return ok
}

// children applies the edits at or below the children that the document has.
func (s *splicer) children(node, depth int) bool {
	for c := s.nodes[node].child; c != 0; c = s.nodes[c].next {
		if s.nodes[c].at != 0 && !s.present(c, depth) {
			return false
		}
	}
	return true
}

// present applies the edits at or below a value that the document has.
func (s *splicer) present(node, depth int) bool {
	n := &s.nodes[node]
	if n.visited {
		return true
	}
	if n.edited {
		if n.sets && !s.removing {
			s.spans = append(s.spans, span{n.at, n.end, n.value})
		}
		return true
	}
	switch s.r.At(n.at) {
	case '{':
		return s.object(n.at, node, depth-1) != 0
	case '[':
		return s.array(n.at, node, depth-1) != 0
	case 'n':
		if n.sets && !s.removing {
			from := len(s.text)
			s.buildValue(node)
			s.spans = append(s.spans, span{n.at, n.end, s.text[from:len(s.text):len(s.text)]})
		}
		return true
	}
	if n.sets && !s.removing {
		return s.fail(&wire.Error{Code: wire.CodePath, Offset: s.from + n.at, Path: s.path(node), Found: coder.Kind(s.r.At(n.at))})
	}
	return true
}

// array edits the array at p, the value of node, and returns the position after it.
func (s *splicer) array(p, node, depth int) int {
	r := &s.r
	m := members{keptEnd: p + 1, mark: len(s.spans)}
	p, more, _ := r.OpenArray(p, depth)
	if p == 0 {
		return 0
	}
	s.begin(node)
	var room [manyChildren]int
	wanted := s.byIndex(room[:0], node)
	end := p
	for elements := 0; more; elements++ {
		start := p
		m.begin(s, start)
		child := 0
		if len(wanted) > 0 && s.nodes[wanted[0]].index == elements {
			child, wanted = wanted[0], wanted[1:]
		}
		if p = s.value(child, start, depth-1); p == 0 {
			return 0
		}
		m.end(s, start, p, s.nodes[child].removed())
		if p, more = r.NextElement(p); p == 0 {
			return 0
		}
		end = p
	}
	m.last(s)
	if !s.children(node, depth) {
		return 0
	}
	from := len(s.text)
	for c := s.nodes[node].child; c != 0; c = s.nodes[c].next {
		switch n := &s.nodes[c]; {
		case n.at != 0 || s.removing:
		case n.name == "-" && n.sets:
			s.text = append(s.text, ',')
			s.buildValue(c)
		case n.sets:
			s.failIndex(s.from+s.nodes[node].at, c)
			return 0
		}
	}
	m.close(s, s.text[from:len(s.text):len(s.text)])
	return end
}
