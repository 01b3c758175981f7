package policy

import (
	"fmt"
	"math"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/parser"
)

// Part is a condition, or a part of one that && or || joins to others. It is for explanations: its
// parts say why a condition holds or does not.
type Part struct {
	// Source is the part in CEL, on one line, as cel-go prints it.
	Source string
	// Operator is what joins the Parts, "&&" or "||"; "" for a part without parts.
	Operator string
	// Parts has at least two parts, or none.
	Parts []Part
	// Condition is the part alone. It is nil if the part can't be compiled.
	Condition *Condition
}

// Parts takes a condition apart, with the same options that compile it.
func (e *Env) Parts(source string, options ...Option) (Part, error) {
	if len(source) > SourceMax || !utf8.ValidString(source) {
		return Part{}, fmt.Errorf("condition: not UTF-8, or longer than %d bytes", SourceMax)
	}
	tracking, err := e.cel.Extend(cel.EnableMacroCallTracking()) // to print macros as they were written
	if err != nil {
		return Part{}, err
	}
	parsed, issues := tracking.Parse(source)
	if issues.Err() != nil {
		return Part{}, issues.Err()
	}
	tree := parsed.NativeRep()
	if s := (&issueList{source: source, env: e}); !s.bounded(tree) {
		return Part{}, fmt.Errorf("condition: %s", s.issues[0].Message)
	}
	return e.part(tree, tree.Expr(), options)
}

// part takes an expression apart.
func (e *Env) part(tree *ast.AST, x ast.Expr, options []Option) (p Part, err error) {
	if p.Source, err = parser.Unparse(x, tree.SourceInfo(), parser.WrapOnColumn(math.MaxInt)); err != nil {
		return Part{}, err
	}
	var issues []Issue
	if p.Condition, issues = e.Compile(p.Source, options...); issues != nil {
		// A value of an ext is a condition only beside another one.
		p.Condition, _ = e.Compile("("+p.Source+") && true", options...)
	}
	for _, operand := range operands(x, logicalOperator(x), nil) {
		inner, err := e.part(tree, operand, options)
		if err != nil {
			return Part{}, err
		}
		p.Parts = append(p.Parts, inner)
	}
	if name := logicalOperator(x); name != "" {
		p.Operator, _ = operators.FindReverse(name)
	}
	return p, nil
}

// logicalOperator returns the name of && or || if that is what an expression is, otherwise "".
func logicalOperator(x ast.Expr) string {
	if x.Kind() == ast.CallKind {
		if name := x.AsCall().FunctionName(); name == operators.LogicalAnd || name == operators.LogicalOr {
			return name
		}
	}
	return ""
}

// operands appends what an operator joins. The parser has made a balanced tree of a chain.
func operands(x ast.Expr, operator string, to []ast.Expr) []ast.Expr {
	if operator == "" {
		return nil
	}
	for _, a := range x.AsCall().Args() {
		if logicalOperator(a) == operator {
			to = operands(a, operator, to)
		} else {
			to = append(to, a)
		}
	}
	return to
}
