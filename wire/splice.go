package wire

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Edit changes one place of a document; see [Set] and [Remove].
type Edit struct {
	// Path is a JSON Pointer (RFC 6901): "/imp/2/bidfloor". The last element of a path into an
	// array may be "-", which stands for the place behind its last element.
	Path string
	// Value is the JSON text that is to stand there. nil removes what stands there.
	Value []byte
}

// Set makes an Edit that puts value, which is JSON text, at path: in the place of what stands
// there, or as a new member at the end of its object, new ones in the order of the edits. Parents that the document does not have,
// or has as null, are created: objects, or for "-" an array. An index below such a parent is an
// error.
func Set(path string, value []byte) Edit {
	if value == nil {
		value = []byte{}
	}
	return Edit{path, value}
}

// Remove makes an Edit that removes what stands at path, the key included. What is not there
// need not be removed.
func Remove(path string) Edit { return Edit{Path: path} }

// Splice appends data to dst with the edits applied, in one copy: every byte that no edit is
// about stays as it is, unknown members, order, white space and the spelling of numbers
// included. Without edits that is data as it is, whatever it is.
//
// Where an object has a key twice, Set replaces the value that counts, which is the last one,
// and Remove removes them all. Two edits may not be about the same place, nor one about a part
// of what another one sets or removes.
//
// The free room of dst may be data itself, or hold values of edits: the result is then built
// elsewhere first.
//
// On failure it returns dst and a [*Error]: data is no JSON object; a path leads through a
// value that is no object or array, or to an element that an array does not have
// ([CodePath]); edits contradict each other ([CodeConflict]); a value is no JSON. Path is then
// that of the edit.
func Splice(dst, data []byte, edits ...Edit) ([]byte, error) {
	if len(edits) == 0 {
		return append(dst, data...), nil
	}
	return spliceWithin(dst, data, 0, len(data), "", edits)
}

// SpliceWithin is [Splice] for edits below one object of the document: part, which has to be a
// piece of data, as raw values of a decoded message are, and stands at path. Only part is read,
// and the rest copied as it is, so that it costs little more than the copy. Paths are those of
// the whole document; they have to begin with path. ok is false if part is no piece of data, or
// an edit is not below path; nothing is done then.
func SpliceWithin(dst, data, part []byte, path string, edits ...Edit) (out []byte, ok bool, err error) {
	at, ok := offsetIn(data, part)
	for i := range edits {
		ok = ok && len(edits[i].Path) > len(path) && edits[i].Path[:len(path)] == path && edits[i].Path[len(path)] == '/'
	}
	if !ok {
		return dst, false, nil
	}
	if len(edits) == 1 {
		if out, ok = insert(dst, data, part, at, edits[0].Path[len(path)+1:], edits[0].Value); ok {
			return out, true, nil
		}
	}
	out, err = spliceWithin(dst, data, at, at+len(part), path, edits)
	return out, true, err
}

// insert is SpliceWithin for one new member of an object without escapes, which it tells by
// its name not being in the text at all. It leaves everything else, what is wrong included, to
// the general way.
func insert(dst, data, object []byte, at int, name string, value []byte) ([]byte, bool) {
	last := len(object) - 1
	if len(value) == 0 || last < 1 || object[0] != '{' || object[last] != '}' || !isName(name) ||
		bytes.IndexByte(object, '\\') >= 0 || hasName(object, name) {
		return dst, false
	}
	if code, _ := validate(value); code != 0 {
		return dst, false
	}
	end := last
	for isSpace(object[end-1]) {
		end--
	}
	if overlap(dst, data) || overlap(dst, value) {
		return dst, false
	}
	out := slices.Grow(dst, len(data)+len(`,"":`)+len(name)+len(value))
	out = append(out, data[:at+end]...)
	if object[end-1] != '{' {
		out = append(out, ',')
	}
	out = append(append(append(out, '"'), name...), '"', ':')
	return append(append(out, value...), data[at+end:]...), true
}

// isName reports whether an element of a JSON Pointer is a key that needs no escape, nor is an
// escape or the beginning of more elements.
func isName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '/' || c == '~' {
			return false
		}
	}
	return true
}

// hasName reports whether the text has the name in quotes anywhere.
func hasName(text []byte, name string) bool {
	var room [64]byte // most names fit it; for a longer one it is on the heap
	quoted := append(append(append(room[:0], '"'), name...), '"')
	return bytes.Contains(text, quoted)
}

func spliceWithin(dst, data []byte, from, to int, prefix string, edits []Edit) ([]byte, error) {
	s := splicers.Get().(*splicer)
	s.prefix = prefix
	out, err := s.splice(dst, data, from, to, edits)
	s.forget()
	splicers.Put(s)
	return out, err
}

