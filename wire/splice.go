package wire

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strconv"
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
// there, or as a new member at the end of its object. Parents that the document does not have,
// or has as null, are created.
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
// included. Without edits that is all of data.
//
// Where an object has a key twice, Set replaces the value that counts, which is the last one,
// and Remove removes them all. Two edits may not be about the same place, nor one about a part
// of what another one sets or removes.
//
// dst must not share memory with data or with the values of edits: data[:0] is no place for the
// result.
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
	for {
		i := bytes.IndexByte(text, '"')
		if i < 0 {
			return false
		}
		text = text[i+1:]
		if len(text) > len(name) && string(text[:len(name)]) == name && text[len(name)] == '"' {
			return true
		}
	}
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
	nodes  []spliceNode // a tree of the paths' elements; the first is the root
	spans  []span
	text   []byte // of what is inserted
	err    *Error
}

// spliceNode is an element of one or more paths.
type spliceNode struct {
	name        string
	edit        int // index of the edit that ends here, -1 for none
	sets        bool
	child, next int // indexes of nodes, 0 for none
	parent      int
	at, end     int // the value in the document, if at is not 0
}

// span is a piece of the document and what takes its place.
type span struct {
	from, to int
	text     []byte
}

func (s *splicer) forget() {
	s.r.Forget()
	if s.r.Retained() > validatorKeep {
		s.r.Drop()
	}
	clear(s.nodes)
	clear(s.spans)
	s.edits, s.nodes, s.spans, s.err = nil, s.nodes[:0], s.spans[:0], nil
	if cap(s.text) > validatorKeep {
		s.text = nil
	}
	s.text = s.text[:0]
}

// splice edits the object in data[from:to].
func (s *splicer) splice(dst, data []byte, from, to int, edits []Edit) ([]byte, error) {
	s.edits, s.from = edits, from
	s.nodes = append(s.nodes, spliceNode{edit: -1})
	s.r.whole = false
	for i := range edits {
		if !s.plant(i) {
			return dst, s.err
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
	out := slices.Grow(dst, size)
	done := 0
	for i := range s.spans {
		out = append(append(out, data[done:from+s.spans[i].from]...), s.spans[i].text...)
		done = from + s.spans[i].to
	}
	return append(out, data[done:]...), nil
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
	if strings.Count(path, "/") > DepthMost {
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
	last := 0
	for c := s.nodes[node].child; c != 0; c = s.nodes[c].next {
		if s.nodes[c].name == name {
			return c
		}
		last = c
	}
	c := len(s.nodes)
	s.nodes = append(s.nodes, spliceNode{name: name, edit: -1, parent: node})
	if last == 0 {
		s.nodes[node].child = c
	} else {
		s.nodes[last].next = c
	}
	return c
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
		if s.nodes[c].at == 0 && s.nodes[c].sets {
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
	for c := s.nodes[node].child; c != 0; c = s.nodes[c].next {
		if s.nodes[c].name == name {
			child = c
		}
	}
	return child, r.skipKey(p)
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
		if n.sets {
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
		if n.sets {
			from := len(s.text)
			s.buildValue(node)
			s.spans = append(s.spans, span{n.at, n.end, s.text[from:len(s.text):len(s.text)]})
		}
		return true
	}
	if n.sets {
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
	end := p
	var elements int
	for ; more; elements++ {
		start := p
		m.begin(s, start)
		if p = r.Skip(start, depth-1); p == 0 {
			return 0
		}
		removed := false
		for c := s.nodes[node].child; c != 0; c = s.nodes[c].next {
			if n := &s.nodes[c]; indexOf(n.name) == elements {
				n.at, n.end = start, p
				removed = n.edit >= 0 && !n.sets
			}
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
		case n.at != 0:
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
	n, err := strconv.Atoi(name)
	if err != nil || n < 0 || strconv.Itoa(n) != name {
		return -1
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
	first := s.nodes[node].child
	array := s.nodes[first].name == "-" && s.nodes[first].next == 0
	for c := first; c != 0; c = s.nodes[c].next {
		if !s.nodes[c].sets {
			continue
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
