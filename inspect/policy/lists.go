package policy

import (
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// smallSet is the number of elements up to which a list literal is searched instead of hashed.
const smallSet = 8

// in compiles a in b.
func (k *compiler) in(e ast.Expr, x, in node) node {
	n := boolNode(nil, x, in)
	switch in.typ.kind {
	case kindNamed:
		s, m := x.string(), in.named
		n.fails = n.fails || x.typ.kind == kindDyn || m == nil
		if m == nil {
			n.b = func(c *frame) bool {
				c.failWith(failList)
				return false
			}
			return n
		}
		n.b = func(c *frame) bool {
			v := s(c)
			c.charge(len(v))
			return m.Match(v)
		}
		return n
	case kindHeaders, kindVendors:
		n := k.keyIn(x, in)
		n.fails = n.fails || x.typ.kind == kindDyn
		return n
	case kindDyn:
		n.fails = true
	case kindList:
		if !comparable(x.typ) || !comparable(in.typ) {
			return k.unsupported(e, "comparing objects")
		}
		if in.elements != nil && in.typ.elem.kind == x.typ.kind {
			if b := inLiteral(x, in.elements); b != nil {
				n.b = b
				return fold(n, x)
			}
		}
		if b := inField(x, in); b != nil {
			n.b = b
			return n
		}
	default:
		return k.unsupported(e, "in")
	}
	if !comparable(x.typ) {
		return k.unsupported(e, "comparing objects")
	}
	a, b := x.value(), in.value()
	n.b = func(c *frame) bool {
		v := a(c)
		return c.contains(b(c), v)
	}
	return n
}

// inLiteral looks for a value in a list of constants of its type.
func inLiteral(x node, elements []value) boolFn {
	switch x.typ.kind {
	case kindInt:
		return inSet(x.i, elements, func(v *value) int64 { return v.i })
	case kindString:
		return inSet(x.s, elements, func(v *value) string { return v.s })
	}
	return nil
}

func inSet[T int64 | string](get func(*frame) T, elements []value, of func(*value) T) boolFn {
	var list []T
	set := map[T]struct{}{}
	for i := range elements {
		list = append(list, of(&elements[i]))
		set[of(&elements[i])] = struct{}{}
	}
	if len(list) <= smallSet {
		return func(c *frame) bool {
			v := get(c)
			return slices.Contains(list, v)
		}
	}
	return func(c *frame) bool {
		_, ok := set[get(c)]
		return ok
	}
}

// inField looks for an int or a string in a list of them.
func inField(x, in node) boolFn {
	f := in.field
	if f == nil || f.values != nil || f.kind != x.typ.kind {
		return nil
	}
	owner := in.owner
	switch {
	case f.kind == kindInt:
		get := x.i
		return func(c *frame) bool {
			v, o := get(c), owner.object(c)
			n := f.n(c, o)
			c.chargeElements(n)
			for i := range n {
				if f.iat(c, o, i) == v {
					return true
				}
			}
			return false
		}
	case f.strings != nil:
		get, read := x.s, f.strings
		return func(c *frame) bool {
			v, all := get(c), read(c, owner.object(c))
			c.chargeElements(len(all))
			for i := range all {
				if len(all[i]) == len(v) && c.equalStrings(all[i], v) {
					return true
				}
			}
			return false
		}
	}
	return nil
}

// fold is a macro, taken out of the comprehension that the parser has made of it.
type macro struct {
	list listFn
	slot int
	elem typ
	name string
}

// macro compiles exists, all, exists_one, map and filter. The parser has expanded them into
// comprehensions, whose shape tells which one it was: sources can't spell comprehensions.
func (k *compiler) macro(e ast.Expr) node {
	loop := e.AsComprehension()
	from := k.expr(loop.IterRange())
	m := macro{slot: firstLoopSlot + len(k.scope), name: loop.IterVar(), elem: typ{kind: kindDyn}}
	switch from.typ.kind {
	case kindBad:
		return bad
	case kindList:
		m.elem = *from.typ.elem
	case kindDyn:
	default:
		return k.unsupported(e, "a macro over "+kindNames[from.typ.kind])
	}
	if loop.HasIterVar2() || len(k.scope) >= LoopsMax {
		return k.unsupported(e, "this macro")
	}
	m.list = from.list()
	dyn := node{fails: from.typ.kind == kindDyn}
	k.scope = append(k.scope, variable{m.name, m.elem})
	defer func() { k.scope = k.scope[:len(k.scope)-1] }()

	step := loop.LoopStep()
	if loop.AccuInit().Kind() == ast.ListKind {
		return k.collect(e, m, from, step)
	}
	args := step.AsCall().Args()
	at := 1
	if step.AsCall().FunctionName() == operators.Conditional {
		at = 0
	}
	body := k.expr(args[at])
	if body.typ.kind == kindBad {
		return bad
	}
	dyn.fails = dyn.fails || body.typ.kind == kindDyn
	n := boolNode(nil, from, body, dyn)
	switch init := loop.AccuInit().AsLiteral().(type) {
	case types.Bool:
		n.b = m.quantifier(&from, body.bool(), !bool(init))
	case types.Int:
		n.b = m.existsOne(body.bool())
	default:
		return k.unsupported(e, "this macro")
	}
	return n
}

// set gives the variable its value, the element i.
func (m *macro) set(c *frame, l *list, i int) { c.slots[m.slot] = l.at(c, i) }

// quantifier is exists or all: it ends with the first element for which the body is decides. What
// fails does not matter if there is one.
func (m *macro) quantifier(from *node, body boolFn, decides bool) boolFn {
	if f := from.field; f != nil && f.values == nil {
		switch {
		case f.kind == kindObject:
			return m.overObjects(f, from.owner, body, decides)
		case f.strings != nil:
			return m.overStrings(f, from.owner, body, decides)
		}
	}
	return func(c *frame) bool {
		if c.fail != failNone {
			return false
		}
		l := m.list(c)
		if c.fail != failNone {
			return false
		}
		var failed failure
		for i := range l.n {
			if !c.step() {
				return false
			}
			m.set(c, &l, i)
			if !c.decided(body(c), decides, &failed) {
				continue
			}
			c.slots[m.slot] = value{}
			return decides
		}
		c.slots[m.slot] = value{}
		c.failWith(failed)
		return !decides
	}
}

// decided reports whether the loop ends after a body's result. It takes failures out of the way.
func (c *frame) decided(x, decides bool, failed *failure) bool {
	if c.fail == failNone {
		return x == decides
	}
	if c.fail.fatal() {
		return true
	}
	*failed, c.fail = worse(*failed, c.fail), failNone
	return false
}

// overObjects is quantifier over a field that has objects.
//
//go:noinline
func (m *macro) overObjects(f *field, owner source, body boolFn, decides bool) boolFn {
	slot, count, at := m.slot, f.n, f.oat
	return func(c *frame) bool {
		if c.fail != failNone {
			return false
		}
		o := owner.object(c)
		n := count(c, o)
		if n == 0 {
			return !decides
		}
		var failed failure
		for i := range n {
			if !c.step() {
				return false
			}
			c.slots[slot].o = at(c, o, i)
			x := body(c)
			if c.fail == failNone && x != decides {
				continue
			}
			if c.decided(x, decides, &failed) {
				c.slots[slot].o = nil
				return decides
			}
		}
		c.slots[slot].o = nil
		if failed != failNone {
			c.failWith(failed)
		}
		return !decides
	}
}

// overStrings is quantifier over a field that has strings.
//
//go:noinline
func (m *macro) overStrings(f *field, owner source, body boolFn, decides bool) boolFn {
	slot, read := m.slot, f.strings
	return func(c *frame) bool {
		if c.fail != failNone {
			return false
		}
		all := read(c, owner.object(c))
		var failed failure
		for i := range all {
			if !c.step() {
				return false
			}
			c.slots[slot].s = all[i]
			x := body(c)
			if c.fail == failNone && x != decides {
				continue
			}
			if c.decided(x, decides, &failed) {
				c.slots[slot].s = ""
				return decides
			}
		}
		c.slots[slot].s = ""
		if failed != failNone {
			c.failWith(failed)
		}
		return !decides
	}
}

func (m *macro) existsOne(body boolFn) boolFn {
	return func(c *frame) bool {
		l := m.list(c)
		count := 0
		for i := 0; i < l.n && c.fail == failNone && c.step(); i++ {
			m.set(c, &l, i)
			if body(c) {
				count++
			}
		}
		c.slots[m.slot] = value{}
		return count == 1
	}
}

// collect is map or filter: the step appends an element, under a condition or always.
func (k *compiler) collect(e ast.Expr, m macro, from node, step ast.Expr) node {
	var test boolFn
	fails := from.fails || from.typ.kind == kindDyn
	if step.AsCall().FunctionName() == operators.Conditional {
		n := k.expr(step.AsCall().Args()[0])
		if n.typ.kind == kindBad {
			return bad
		}
		test, fails = n.bool(), fails || n.fails || n.typ.kind == kindDyn
		step = step.AsCall().Args()[1]
	}
	element := k.expr(step.AsCall().Args()[1].AsList().Elements()[0])
	switch element.typ.kind {
	case kindBad:
		return bad
	case kindTime, kindHeaders, kindVendors, kindNamed:
		return k.unsupported(e, "a list of "+kindNames[element.typ.kind])
	}
	v := element.value()
	return node{
		typ: typ{kind: kindList, elem: &element.typ}, fails: fails || element.fails,
		l: func(c *frame) list {
			l := m.list(c)
			at, ok := c.reserve(l.n)
			if !ok {
				return list{}
			}
			n := 0
			for i := 0; i < l.n && c.fail == failNone && c.step(); i++ {
				m.set(c, &l, i)
				if test != nil && !test(c) {
					continue
				}
				x := v(c)
				c.values[at+n] = x
				n++
			}
			c.slots[m.slot] = value{}
			return list{n: n, values: c.values[at : at+n : at+n]}
		},
	}
}