var splicers = sync.Pool{New: func() any { return new(splicer) }}

// splicer is the working memory of Splice.
type splicer struct {
	r      Reader
	from   int    // where the object that is read begins
	prefix string // its path
	edits  []Edit
	nodes  []spliceNode     // a tree of the paths' elements; the first is the root
	names  map[nodeName]int // the children of nodes that have many
	spans  []span
	text   []byte // of what is inserted
	err    *Error

	removing bool // an earlier value of a key that comes again: only removals are applied
}

// nodeName is a child of a node.
type nodeName struct {
	parent int
	name   string
}

// manyChildren is from how many children on a node's are found by a map.
const manyChildren = 16

// spliceNode is an element of one or more paths.
type spliceNode struct {
	name        string
	index       int // name as an array index, -1 if it is none
	children    int
	edit        int // index of the edit that ends here, -1 for none
	sets        bool
	child, next int // indexes of nodes, 0 for none
	last        int // the last child
	parent      int
	at, end     int // the value in the document, if at is not 0
}

// span is a piece of the document and what takes its place.
type span struct {
	from, to int
	text     []byte
}

// splicerKeep is how many nodes and spans a splicer keeps room for.
const splicerKeep = 1024

func (s *splicer) forget() {
	s.r.Forget()
	if s.r.Retained() > validatorKeep {
		s.r.Drop()
	}
	clear(s.nodes)
	clear(s.spans)
	if len(s.names) > 0 || cap(s.nodes)+cap(s.spans) > splicerKeep {
		s.names, s.nodes, s.spans = nil, nil, nil
	}
	s.edits, s.nodes, s.spans, s.err, s.removing = nil, s.nodes[:0], s.spans[:0], nil, false
	if cap(s.text) > validatorKeep {
		s.text = nil
	}
	s.text = s.text[:0]
}

