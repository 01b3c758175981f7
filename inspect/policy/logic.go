package policy

import (
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// logical compiles && and ||. A failed operand does not matter if the other one decides.
func logical(and bool, x, y node) node {
	a, b := x.bool(), y.bool()
	n := boolNode(nil, x, y)
	n.fails = n.fails || x.typ.kind == kindDyn || y.typ.kind == kindDyn
	switch {
	case x.constant && x.known.i != 0 == and:
		return boolNode(b, y)
	case x.constant:
		return x
	case n.fails:
		n.b = func(c *frame) bool { return c.absorb(a, b, !and) }
	case and:
		n.b = func(c *frame) bool { return a(c) && b(c) }
	default:
		n.b = func(c *frame) bool { return a(c) || b(c) }
	}
	return n
}

// absorb evaluates && or ||; one operand that is equal to decides is enough.
func (c *frame) absorb(a, b boolFn, decides bool) bool {
	if c.fail != failNone {
		return false
	}
	x := a(c)
	if c.fail == failNone {
		if x == decides {
			return decides
		}
		return b(c)
	}
	failed := c.fail
	if failed.fatal() {
		return false
	}
	c.fail = failNone
	y := b(c)
	if c.fail == failNone && y == decides {
		return decides
	}
	if !c.fail.fatal() {
		c.fail = worse(failed, c.fail)
	}
	return false
}

// conditional compiles a ? b : c.
func (k *compiler) conditional(e ast.Expr, args []node) node {
	test, x, y := args[0].bool(), args[1], args[2]
	n := node{typ: x.typ, fails: anyFails(args) || args[0].typ.kind == kindDyn}
	switch {
	case x.typ.kind == kindTime || x.typ.kind == kindHeaders || x.typ.kind == kindVendors || x.typ.kind == kindNamed:
		return k.unsupported(e, "?: of "+kindNames[x.typ.kind])
	case !sameType(x.typ, y.typ):
		if x.typ.kind == kindTime || y.typ.kind == kindTime {
			return k.unsupported(e, "?: of different types")
		}
		n.typ = typ{kind: kindDyn}
		a, b := x.value(), y.value()
		n.v = func(c *frame) value {
			if test(c) {
				return a(c)
			}
			return b(c)
		}
		n.fails = true
		return n
	}
	switch x.typ.kind {
	case kindBool:
		n.b = choose(test, x.b, y.b)
	case kindInt:
		n.i = choose(test, x.i, y.i)
	case kindDouble:
		n.f = choose(test, x.f, y.f)
	case kindString:
		n.s = choose(test, x.s, y.s)
	case kindObject:
		n.o = choose(test, x.o, y.o)
	case kindList:
		n.l = choose(test, x.l, y.l)
	default:
		n.v = choose(test, x.value(), y.value())
	}
	return fold(n, args...)
}

// choose evaluates one of two closures. A test that failed chooses one too, whose value is without
// meaning.
func choose[T any](test boolFn, a, b func(*frame) T) func(*frame) T {
	return func(c *frame) T {
		if test(c) {
			return a(c)
		}
		return b(c)
	}
}

// equality compiles == and !=.
func (k *compiler) equality(e ast.Expr, x, y node, not bool) node {
	if x.constant && !y.constant {
		x, y = y, x
	}
	n := boolNode(nil, x, y)
	switch {
	case x.typ.kind == kindDyn || y.typ.kind == kindDyn, x.typ.kind == kindNull && y.typ.kind == kindNull,
		x.typ.kind == kindList && y.typ.kind == kindList:
		if !comparable(x.typ) || !comparable(y.typ) {
			return k.unsupported(e, "comparing objects")
		}
		a, b := x.value(), y.value()
		n.b = func(c *frame) bool { return c.equal(a(c), b(c)) != not }
	case x.typ.kind != y.typ.kind:
		return k.unsupported(e, "comparing with null (has() tells whether a field is there)")
	case x.typ.kind == kindBool:
		a, b := x.b, y.b
		n.b = func(c *frame) bool { return (a(c) == b(c)) != not }
	case x.typ.kind == kindInt:
		var get func(*frame, any) int64
		if x.field != nil {
			get = x.field.i
		}
		n.b = equal(x.i, y.i, get, x.owner, y.constant, not)
	case x.typ.kind == kindDouble:
		var get func(*frame, any) float64
		if x.field != nil {
			get = x.field.f
		}
		n.b = equal(x.f, y.f, get, x.owner, y.constant, not)
	case x.typ.kind == kindString:
		var get func(*frame, any) string
		if x.field != nil {
			get = x.field.s
		}
		if len(k.scope) > 0 && !y.constant {
			a, b := x.s, y.s
			n.b = func(c *frame) bool { return c.equalStrings(a(c), b(c)) != not }
		} else {
			n.b = equal(x.s, y.s, get, x.owner, y.constant, not)
		}
	case x.typ.kind == kindTime:
		a, b := x.t, y.t
		n.b = func(c *frame) bool { return a(c).Equal(b(c)) != not }
	default:
		return k.unsupported(e, "comparing objects")
	}
	return n
}

// comparable reports whether values of a type can be compared.
func comparable(t typ) bool {
	switch t.kind {
	case kindObject, kindTime, kindHeaders, kindVendors, kindNamed:
		return false
	case kindList:
		return comparable(*t.elem)
	}
	return true
}

// equal compares values of one type. get is the accessor of the first, if that is a field.
func equal[T int64 | float64 | string](a, b func(*frame) T, get func(*frame, any) T, owner source, constant, not bool) boolFn {
	if !constant {
		return func(c *frame) bool { return (a(c) == b(c)) != not }
	}
	known := b(nil)
	switch {
	case get == nil:
		return func(c *frame) bool { return (a(c) == known) != not }
	case owner.get == nil:
		slot := owner.slot
		return func(c *frame) bool { return (get(c, c.slots[slot].o) == known) != not }
	}
	object := owner.get
	return func(c *frame) bool { return (get(c, object(c)) == known) != not }
}

// comparison compiles <, <=, > and >=.
func (k *compiler) comparison(e ast.Expr, op string, x, y node) node {
	n := boolNode(nil, x, y)
	number := func(t kind) bool { return t == kindInt || t == kindDouble }
	switch {
	case x.typ.kind == kindInt && y.typ.kind == kindInt:
		n.b = order(op, x.i, y.i, y.constant)
	case number(x.typ.kind) && number(y.typ.kind):
		n.b = order(op, x.double(), y.double(), y.constant)
	case x.typ.kind == kindString && y.typ.kind == kindString && (len(k.scope) == 0 || y.constant):
		n.b = order(op, x.s, y.s, y.constant)
	case x.typ.kind == kindTime && y.typ.kind == kindTime:
		a, b, test := x.t, y.t, tester(op)
		n.b = func(c *frame) bool { return test(a(c).Compare(b(c))) }
	case x.typ.kind == kindTime || y.typ.kind == kindTime:
		return k.unsupported(e, "comparing a timestamp with a value of an ext")
	default:
		a, b, test := x.value(), y.value(), tester(op)
		n.b = func(c *frame) bool { return test(c.compare(a(c), b(c))) }
		n.fails = true
	}
	return n
}

// tester says what an operator asks of a comparison, which is -1, 0, 1 or unordered.
func tester(op string) func(order int) bool {
	switch op {
	case operators.Less:
		return func(o int) bool { return o < 0 }
	case operators.LessEquals:
		return func(o int) bool { return o <= 0 }
	case operators.Greater:
		return func(o int) bool { return o == 1 }
	}
	return func(o int) bool { return o == 0 || o == 1 }
}

func order[T int64 | float64 | string](op string, a, b func(*frame) T, constant bool) boolFn {
	if constant {
		known := b(nil)
		switch op {
		case operators.Less:
			return func(c *frame) bool { return a(c) < known }
		case operators.LessEquals:
			return func(c *frame) bool { return a(c) <= known }
		case operators.Greater:
			return func(c *frame) bool { return a(c) > known }
		}
		return func(c *frame) bool { return a(c) >= known }
	}
	switch op {
	case operators.Less:
		return func(c *frame) bool { return a(c) < b(c) }
	case operators.LessEquals:
		return func(c *frame) bool { return a(c) <= b(c) }
	case operators.Greater:
		return func(c *frame) bool { return a(c) > b(c) }
	}
	return func(c *frame) bool { return a(c) >= b(c) }
}
