package policy

import (
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// compiler turns a checked syntax tree into closures. What it can't compile becomes an issue.
type compiler struct {
	tree   *ast.AST
	issues *issueList
	env    *Env
	scope  []variable
}

// variable is the variable of a macro.
type variable struct {
	name string
	typ  typ
}

// unsupported notes that only the interpreter takes an expression.
func (k *compiler) unsupported(e ast.Expr, what string) node {
	k.issues.at(k.tree, e, what+" needs interpreted: true")
	return bad
}

func (k *compiler) expr(e ast.Expr) node {
	switch e.Kind() {
	case ast.LiteralKind:
		return k.literal(e)
	case ast.IdentKind:
		return k.ident(e)
	case ast.SelectKind:
		return k.selection(e)
	case ast.CallKind:
		return k.call(e)
	case ast.ListKind:
		return k.listLiteral(e)
	case ast.ComprehensionKind:
		return k.macro(e)
	case ast.MapKind:
		return k.unsupported(e, "a map")
	default:
		return k.unsupported(e, "an object literal")
	}
}

func (k *compiler) literal(e ast.Expr) node {
	switch v := e.AsLiteral().(type) {
	case types.Bool:
		return constant(boolValue(bool(v)))
	case types.Int:
		return constant(intValue(int64(v)))
	case types.Double:
		return constant(doubleValue(float64(v)))
	case types.String:
		return constant(stringValue(string(v)))
	case types.Null:
		return constant(value{})
	}
	return k.unsupported(e, "a literal of type "+e.AsLiteral().Type().TypeName())
}

func (k *compiler) ident(e ast.Expr) node {
	name := e.AsIdent()
	for slot, v := range slices.Backward(k.scope) {
		if v.name == name {
			return slotNode(v.typ, firstLoopSlot+slot)
		}
	}
	switch name {
	case requestName:
		return requestNode()
	case "facts":
		return node{typ: typ{kind: kindObject, object: objFacts}, o: func(c *frame) any { return c.facts }}
	}
	if f := objects[objBidRequest].field(name); f != nil {
		root := requestNode()
		return fieldNode(&root, f)
	}
	return k.unsupported(e, name)
}

func requestNode() node {
	n := slotNode(typ{kind: kindObject, object: objBidRequest}, requestSlot)
	n.path = requestName
	return n
}

// slotNode reads the request, or the variable of a macro.
func slotNode(t typ, slot int) node {
	n := node{typ: t}
	switch t.kind {
	case kindBool:
		n.b = func(c *frame) bool { return c.slots[slot].i != 0 }
	case kindInt:
		n.i = func(c *frame) int64 { return c.slots[slot].i }
	case kindDouble:
		n.f = func(c *frame) float64 { return c.slots[slot].double() }
	case kindString:
		n.s = func(c *frame) string { return c.slots[slot].s }
	case kindObject:
		n.o = func(c *frame) any { return c.slots[slot].o }
		n.held, n.slot = true, slot
	case kindList:
		n.l = func(c *frame) list { return c.elements(c.slots[slot]) }
	default:
		n.v = func(c *frame) value { return c.slots[slot] }
	}
	return n
}

// fieldNode reads a field of an object.
func fieldNode(base *node, f *field) node {
	owner := base.source()
	n := node{typ: f.typ(), fails: base.fails, field: f, owner: owner}
	if f.list {
		n.l = func(c *frame) list { return f.listOf(c, owner.object(c)) }
		return n
	}
	switch f.kind {
	case kindBool:
		n.b = read(f.b, owner)
	case kindInt:
		n.i = read(f.i, owner)
	case kindDouble:
		n.f = read(f.f, owner)
	case kindString:
		n.s = read(f.s, owner)
	case kindObject:
		n.o = read(f.o, owner)
	case kindTime:
		n.t = func(c *frame) time.Time { return c.facts.Time }
	case kindDyn:
		get := f.raw
		n.v = func(c *frame) value { return c.raw(get(c, owner.object(c))) }
	}
	n.fails = n.fails || f.kind == kindDyn
	if base.path == "" {
		return n
	}
	n.path = strings.TrimPrefix(base.path+"."+f.name, requestName+".")
	if short, ok := shortcuts[n.path]; ok {
		n.i, n.f, n.s, n.o, n.field = short.i, short.f, short.s, short.o, nil
	}
	return n
}

// read returns a closure that calls an accessor with the object it takes.
//
//go:noinline
func read[T any](get func(*frame, any) T, owner source) func(*frame) T {
	if owner.get == nil {
		slot := owner.slot
		return func(c *frame) T { return get(c, c.slots[slot].o) }
	}
	object := owner.get
	return func(c *frame) T { return get(c, object(c)) }
}

func (k *compiler) selection(e ast.Expr) node {
	sel := e.AsSelect()
	name := sel.FieldName()
	if op := sel.Operand(); op.Kind() == ast.IdentKind && op.AsIdent() == listsName && !k.shadowed(listsName) {
		return node{typ: typ{kind: kindNamed}, named: k.env.lists[name]}
	}
	base := k.expr(sel.Operand())
	switch base.typ.kind {
	case kindBad:
		return bad
	case kindObject:
		f := objects[base.typ.object].field(name)
		if f == nil {
			return k.unsupported(e, name)
		}
		if sel.IsTestOnly() {
			if f.has != nil {
				return boolNode(read(f.has, base.source()), base)
			}
			return boolNode(read(f.present, base.source()), base)
		}
		return fieldNode(&base, f)
	case kindDyn:
		v := base.v
		if sel.IsTestOnly() {
			n := boolNode(func(c *frame) bool { return c.member(v(c), name).kind != kindNull })
			n.fails = true
			return n
		}
		return dynNode(func(c *frame) value { return c.member(v(c), name) })
	case kindHeaders, kindVendors:
		at := constant(stringValue(name))
		if sel.IsTestOnly() {
			return k.keyIn(at, base)
		}
		return k.keyOf(base, at)
	}
	return k.unsupported(e, "."+name)
}

func (k *compiler) shadowed(name string) bool {
	for i := range k.scope {
		if k.scope[i].name == name {
			return true
		}
	}
	return false
}

// keyOf is facts.headers["name"] or facts.vendor["name"].
func (k *compiler) keyOf(base, at node) node {
	name := at.string()
	if base.typ.kind == kindHeaders {
		return stringNode(func(c *frame) string {
			c.chargeElements(len(c.facts.Headers))
			return c.facts.Header(name(c))
		}, at)
	}
	return node{typ: typ{kind: kindObject, object: objVendor}, fails: at.fails, o: func(c *frame) any {
		c.chargeElements(len(c.facts.Vendor))
		if v := c.vendor(name(c)); v != nil {
			return v
		}
		return &noVendor
	}}
}

// keyIn is "name" in facts.headers or facts.vendor.
func (k *compiler) keyIn(at, base node) node {
	name := at.string()
	if base.typ.kind == kindVendors {
		return boolNode(func(c *frame) bool {
			c.chargeElements(len(c.facts.Vendor))
			return c.vendor(name(c)) != nil
		}, at)
	}
	return boolNode(func(c *frame) bool {
		c.chargeElements(len(c.facts.Headers))
		return c.hasHeader(name(c))
	}, at)
}

func (k *compiler) call(e ast.Expr) node {
	call := e.AsCall()
	name := call.FunctionName()
	var args []node
	if call.IsMemberFunction() {
		args = append(args, k.expr(call.Target()))
	}
	for _, a := range call.Args() {
		args = append(args, k.expr(a))
	}
	for i := range args {
		if args[i].typ.kind == kindBad {
			return bad
		}
	}
	var n node
	switch name {
	case operators.LogicalAnd, operators.LogicalOr:
		return logical(name == operators.LogicalAnd, args[0], args[1])
	case operators.LogicalNot:
		b := args[0].bool()
		n = boolNode(func(c *frame) bool { return !b(c) }, args...)
	case operators.Conditional:
		return k.conditional(e, args)
	case operators.Equals, operators.NotEquals:
		n = k.equality(e, args[0], args[1], name == operators.NotEquals)
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		n = k.comparison(e, name, args[0], args[1])
	case operators.In, operators.OldIn:
		return k.in(e, args[0], args[1])
	case operators.Index:
		return k.index(e, args[0], args[1])
	case operators.Add, operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo:
		n = k.arithmetic(e, name, args[0], args[1])
	case operators.Negate:
		n = k.negate(e, args[0])
	default:
		n = k.function(e, name, args)
	}
	return fold(n, args...)
}

// listLiteral compiles [a, b, ...].
func (k *compiler) listLiteral(e ast.Expr) node {
	var values []valueFn
	var known []value
	n := node{typ: typ{kind: kindList}}
	if len(e.AsList().OptionalIndices()) != 0 {
		return k.unsupported(e, "an optional element")
	}
	elem := typ{kind: kindDyn}
	for i, a := range e.AsList().Elements() {
		element := k.expr(a)
		switch element.typ.kind {
		case kindBad:
			return bad
		case kindTime, kindHeaders, kindVendors, kindNamed:
			return k.unsupported(a, "a "+kindNames[element.typ.kind]+" in a list")
		}
		if i == 0 {
			elem = element.typ
		} else if !sameType(elem, element.typ) {
			elem = typ{kind: kindDyn}
		}
		if element.constant && element.elements == nil {
			known = append(known, element.known)
		}
		n.fails = n.fails || element.fails
		values = append(values, element.value())
	}
	n.typ.elem = &elem
	if len(known) == len(values) {
		n.constant, n.elements = true, known
		if known == nil {
			n.elements = []value{}
		}
		l := list{n: len(known), values: known}
		n.l = func(*frame) list { return l }
		return n
	}
	n.fails = true
	n.l = func(c *frame) list {
		at, ok := c.reserve(len(values))
		if !ok {
			return list{}
		}
		for i, v := range values {
			x := v(c)
			c.values[at+i] = x
		}
		return list{n: len(values), values: c.values[at : at+len(values)]}
	}
	return n
}

func sameType(a, b typ) bool {
	if a.kind == kindList && b.kind == kindList {
		return sameType(*a.elem, *b.elem)
	}
	return a.kind == b.kind && a.object == b.object
}

// index compiles a[b].
func (k *compiler) index(e ast.Expr, a, b node) node {
	switch a.typ.kind {
	case kindHeaders, kindVendors:
		return k.keyOf(a, b)
	case kindList:
		l, i := a.l, b.value()
		if b.typ.kind == kindInt {
			return k.element(e, l, b.i, *a.typ.elem)
		}
		return k.element(e, l, func(c *frame) int64 {
			v := i(c)
			if v.kind == kindDouble && v.double() == float64(int64(v.double())) {
				return int64(v.double())
			}
			if v.kind != kindInt {
				c.failWith(failType)
			}
			return v.i
		}, *a.typ.elem)
	case kindDyn:
		v, i := a.v, b.value()
		return dynNode(func(c *frame) value { return c.index(v(c), i(c)) })
	}
	return k.unsupported(e, "this index")
}

// element compiles an element of a list.
func (k *compiler) element(e ast.Expr, l listFn, i intFn, t typ) node {
	at := func(c *frame) value {
		list, i := l(c), i(c)
		if i < 0 || i >= int64(list.n) || c.fail != failNone {
			c.failWith(failIndex)
			return zero(t)
		}
		return list.at(c, int(i))
	}
	n := node{typ: t, fails: true}
	switch t.kind {
	case kindBool:
		n.b = func(c *frame) bool { v := at(c); return v.i != 0 }
	case kindInt:
		n.i = func(c *frame) int64 { v := at(c); return v.i }
	case kindDouble:
		n.f = func(c *frame) float64 { v := at(c); return v.double() }
	case kindString:
		n.s = func(c *frame) string { v := at(c); return v.s }
	case kindObject:
		n.o = func(c *frame) any { v := at(c); return v.o }
	case kindList:
		n.l = func(c *frame) list { return c.elements(at(c)) }
	case kindDyn, kindNull:
		n.v = at
	default:
		return k.unsupported(e, "this index")
	}
	return n
}

// zero is the value of a type that an expression returns after it has failed.
func zero(t typ) value {
	if t.kind == kindObject {
		return objectValue(objects[t.object].absent)
	}
	return value{kind: t.kind}
}
