package policy

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/parser"

	"github.com/rtbwire/rtbwire/internal/nearest"
)

// This file says what to write instead of expressions whose types do not fit.

// synonyms are the names that other languages have for functions of CEL.
var synonyms = map[string]string{
	"any": operators.Exists, "some": operators.Exists, "every": operators.All, "len": "size", "length": "size", "count": "size",
	"lower": "lowerAscii", "tolower": "lowerAscii", "tolowercase": "lowerAscii", "lowercase": "lowerAscii",
	"includes": "contains", "match": "matches", "regex": "matches", "regexp": "matches",
}

// macros are the macros that bind a variable.
var macros = []string{operators.All, operators.Exists, operators.ExistsOne, operators.Map, operators.Filter}

// function returns the function that a source may mean by an unknown name.
func (e *Env) function(name string) string {
	if f, ok := synonyms[strings.ToLower(name)]; ok {
		return f
	}
	names := append([]string{operators.Has}, macros...)
	for f := range e.cel.Functions() {
		if f != "" && nameByte(f[0]) && f[0] != '_' {
			names = append(names, f)
		}
	}
	return nearest.Name(name, names)
}

// assumed returns the ids of the names that a misspelt macro would bind: they are no mistakes.
func (e *Env) assumed(tree *ast.AST) map[int64]bool {
	ids := map[int64]bool{}
	functions := e.cel.Functions()
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(x ast.Expr) {
		if x.Kind() != ast.CallKind || !x.AsCall().IsMemberFunction() || len(x.AsCall().Args()) < 2 {
			return
		}
		call := x.AsCall()
		variable := call.Args()[0]
		if functions[call.FunctionName()] != nil || variable.Kind() != ast.IdentKind || !slices.Contains(macros, e.function(call.FunctionName())) {
			return
		}
		for _, a := range call.Args() {
			ast.PostOrderVisit(a, ast.NewExprVisitor(func(n ast.Expr) {
				if n.Kind() == ast.IdentKind && n.AsIdent() == variable.AsIdent() {
					ids[n.ID()] = true
				}
			}))
		}
	}))
	return ids
}

// find returns the expression with an id, or nil.
func find(tree *ast.AST, id int64) (found ast.Expr) {
	if tree != nil {
		ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
			if e.ID() == id {
				found = e
			}
		}))
	}
	return found
}

// written returns the source of an expression, in one line.
func written(tree *ast.AST, e ast.Expr) string {
	text, err := parser.Unparse(e, tree.SourceInfo(), parser.WrapOnColumn(SourceMax))
	if err != nil {
		return "..." // it has a macro
	}
	return strings.ReplaceAll(text, requestName+".", "")
}

// operand is written for an operand, in parentheses if it is an operation itself.
func operand(tree *ast.AST, e ast.Expr) string {
	text := written(tree, e)
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() != operators.Index {
		if _, ok := operators.FindReverse(e.AsCall().FunctionName()); ok {
			return "(" + text + ")"
		}
	}
	return text
}

// noFields is about the field of something that is not an object.
func (s *issueList) noFields(issue *Issue, typeName string, tree *ast.AST, e ast.Expr) {
	if e == nil || e.Kind() != ast.SelectKind {
		return
	}
	sel := e.AsSelect()
	field, base := sel.FieldName(), written(tree, sel.Operand())
	if sel.Operand().Kind() == ast.ComprehensionKind {
		base = "this"
	}
	s.place(issue, field)
	elem, isList := strings.CutPrefix(typeName, "list(")
	elem = strings.TrimSuffix(elem, ")")
	object := objectsByName[elem]
	switch {
	case !isList:
		issue.Message = fmt.Sprintf("%s is %s, it has no fields", base, articleOf(typeName))
		return
	case object == nil:
		issue.Message = fmt.Sprintf("%s is a list of values without fields", base)
		return
	}
	variable := "x"
	if base != "this" {
		variable = strings.ToLower(base[strings.LastIndexByte(base, '.')+1:][:1])
	}
	if object.field(field) == nil {
		issue.Suggestion = nearest.Name(field, s.env.fieldNames(elem))
	}
	use := variable + "." + field + " ..."
	if sel.IsTestOnly() {
		use = "has(" + variable + "." + field + ")"
	}
	issue.Message = fmt.Sprintf("%s is a list: write %s.exists(%s, %s)", base, base, variable, use)
}