// splice edits the object in data[from:to].
func (s *splicer) splice(dst, data []byte, from, to int, edits []Edit) ([]byte, error) {
	s.edits, s.from = edits, from
	s.nodes = append(s.nodes, spliceNode{edit: -1, index: -1})
	s.r.whole = false
	for _, sets := range []bool{true, false} { // so that new members stand in the order of what sets them
		for i := range edits {
			if (edits[i].Value != nil) == sets && !s.plant(i) {
				return dst, s.err
			}
		}
	}
	p := s.r.Begin(data[from:to])
	if p != 0 {
		p = s.object(p-1, 0, s.r.Depth())
	}
	if s.err != nil {
		return dst, s.err
	}
	if err := s.r.End(p); err != nil {
		return dst, s.within(err, from)
	}
	slices.SortFunc(s.spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	size := len(data)
	for i := range s.spans {
		size += len(s.spans[i].text)
	}
	if s.overlaps(dst, data) {
		dst = append(make([]byte, 0, len(dst)+size), dst...)
	}
	out := slices.Grow(dst, size)
	done := 0
	for i := range s.spans {
		out = append(append(out, data[done:from+s.spans[i].from]...), s.spans[i].text...)
		done = from + s.spans[i].to
	}
	return append(out, data[done:]...), nil
}

// overlaps reports whether the free room of dst is memory that is still to be read.
func (s *splicer) overlaps(dst, data []byte) bool {
	if overlap(dst, data) {
		return true
	}
	for i := range s.edits {
		if overlap(dst, s.edits[i].Value) {
			return true
		}
	}
	return false
}

// within makes an error about the object one about the document.
func (s *splicer) within(err error, from int) error {
	if e := (*Error)(nil); s.prefix != "" && errors.As(err, &e) {
		return &Error{Code: e.Code, Offset: from + e.Offset, Path: s.prefix + e.Path}
	}
	return err
}

// fail notes an error about an edit.
func (s *splicer) fail(code Code, offset int, path string) bool {
	if s.err == nil {
		s.err = &Error{Code: code, Offset: offset, Path: path}
	}
	return false
}

// plant adds an edit's path to the tree.
func (s *splicer) plant(i int) bool {
	e := &s.edits[i]
	if e.Value != nil {
		if code, at := validate(e.Value); code != 0 {
			return s.fail(code, at, e.Path)
		}
	}
	node := s.nodeAt(e.Path[len(s.prefix):])
	if node <= 0 { // the whole document can't be spliced into itself
		return s.fail(CodePath, -1, e.Path)
	}
	for n := s.nodes[node].parent; n != 0; n = s.nodes[n].parent {
		if s.nodes[n].edit >= 0 {
			return s.fail(CodeConflict, -1, e.Path)
		}
		s.nodes[n].sets = s.nodes[n].sets || e.Value != nil
	}
	if s.nodes[node].edit >= 0 || s.nodes[node].child != 0 {
		return s.fail(CodeConflict, -1, e.Path)
	}
	s.nodes[node].edit, s.nodes[node].sets = i, e.Value != nil
	return true
}

// nodeAt returns the node that a path leads to, made if need be, or -1 if it is no path.
func (s *splicer) nodeAt(path string) (node int) {
	if strings.Count(path, "/") > DepthMost || !utf8.ValidString(path) {
		return -1
	}
	for path != "" {
		if path[0] != '/' {
			return -1
		}
		name := path[1:]
		if end := strings.IndexByte(name, '/'); end >= 0 {
			name = name[:end]
		}
		path = path[1+len(name):]
		name, ok := unescapePointer(name)
		if !ok {
			return -1
		}
		node = s.childNamed(node, name)
	}
	return node
}

// childNamed returns the child of a node, made if need be.
func (s *splicer) childNamed(node int, name string) int {
	if c := s.lookup(node, name); c != 0 {
		return c
	}
	c := len(s.nodes)
	s.nodes = append(s.nodes, spliceNode{name: name, index: indexOf(name), edit: -1, parent: node})
	n := &s.nodes[node]
	if n.child == 0 {
		n.child = c
	} else {
		s.nodes[n.last].next = c
	}
	n.last = c
	if n.children++; n.children >= manyChildren {
		if s.names == nil {
			s.names = map[nodeName]int{}
		}
		if n.children == manyChildren {
			for c := n.child; c != 0; c = s.nodes[c].next {
				s.names[nodeName{node, s.nodes[c].name}] = c
			}
		}
		s.names[nodeName{node, name}] = c
	}
	return c
}

// lookup returns the child of a node with the name, 0 if it has none.
func (s *splicer) lookup(node int, name string) int {
	if s.nodes[node].children >= manyChildren {
		return s.names[nodeName{node, name}]
	}
	for c := s.nodes[node].child; c != 0; c = s.nodes[c].next {
		if s.nodes[c].name == name {
			return c
		}
	}
	return 0
}

// begin forgets where the children of a node were in another value.
func (s *splicer) begin(node int) {
	for c := s.nodes[node].child; c != 0; c = s.nodes[c].next {
		s.nodes[c].at = 0
	}
}

// byIndex lists the children of a node that are indexes, in rising order.
func (s *splicer) byIndex(list []int, node int) []int {
	for c := s.nodes[node].child; c != 0; c = s.nodes[c].next {
		if s.nodes[c].index >= 0 {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return s.nodes[a].index - s.nodes[b].index })
	return list
}

// unescapePointer decodes an element of a JSON Pointer.
func unescapePointer(name string) (string, bool) {
	if !strings.Contains(name, "~") {
		return name, true
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '~' {
			b.WriteByte(name[i])
			continue
		}
		if i++; i == len(name) || name[i] != '0' && name[i] != '1' {
			return "", false
		}
		b.WriteByte("~/"[name[i]-'0'])
	}
	return b.String(), true
}

// path renders the pointer of a node.
func (s *splicer) path(node int) string {
	if node == 0 {
		return s.prefix
	}
	return s.path(s.nodes[node].parent) + "/" + pointerEscaper.Replace(s.nodes[node].name)
}

// members follows the members of one object or the elements of one array, and cuts out those
// that are to be removed together with one comma each.
type members struct {
	keptEnd int // behind the last one that stays, or the opening bracket
	kept    int // how many stay
	mark    int // how many spans there were at keptEnd
	cut     int // where the last one began, if it is removed, else 0
	cutEnd  int
}

// begin is called at the start of each member.
func (m *members) begin(s *splicer, start int) {
	if m.cut != 0 {
		s.spans = append(s.spans, span{m.cut, start, nil})
		m.cut = 0
	}
}

// end is called behind each member.
func (m *members) end(s *splicer, start, end int, removed bool) {
	if removed {
		m.cut, m.cutEnd = start, end
		return
	}
	m.keptEnd, m.kept, m.mark = end, m.kept+1, len(s.spans)
}

// last is called behind the last member. Removed ones at the end go together with the comma
// in front of them.
func (m *members) last(s *splicer) {
	if m.cut != 0 {
		s.spans = s.spans[:m.mark]
	}
}

// close cuts out the removed members at the end, and puts text, which begins with a comma,
// in their place.
func (m *members) close(s *splicer, text []byte) {
	to := m.keptEnd
	if m.cut != 0 {
		to = m.cutEnd
	}
	if m.kept == 0 && len(text) > 0 {
		text = text[1:]
	}
	if to != m.keptEnd || len(text) > 0 {
		s.spans = append(s.spans, span{m.keptEnd, to, text})
	}
}

// object edits the object at p, which node stands for, and returns the position after it.
func (s *splicer) object(p, node, depth int) int {
	r := &s.r
	if depth <= 0 {
		return r.Refuse(CodeDepth, p)
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
		child, value := s.key(p, node)
		if value == 0 {
			return 0
		}
		if p = r.Skip(value, depth-1); p == 0 {
			return 0
		}
		removed := false
		if child != 0 {
			n := &s.nodes[child]
			if n.at != 0 && n.child != 0 && !s.removeFrom(child, depth) {
				return 0
			}
			n.at, n.end = value, p
			removed = n.edit >= 0 && !n.sets
		}
		m.end(s, start, p, removed)
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

// key reads the key at p and returns the child of node that it names, 0 if none, and the
// position of the value.
func (s *splicer) key(p, node int) (child, value int) {
	r := &s.r
	if p >= r.n || r.t.at(p) != '"' {
		return 0, r.skipKey(min(p, r.n-1))
	}
	start := p + 1
	end := r.stop(start)
	var name string
	if end < r.n && r.t.at(end) == '"' {
		name = r.t.str(start, end)
	} else if name, end = r.escaped(start, end); end == 0 {
		return 0, 0
	}
	return s.lookup(node, name), r.skipKey(p)
}

// removeFrom applies the removals below a value whose key comes again: the last one counts, but
// what is to be gone is to be gone from all.
func (s *splicer) removeFrom(node, depth int) bool {
	outer := s.removing
	s.removing = true
	ok := s.present(node, depth)
	s.removing = outer
	return ok
}

// children applies what is to be done at or below the children that the document has.
func (s *splicer) children(node, depth int) bool {
	for c := s.nodes[node].child; c != 0; c = s.nodes[c].next {
		if s.nodes[c].at != 0 && !s.present(c, depth) {
			return false
		}
	}
	return true
}

// present applies what is to be done at or below a value that the document has.
func (s *splicer) present(node, depth int) bool {
	n := &s.nodes[node]
	if n.edit >= 0 {
		if n.sets && !s.removing {
			s.spans = append(s.spans, span{n.at, n.end, s.edits[n.edit].Value})
		}
		return true
	}
	switch s.r.t.at(n.at) {
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
		return s.fail(CodePath, s.from+n.at, s.path(node))
	}
	return true
}

// array edits the array at p, which node stands for, and returns the position after it.
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
		if p = r.Skip(start, depth-1); p == 0 {
			return 0
		}
		removed := false
		if len(wanted) > 0 && s.nodes[wanted[0]].index == elements {
			n := &s.nodes[wanted[0]]
			n.at, n.end = start, p
			removed = n.edit >= 0 && !n.sets
			wanted = wanted[1:]
		}
		m.end(s, start, p, removed)
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
			s.fail(CodePath, s.from+s.nodes[node].at, s.path(c))
			return 0
		}
	}
	m.close(s, s.text[from:len(s.text):len(s.text)])
	return end
}

