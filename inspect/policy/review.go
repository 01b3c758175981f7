package policy

import (
	"maps"
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// This file finds what is valid in a condition, and still worth knowing: work that grows faster
// than the request, and operations that have no value for some requests.

// Growth returns the places at which the work grows faster than the request: a list of the request
// is gone through, or a text of it is read, for each element of another list. A request that is
// long enough reaches a limit of work there. They are in the order of the source.
func (d *Condition) Growth() []Issue { return d.growth }

// Lacking returns the operations that have no value for some requests, in the order of the source.
func (d *Condition) Lacking() []Issue { return d.lacking }

const (
	growsList = "this goes through a list of the request for each element of another one: " + growsLimit
	growsText = "this reads a text of the request for each element of a list: " + growsLimit

	growsLimit = "the work grows faster than the request, up to the limit StepsMax"
)

// review looks at a checked condition.
func (s *issueList) review(tree *ast.AST) (growth, lacking []Issue) {
	g := &growing{tree: tree, found: issueList{source: s.source, env: s.env}}
	g.walk(tree.Expr(), 0, nil)
	l := &issueList{source: s.source, env: s.env}
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.CallKind {
			if why := lacks(tree, e.AsCall()); why != "" {
				l.at(tree, e, why)
			}
		}
	}))
	return g.found.sorted(), l.sorted()
}

// growing finds work that grows faster than the request. Loops over lists of the request are
// numbered from 1, the outermost one first; 0 is the request. A loop in another one is over a part
// of that one's element, which makes all elements together no more than the request has, or it is
// over something else for each element.
type growing struct {
	tree  *ast.AST
	found issueList
}

// origins are the loops that a value is a part of an element of, by its variable.
type origins map[string]map[int]bool

// walk looks at an expression inside so many loops.
func (g *growing) walk(e ast.Expr, loops int, variables origins) {
	switch e.Kind() {
	case ast.SelectKind:
		g.walk(e.AsSelect().Operand(), loops, variables)
	case ast.CallKind:
		call := e.AsCall()
		if call.IsMemberFunction() {
			g.walk(call.Target(), loops, variables)
		}
		for _, a := range call.Args() {
			g.walk(a, loops, variables)
		}
		if call.FunctionName() == operators.In && g.isList(call.Args()[1]) {
			g.loop(e, call.Args()[1], loops, variables)
		}
		if g.rereads(call, loops, variables) {
			g.found.at(g.tree, e, growsText)
		}
	case ast.ListKind:
		for _, a := range e.AsList().Elements() {
			g.walk(a, loops, variables)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			g.walk(entry.AsMapEntry().Key(), loops, variables)
			g.walk(entry.AsMapEntry().Value(), loops, variables)
		}
	case ast.ComprehensionKind:
		fold := e.AsComprehension()
		g.walk(fold.IterRange(), loops, variables)
		from := g.loop(e, fold.IterRange(), loops, variables)
		if from[loops+1] {
			loops++
		}
		inner := maps.Clone(variables)
		if inner == nil {
			inner = origins{}
		}
		inner[fold.IterVar()], inner[fold.AccuVar()] = from, nil
		g.walk(fold.LoopStep(), loops, inner)
	default:
	}
}

// isList reports whether an expression is a list, as far as is known.
func (g *growing) isList(e ast.Expr) bool {
	kind := g.tree.GetType(e.ID()).Kind()
	return kind == types.ListKind || kind == types.DynKind
}

// loop notes a loop, by a macro or by "in", that goes through a list of the request for each
// element of another one. It returns what an element is a part of: those of a list literal are
// what is written there, and there are no more of them in a longer request.
func (g *growing) loop(e, list ast.Expr, loops int, variables origins) map[int]bool {
	from := g.origin(list, variables)
	if len(from) == 0 || list.Kind() == ast.ListKind {
		return from
	}
	for outer := range from {
		if outer < loops {
			g.found.at(g.tree, e, growsList)
			break
		}
	}
	return map[int]bool{loops + 1: true}
}

// rereads reports whether a call reads a text that is no part of the element of the innermost loop.
func (g *growing) rereads(call ast.CallExpr, loops int, variables origins) bool {
	again := func(e ast.Expr) bool {
		kind := g.tree.GetType(e.ID()).Kind()
		if kind != types.StringKind && kind != types.DynKind {
			return false
		}
		for outer := range g.origin(e, variables) {
			if outer < loops {
				return true
			}
		}
		return false
	}
	args := call.Args()
	switch call.FunctionName() {
	case "contains", "startsWith", "endsWith":
		return again(call.Target()) || again(args[0])
	case "matches", "lowerAscii":
		return again(call.Target())
	case "size", "isAddress":
		if call.IsMemberFunction() {
			return again(call.Target())
		}
		return again(args[0])
	case operators.In:
		return !g.isList(args[1]) && again(args[0]) // a list of the configuration, or the keys of headers
	case operators.Add:
		return g.isText(args[0]) && (again(args[0]) || again(args[1]))
	case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		return g.isText(args[0]) && again(args[0]) && again(args[1]) // no more is read than the shorter one
	}
	return false
}

// isText reports whether an expression is known to be a text.
func (g *growing) isText(e ast.Expr) bool {
	return g.tree.GetType(e.ID()).Kind() == types.StringKind
}

// origin returns what a value is a part of; nothing for a constant.
func (g *growing) origin(e ast.Expr, variables origins) map[int]bool {
	all := map[int]bool{}
	add := func(e ast.Expr, variables origins) { maps.Copy(all, g.origin(e, variables)) }
	switch e.Kind() {
	case ast.IdentKind:
		if from, ok := variables[e.AsIdent()]; ok {
			return from
		}
		all[0] = true
	case ast.SelectKind:
		return g.origin(e.AsSelect().Operand(), variables)
	case ast.CallKind:
		args := e.AsCall().Args()
		switch e.AsCall().FunctionName() {
		case operators.Index:
			args = args[:1]
		case operators.Conditional:
			args = args[1:]
		}
		for _, a := range args {
			add(a, variables)
		}
	case ast.ListKind:
		for _, a := range e.AsList().Elements() {
			add(a, variables)
		}
	case ast.ComprehensionKind: // map or filter
		fold := e.AsComprehension()
		inner := maps.Clone(variables)
		if inner == nil {
			inner = origins{}
		}
		from := g.origin(fold.IterRange(), variables)
		inner[fold.IterVar()], inner[fold.AccuVar()] = from, nil
		maps.Copy(all, from)
		add(fold.LoopStep(), inner)
	default:
	}
	return all
}

// lacks says what a call has no value for, "" if it has one for all requests.
func lacks(tree *ast.AST, call ast.CallExpr) string {
	args := call.Args()
	constant := func(i int) bool { return args[i].Kind() == ast.LiteralKind }
	is := func(i int, kinds ...types.Kind) bool {
		return slices.Contains(kinds, tree.GetType(args[i].ID()).Kind())
	}
	switch call.FunctionName() {
	case operators.Divide, operators.Modulo:
		if !constant(1) && is(1, types.IntKind, types.DynKind) {
			return "a division by zero has no value"
		}
	case operators.Index:
		if is(0, types.ListKind, types.DynKind) {
			return "an element that a list lacks has no value"
		}
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		if is(0, types.DynKind) || is(1, types.DynKind) {
			return "comparing a member of an ext that is absent, or has another type, has no value"
		}
	case "usd":
		if !constant(1) {
			return "a currency without a rate has no value"
		}
	case "int", "double":
		if is(0, types.StringKind, types.DynKind) {
			return "a text that is no number has no value"
		}
	}
	return ""
}