// overload says what to write instead of a call that does not take the types of its arguments. It
// returns "" if it does not know.
func (s *issueList) overload(issue *Issue, function, args string, tree *ast.AST, e ast.Expr) string {
	if e == nil || e.Kind() != ast.CallKind {
		return ""
	}
	call := e.AsCall()
	switch function {
	case "usd":
		s.place(issue, function)
		message := "usd takes an amount and a currency: usd(i.bidfloor, i.bidfloorcur)"
		if strings.Contains(args, "dyn") {
			return message + "; write double(...) about an amount of an ext"
		}
		if len(call.Args()) == 2 && strings.HasPrefix(args, "(int, ") {
			return message + "; the amount is a double: " + asDouble(tree, call.Args()[0])
		}
		return message
	case "contains", "startsWith", "endsWith", "matches", "lowerAscii":
		s.place(issue, function)
		return textFunction(function, args, tree, call)
	case operators.In:
		return s.inText(args, tree, call)
	case operators.LogicalNot:
		return wantBool(tree, call.Args()[0], strings.Trim(args, "()"), true)
	}
	symbol, ok := operators.FindReverse(function)
	if !ok || len(call.Args()) != 2 || call.IsMemberFunction() {
		return ""
	}
	types := strings.Split(strings.Trim(args, "()"), ", ")
	if len(types) != 2 {
		return ""
	}
	return binary(symbol, types, tree, call.Args())
}

// textFunction is about a function of strings.
func textFunction(function, args string, tree *ast.AST, call ast.CallExpr) string {
	if !call.IsMemberFunction() {
		if len(call.Args()) == 0 {
			return ""
		}
		var rest []string
		for _, a := range call.Args()[1:] {
			rest = append(rest, written(tree, a))
		}
		return fmt.Sprintf("%s follows its text: write %s.%s(%s)", function, operand(tree, call.Args()[0]), function, strings.Join(rest, ", "))
	}
	if !strings.HasPrefix(args, "list(") || len(call.Args()) != 1 {
		return ""
	}
	target, arg := operand(tree, call.Target()), written(tree, call.Args()[0])
	elem, _, _ := strings.Cut(strings.TrimPrefix(args, "list("), ")")
	switch {
	case function != "contains":
		return fmt.Sprintf("%s is a list: write %s.exists(x, x.%s(%s))", target, target, function, arg)
	case objectsByName[elem] != nil:
		return fmt.Sprintf("%s is a list of objects: write %s.exists(x, x.id == ...)", target, target)
	}
	return fmt.Sprintf("%s is a list: write %s in %s", target, operand(tree, call.Args()[0]), target)
}

// inText is about "in" with a string on its right.
func (s *issueList) inText(args string, tree *ast.AST, call ast.CallExpr) string {
	if args != "(string, string)" {
		return ""
	}
	left, right := operand(tree, call.Args()[0]), call.Args()[1]
	if text, ok := literal(right).(types.String); ok {
		if _, err := netip.ParsePrefix(string(text)); err == nil {
			return "a string is not a list: write the prefix into a list of kind prefix and use lists.NAME"
		}
		if s.env.lists[string(text)] != nil {
			return fmt.Sprintf("a string is not a list: write %s in lists.%s", left, text)
		}
		return fmt.Sprintf("a string is not a list: write %s in [%s]", left, written(tree, right))
	}
	return fmt.Sprintf("a string is not a list: write %s.contains(%s) for a part of a text", operand(tree, right), left)
}

// literal returns the value of a literal, nil if it is something else.
func literal(e ast.Expr) any {
	if e.Kind() == ast.LiteralKind {
		return e.AsLiteral()
	}
	return nil
}