// indexOf reads an array index as JSON Pointers write it, -1 if it is none.
func indexOf(name string) int {
	const digitsMost = 9 // more elements than a document can have
	if name == "" || len(name) > digitsMost || name[0] == '0' && name != "0" {
		return -1
	}
	n := 0
	for i := range len(name) {
		c := name[i] - '0'
		if c > 9 {
			return -1
		}
		n = n*10 + int(c)
	}
	return n
}

// build appends a member that the document does not have.
func (s *splicer) build(node int) {
	var w Writer
	s.text = w.String(s.text, s.nodes[node].name)
	s.text = append(s.text, ':')
	s.buildValue(node)
}

// buildValue appends the value of a node that the document does not have.
func (s *splicer) buildValue(node int) {
	if n := &s.nodes[node]; n.edit >= 0 {
		s.text = append(s.text, s.edits[n.edit].Value...)
		return
	}
	start := len(s.text)
	array := false
	if c := s.lookup(node, "-"); c != 0 {
		array = s.nodes[c].sets
	}
	for c := s.nodes[node].child; c != 0; c = s.nodes[c].next {
		if !s.nodes[c].sets {
			continue
		}
		if s.nodes[c].index >= 0 || array && s.nodes[c].name != "-" {
			s.fail(CodePath, -1, s.path(c)) // there is no such element
		}
		s.text = append(s.text, ',')
		if array {
			s.buildValue(c)
		} else {
			s.build(c)
		}
	}
	if array {
		s.text = CloseArray(s.text, start)
	} else {
		s.text = CloseObject(s.text, start)
	}
}
