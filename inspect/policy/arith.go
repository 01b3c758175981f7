package policy

import (
	"math"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// arithmetic compiles + - * / %, and + of strings and lists.
func (k *compiler) arithmetic(e ast.Expr, op string, x, y node) node {
	if x.typ.kind == kindTime || y.typ.kind == kindTime {
		return k.unsupported(e, "arithmetic with timestamps")
	}
	switch {
	case x.typ.kind == kindInt && y.typ.kind == kindInt:
		n := intNode(intArithmetic(op, x.i, y.i), x, y)
		n.fails = true
		return n
	case x.typ.kind == kindDouble && y.typ.kind == kindDouble:
		return doubleNode(doubleArithmetic(op, x.f, y.f), x, y)
	case x.typ.kind == kindString && y.typ.kind == kindString:
		a, b := x.s, y.s
		return stringNode(func(c *frame) string {
			s := a(c)
			return c.concat(s, b(c))
		}, x, y)
	case x.typ.kind == kindList && y.typ.kind == kindList:
		elem := x.typ.elem
		if !sameType(*elem, *y.typ.elem) {
			elem = &typ{kind: kindDyn}
		}
		a, b := x.l, y.l
		return node{typ: typ{kind: kindList, elem: elem}, fails: anyFails([]node{x, y}), l: func(c *frame) list {
			l := a(c)
			return c.join(l, b(c))
		}}
	case x.typ.kind == kindDyn || y.typ.kind == kindDyn:
		a, b := x.value(), y.value()
		return dynNode(func(c *frame) value {
			v := a(c)
			return c.arithmetic(op, v, b(c))
		})
	}
	return k.unsupported(e, "this operation")
}

func (k *compiler) negate(e ast.Expr, x node) node {
	switch x.typ.kind {
	case kindInt:
		i := x.i
		n := intNode(func(c *frame) int64 { return c.sub(0, i(c)) }, x)
		n.fails = true
		return n
	case kindDouble:
		f := x.f
		return doubleNode(func(c *frame) float64 { return -f(c) }, x)
	case kindDyn:
		v := x.v
		return dynNode(func(c *frame) value {
			switch x := v(c); x.kind {
			case kindInt:
				return intValue(c.sub(0, x.i))
			case kindDouble:
				return doubleValue(-x.double())
			}
			c.failWith(failType)
			return value{}
		})
	}
	return k.unsupported(e, "this operation")
}

func intArithmetic(op string, a, b intFn) intFn {
	operation := intOperation(op)
	return func(c *frame) int64 {
		x := a(c)
		return operation(c, x, b(c))
	}
}

func intOperation(op string) func(c *frame, x, y int64) int64 {
	switch op {
	case operators.Add:
		return (*frame).add
	case operators.Subtract:
		return (*frame).sub
	case operators.Multiply:
		return (*frame).mul
	case operators.Divide:
		return (*frame).div
	}
	return (*frame).mod
}

func doubleArithmetic(op string, a, b doubleFn) doubleFn {
	switch op {
	case operators.Add:
		return func(c *frame) float64 { return a(c) + b(c) }
	case operators.Subtract:
		return func(c *frame) float64 { return a(c) - b(c) }
	case operators.Multiply:
		return func(c *frame) float64 { return a(c) * b(c) }
	}
	return func(c *frame) float64 { return a(c) / b(c) }
}

// Operations of ints fail on overflow.

func (c *frame) add(x, y int64) int64 {
	sum := x + y
	if (x^sum)&(y^sum) < 0 {
		c.failWith(failOverflow)
	}
	return sum
}

func (c *frame) sub(x, y int64) int64 {
	diff := x - y
	if (x^y)&(x^diff) < 0 {
		c.failWith(failOverflow)
	}
	return diff
}

func (c *frame) mul(x, y int64) int64 {
	product := x * y
	if x != 0 && (product/x != y || x == -1 && y == math.MinInt64) {
		c.failWith(failOverflow)
	}
	return product
}

func (c *frame) div(x, y int64) int64 {
	switch {
	case y == 0:
		c.failWith(failDivision)
		return 0
	case y == -1:
		return c.sub(0, x)
	}
	return x / y
}

func (c *frame) mod(x, y int64) int64 {
	switch {
	case y == 0:
		c.failWith(failDivision)
		return 0
	case y == -1:
		c.sub(0, x)
		return 0
	}
	return x % y
}

// arithmetic is the operation on values of one type.
func (c *frame) arithmetic(op string, a, b value) value {
	switch {
	case a.kind == kindInt && b.kind == kindInt:
		return intValue(intOperation(op)(c, a.i, b.i))
	case a.kind == kindDouble && b.kind == kindDouble && op != operators.Modulo:
		x, y := a.double(), b.double()
		switch op {
		case operators.Add:
			x += y
		case operators.Subtract:
			x -= y
		case operators.Multiply:
			x *= y
		default:
			x /= y
		}
		return doubleValue(x)
	case op != operators.Add:
	case a.kind == kindString && b.kind == kindString:
		return stringValue(c.concat(a.s, b.s))
	case (a.kind == kindList || a.kind == kindArray) && (b.kind == kindList || b.kind == kindArray):
		l := c.elements(a)
		return c.listValue(c.join(l, c.elements(b)))
	}
	c.failWith(failType)
	return value{}
}

func (c *frame) concat(a, b string) string {
	if !c.mayAdd(len(a) + len(b)) {
		return ""
	}
	c.charge(len(a) + len(b))
	start := len(c.text)
	c.text = append(append(c.text, a...), b...)
	return mem.String(c.text[start:])
}

func (c *frame) join(a, b list) list {
	at, ok := c.reserve(a.n + b.n)
	if !ok {
		return list{}
	}
	for i := 0; i < a.n && c.step(); i++ {
		c.values[at+i] = a.at(c, i)
	}
	for i := 0; i < b.n && c.step(); i++ {
		c.values[at+a.n+i] = b.at(c, i)
	}
	return list{n: a.n + b.n, values: c.values[at : at+a.n+b.n]}
}