// binary is about the operands of an operator.
func binary(symbol string, names []string, tree *ast.AST, args []ast.Expr) string {
	for i, a := range args {
		other := args[1-i]
		constant := literal(a)
		if constant == nil || literal(other) != nil {
			continue
		}
		x := operand(tree, other)
		if advice := compareBool(symbol, names[1-i], x, constant); advice != "" {
			return advice
		}
		text := literalAs(constant, names[1-i])
		if text == "" {
			continue
		}
		sides := []string{x, text}
		if i == 0 && constant != types.True && constant != types.False {
			sides = []string{text, x}
		}
		return fmt.Sprintf("%s is %s: write %s %s %s", x, articleOf(names[1-i]), sides[0], symbol, sides[1])
	}
	for i, a := range args {
		if names[i] != "int" || names[1-i] != "double" {
			continue
		}
		sides := []string{operand(tree, args[0]), operand(tree, args[1])}
		sides[i] = asDouble(tree, a)
		return fmt.Sprintf("%s is an int: write %s %s %s", operand(tree, a), sides[0], symbol, sides[1])
	}
	return ""
}

// compareBool is about comparing something with null, and a bool with 0 or 1.
func compareBool(symbol, name, x string, constant any) string {
	equals := symbol == "=="
	if !equals && symbol != "!=" {
		return ""
	}
	switch {
	case constant == types.NullValue:
		if equals {
			x = "!has(" + x + ")"
		} else {
			x = "has(" + x + ")"
		}
		return "only an object or a value of an ext can be null: write " + x
	case name == "bool" && (constant == types.Int(0) || constant == types.Int(1)):
		if equals == (constant == types.Int(1)) {
			return x + " is a bool: write " + x
		}
		return x + " is a bool: write !" + x
	}
	return ""
}

// asDouble writes an int as a double.
func asDouble(tree *ast.AST, e ast.Expr) string {
	if text := literalAs(literal(e), "double"); text != "" {
		return text
	}
	return "double(" + written(tree, e) + ")"
}

// literalAs writes a constant as one of another type, or "" with its value.
func literalAs(constant any, name string) string {
	switch v := constant.(type) {
	case types.Bool:
		if name == "int" && bool(v) {
			return "1"
		} else if name == "int" {
			return "0"
		}
	case types.Int:
		switch name {
		case "double":
			return strconv.FormatInt(int64(v), 10) + ".0"
		case "string":
			return `"` + strconv.FormatInt(int64(v), 10) + `"`
		}
	case types.Double:
		const exact = 1 << 53 // above it a double does not hold every int
		if name == "int" && float64(v) == math.Trunc(float64(v)) && math.Abs(float64(v)) < exact {
			return strconv.FormatInt(int64(v), 10)
		}
	case types.String:
		if _, err := strconv.ParseInt(string(v), 10, 64); name == "int" && err == nil {
			return string(v)
		}
	}
	return ""
}

// wantBool is about an operand that has to be true or false.
func wantBool(tree *ast.AST, e ast.Expr, name string, not bool) string {
	x := operand(tree, e)
	var instead string
	symbol := "!="
	if not {
		symbol = "=="
	}
	switch {
	case name == "int" && not:
		instead = x + " == 0"
	case name == "int":
		instead = x + " == 1"
	case name == "double":
		instead = x + " " + symbol + " 0.0"
	case name == "string":
		instead = x + " " + symbol + ` ""`
	case strings.HasPrefix(name, "list("):
		instead = x + ".size() " + symbol + " 0"
	case objectsByName[name] != nil && not:
		instead = "!has(" + x + ")"
	case objectsByName[name] != nil:
		instead = "has(" + x + ")"
	default:
		return ""
	}
	return fmt.Sprintf("%s is %s: write %s", x, articleOf(name), instead)
}

// articleOf names a type by what cel-go calls it.
func articleOf(name string) string {
	switch {
	case name == "int":
		return "an int"
	case strings.HasPrefix(name, "list("):
		return "a list"
	case objectsByName[name] != nil:
		return "an object"
	case name == cel.DynType.String():
		return "a value of an ext"
	}
	return "a " + name
}
