package policy

import "time"

// Closures of each kind. They are the compiled form of an expression.
type (
	boolFn   = func(c *frame) bool
	intFn    = func(c *frame) int64
	doubleFn = func(c *frame) float64
	stringFn = func(c *frame) string
	objectFn = func(c *frame) any
	listFn   = func(c *frame) list
	timeFn   = func(c *frame) time.Time
	valueFn  = func(c *frame) value
)

// node is a compiled expression: one closure, by its kind.
type node struct {
	typ   typ
	b     boolFn
	i     intFn
	f     doubleFn
	s     stringFn
	o     objectFn
	l     listFn
	t     timeFn
	v     valueFn
	named Matcher

	// What is known about it, for shorter closures.
	constant bool
	known    value   // of a constant
	elements []value // of a list of constants
	fails    bool    // it may fail
	field    *field  // it is this field
	owner    source  // of the field
	held     bool    // it is the object in slot
	slot     int
	path     string // it is this field of the request, or the request
}

// source is where an object comes from: a closure, or without one a slot. The builders of hot
// closures that call object are not inlined (go:noinline), because a closure that was copied by
// inlining calls object instead of inlining it.
type source struct {
	get  objectFn
	slot int
}

func (n *node) source() source {
	if n.held {
		return source{slot: n.slot}
	}
	return source{get: n.o}
}

func (s source) object(c *frame) any {
	if s.get != nil {
		return s.get(c)
	}
	return c.slots[s.slot].o
}

var bad = node{typ: typ{kind: kindBad}}

func boolNode(b boolFn, from ...node) node {
	return node{typ: typ{kind: kindBool}, b: b, fails: anyFails(from)}
}
func intNode(i intFn, from ...node) node {
	return node{typ: typ{kind: kindInt}, i: i, fails: anyFails(from)}
}
func doubleNode(f doubleFn, from ...node) node {
	return node{typ: typ{kind: kindDouble}, f: f, fails: anyFails(from)}
}
func stringNode(s stringFn, from ...node) node {
	return node{typ: typ{kind: kindString}, s: s, fails: anyFails(from)}
}
func dynNode(v valueFn) node { return node{typ: typ{kind: kindDyn}, v: v, fails: true} }

func anyFails(nodes []node) bool {
	for i := range nodes {
		if nodes[i].fails {
			return true
		}
	}
	return false
}

func constant(v value) node {
	n := node{typ: typ{kind: v.kind}, constant: true, known: v}
	switch v.kind {
	case kindBool:
		n.b = func(*frame) bool { return v.i != 0 }
	case kindInt:
		n.i = func(*frame) int64 { return v.i }
	case kindDouble:
		f := v.double()
		n.f = func(*frame) float64 { return f }
	case kindString:
		n.s = func(*frame) string { return v.s }
	default:
		n.v = func(*frame) value { return value{} }
	}
	return n
}

// value returns the closure of a value of any kind.
func (n *node) value() valueFn {
	if n.constant && n.elements == nil {
		v := n.known
		return func(*frame) value { return v }
	}
	switch n.typ.kind {
	case kindBool:
		b := n.b
		return func(c *frame) value { return boolValue(b(c)) }
	case kindInt:
		i := n.i
		return func(c *frame) value { return intValue(i(c)) }
	case kindDouble:
		f := n.f
		return func(c *frame) value { return doubleValue(f(c)) }
	case kindString:
		s := n.s
		return func(c *frame) value { return stringValue(s(c)) }
	case kindObject:
		o := n.o
		return func(c *frame) value { return objectValue(o(c)) }
	case kindList:
		l := n.l
		return func(c *frame) value { return c.listValue(l(c)) }
	default:
		return n.v
	}
}

// The methods below return the closure of a kind. A value that is known at evaluation only must be
// of the kind then.

func (n *node) bool() boolFn {
	if n.typ.kind != kindDyn {
		return n.b
	}
	v := n.v
	return func(c *frame) bool {
		x := v(c)
		if x.kind != kindBool {
			c.failWith(failType)
		}
		return x.i != 0
	}
}

func (n *node) double() doubleFn {
	switch n.typ.kind {
	case kindDyn:
		v := n.v
		return func(c *frame) float64 {
			x := v(c)
			if x.kind != kindDouble {
				c.failWith(failType)
			}
			return x.double()
		}
	case kindInt: // only where numbers of both types are compared
		i := n.i
		return func(c *frame) float64 { return float64(i(c)) }
	}
	return n.f
}

func (n *node) string() stringFn {
	if n.typ.kind != kindDyn {
		return n.s
	}
	v := n.v
	return func(c *frame) string {
		x := v(c)
		if x.kind != kindString {
			c.failWith(failType)
			return ""
		}
		return x.s
	}
}

func (n *node) list() listFn {
	if n.typ.kind != kindDyn {
		return n.l
	}
	v := n.v
	return func(c *frame) list {
		x := v(c)
		if x.kind == kindString && x.s == "" {
			return list{} // as in cel-go; some senders write "" for an ext that is empty
		}
		return c.elements(x)
	}
}

// fold turns an expression of constants into a constant, unless it fails.
func fold(n node, from ...node) node {
	for i := range from {
		if !from[i].constant || from[i].elements != nil {
			return n
		}
	}
	switch n.typ.kind {
	case kindBool, kindInt, kindDouble, kindString:
	default:
		return n
	}
	c := new(frame)
	c.begin(&noRequest, &noFacts)
	v := n.value()(c)
	if c.fail != failNone {
		return n
	}
	return constant(v) // its text is in c, which is not shared
}
