package scrub

import (
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// Scratch is the working memory of one goroutine, and holds the text of edits. The zero value is
// ready to use.
type Scratch struct {
	walk
	r     coder.Reader
	marks []mark // by node, of the object that is read
	steps []step
	text  []byte // of paths and values
}

// walk is what a scratch knows of one request.
type walk struct {
	nodes     []node
	on        []bool
	body      []byte
	edits     []wire.Edit
	respelled int  // how many steps are not spelled as in the program
	copied    bool // inside an earlier value of a duplicate key
	copies    bool // there was one
}

// step is an element of the path of the current value.
type step struct {
	name  string // of a member
	index int    // of an element, -1 for a member
}

// mark is what is known of a member with a key that is looked for.
type mark struct {
	seen     bool
	from, to int // its edits
}

// What a scratch keeps for the next request, in bytes.
const (
	textKept  = 1 << 16
	indexKept = 1 << 20
)

// Append appends the edits that body needs to edits. They are for [splice.Apply] or
// [openrtb.BidRequest.Splice]; no two of them are about the same place. A request that has nothing
// to scrub needs none.
//
// body is a request that a decoder has accepted. On failure, which such a request does not cause
// unless only lenient mode accepts it, the request can't be scrubbed and must not be forwarded:
// the edits are those that came in, and the error is a [*wire.Error].
//
// on says which specs of the program are about the request, in the order of [Compile]. What it is
// too short for is on, and so is everything if it is nil.
//
// The edits are valid until the next call with the same scratch. Append keeps nothing of body.
func (p *Program) Append(edits []wire.Edit, body []byte, m *Scratch, on []bool) ([]wire.Edit, error) {
	if !p.any(on) {
		return edits, nil
	}
	from := len(edits)
	m.walk = walk{nodes: p.nodes, on: on, body: body, edits: edits}
	m.text = m.text[:0]
	if cap(m.marks) < len(p.nodes) {
		m.marks = make([]mark, len(p.nodes))
	}
	m.marks = m.marks[:len(p.nodes)]
	end := m.r.Begin(body)
	if end != 0 {
		end = m.object(end-1, 0)
	}
	err := m.r.End(end)
	edits = m.edits
	if m.copies {
		edits = withoutCopies(edits, from)
	}
	m.reset()
	if err != nil {
		clear(edits[from:])
		return edits[:from], err
	}
	return edits, nil
}

// any reports whether a spec is on.
func (p *Program) any(on []bool) bool {
	for i := range p.specs {
		if isOn(on, i) {
			return true
		}
	}
	return false
}

func isOn(on []bool, spec int) bool { return spec >= len(on) || on[spec] }

// reset lets the request be collected, and memory that a large one needed. The text stays: it
// belongs to the edits.
func (m *Scratch) reset() {
	m.walk = walk{}
	clear(m.steps[:cap(m.steps)])
	m.steps = m.steps[:0]
	if cap(m.text) > textKept {
		m.text = nil
	}
	m.r.Reset()
	if m.r.Retained() > indexKept {
		m.r.Drop()
	}
}

// The methods below read the value at p and return the position after it, or 0.

// object reads the object at p, at the place of node n.
func (m *Scratch) object(p, n int) int {
	for _, c := range m.nodes[n].children {
		m.marks[c].seen = false
	}
	p, more := m.r.First(p + 1)
	for more {
		key, value := m.r.Key(p)
		if value == 0 {
			return 0
		}
		if c := m.named(n, key); c != 0 {
			p = m.member(key, value, c)
		} else {
			p = m.skip(value)
		}
		if p == 0 {
			return 0
		}
		p, more = m.r.Member(p)
	}
	if p == 0 {
		return 0
	}
	if p++; p >= m.r.Len() && n != 0 {
		return m.r.Refuse(wire.CodeTruncated, m.r.Len())
	}
	return p
}

// named returns the child of a node with the name, 0 if it has none. Letter case does not matter,
// because decoders of Go ignore it, and what comes after a NUL does not, because readers in C do.
func (m *Scratch) named(n int, name string) int {
	if m.nodes[n].initials&initial(name) == 0 {
		return 0
	}
	children := m.nodes[n].children
	for _, c := range children {
		if m.nodes[c].name == name {
			return c
		}
	}
	if !mayDiffer(name) {
		return 0
	}
	name, _, _ = strings.Cut(name, "\x00")
	for _, c := range children {
		if strings.EqualFold(m.nodes[c].name, name) {
			return c
		}
	}
	return 0
}

// member reads the value of a member, which is at the place of node n.
func (m *Scratch) member(key string, p, n int) int {
	respelled, copied := m.respelled, m.copied
	if key != m.nodes[n].name {
		m.respelled++
	}
	again, from := m.marks[n].seen, len(m.edits)
	if again {
		m.repeated(m.marks[n])
	}
	m.steps = append(m.steps, step{key, -1})
	p = m.value(p, n)
	m.steps = m.steps[:len(m.steps)-1]
	if !again {
		m.marks[n] = mark{true, from, len(m.edits)}
	}
	m.respelled, m.copied = respelled, copied
	return p
}

// value reads the value at p, at the place of node n.
func (m *Scratch) value(p, n int) int {
	node, b := &m.nodes[n], m.r.At(p)
	if i := m.active(node.ops); i >= 0 {
		if o := &node.ops[i]; o.shape != shapeGeo || b != '{' {
			return m.edit(p, n, i)
		}
	}
	switch {
	case b == '{' && len(node.children) > 0:
		return m.object(p, n)
	case b == '[' && node.every != 0:
		return m.array(p, node.every)
	case node.every != 0: // lenient decoders read one value as an array
		return m.value(p, node.every)
	}
	return m.skip(p)
}

// array reads the array at p. Its elements are at the place of node n.
func (m *Scratch) array(p, n int) int {
	p, more, _ := m.r.OpenArray(p, 1)
	m.steps = append(m.steps, step{})
	for i := 0; more; i++ {
		m.steps[len(m.steps)-1].index = i
		if p = m.value(p, n); p == 0 {
			return 0
		}
		p, more = m.r.NextElement(p)
	}
	m.steps = m.steps[:len(m.steps)-1]
	return p
}

// skip reads a value that nothing is to be done about.
func (m *Scratch) skip(p int) int {
	end := m.r.SkipAccepted(p)
	if end == 0 {
		return m.r.Refuse(wire.CodeTruncated, m.r.Len())
	}
	return end
}

// active returns the first operation that is on, -1 if none is.
func (m *Scratch) active(ops []op) int {
	for i := range ops {
		if isOn(m.on, ops[i].spec) {
			return i
		}
	}
	return -1
}

// edit makes the edit of operation i of node n for the value at p.
func (m *Scratch) edit(p, n, i int) int {
	o := &m.nodes[n].ops[i]
	b := m.r.At(p)
	switch {
	case o.action == actRemove:
		m.set(n, nil)
		return m.skip(p)
	case o.action == actReplace:
		m.set(n, o.value)
		return m.skip(p)
	case b == 'n':
		return m.skip(p)
	case b == '"':
		s, end := m.r.AnyString(p)
		if end > 0 {
			m.rewrite(n, i, s, true)
		}
		return end
	case b == '-' || b-'0' <= 9:
		end := m.skip(p)
		if end != 0 {
			m.rewrite(n, i, mem.String(m.body[p:end]), false)
		}
		return end
	}
	m.set(n, nil)
	return m.skip(p)
}

// set adds an edit of the current value: a new value, or nil to remove it.
func (m *Scratch) set(n int, value []byte) {
	if m.copied {
		value = nil
	}
	m.edits = append(m.edits, wire.Edit{Path: m.path(n), Value: value})
}

// path returns the path of the current value, which is at the place of node n.
func (m *Scratch) path(n int) string {
	if path := m.nodes[n].path; path != "" && m.respelled == 0 {
		return path
	}
	from := len(m.text)
	for _, s := range m.steps {
		m.text = append(m.text, '/')
		if s.index >= 0 {
			m.text = strconv.AppendInt(m.text, int64(s.index), 10)
			continue
		}
		for i := range len(s.name) {
			switch b := s.name[i]; b {
			case '~':
				m.text = append(m.text, "~0"...)
			case '/':
				m.text = append(m.text, "~1"...)
			default:
				m.text = append(m.text, b)
			}
		}
	}
	return mem.String(m.text[from:])
}
