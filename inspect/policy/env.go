package policy

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/traits"

	"github.com/rtbwire/rtbwire/inspect/rule"
)

// Matcher is a list of the configuration. It is shared by all goroutines and allocates nothing.
type Matcher interface {
	// Match reports whether the list has the value.
	Match(value string) bool
}

// Options are what conditions can refer to besides requests and facts.
type Options struct {
	// Lists are the lists of the configuration by name: "site.domain in lists.NAME". One that is
	// nil is not loaded: nothing can be said about what is in it.
	Lists map[string]Matcher
	// Rates are the US dollars that a unit of a currency is worth, by its ISO 4217 code. USD is 1
	// and needs no entry. Without any, the rates are not loaded.
	Rates map[string]float64
}

// Env compiles conditions. It is immutable and shared by all goroutines.
type Env struct {
	lists map[string]Matcher
	rates map[string]float64
	cel   *cel.Env

	mu     sync.Mutex // one compilation at a time
	misses []miss     // of the one that runs
}

// miss is a field that an object lacks.
type miss struct{ object, field string }

// Option changes how a condition is compiled.
type Option uint8

// Interpreted compiles a condition for cel-go's interpreter. It takes all of CEL, costs about 1 to
// 10 µs and allocates; [CostMax] bounds it.
const Interpreted Option = 1

// dollars are the currencies that need no rates.
var dollars = map[string]float64{"": 1, "USD": 1}

// NewEnv returns an environment.
func NewEnv(o Options) (*Env, error) {
	e := &Env{lists: maps.Clone(o.Lists), rates: maps.Clone(dollars)}
	for currency, rate := range o.Rates {
		switch {
		case !(rate > 0) || math.IsInf(rate, 0):
			return nil, fmt.Errorf("condition: rate of %s is %v, want a positive number", currency, rate)
		case currency == "" || currency == "USD" && rate != 1:
			return nil, fmt.Errorf("condition: rate of %q is %v, but rates are in US dollars", currency, rate)
		}
		e.rates[currency] = rate
	}
	for name := range o.Lists {
		if !identifier(name) {
			return nil, fmt.Errorf("condition: list %q: want a name of letters, digits and underscores", name)
		}
	}
	var err error
	e.cel, err = cel.NewEnv(e.declarations()...)
	return e, err
}

// identifier reports whether a name can follow "lists.".
func identifier(name string) bool {
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != "" && !slices.Contains(rule.ReservedWords, name)
}

// Names that a source can't spell.
const (
	requestName = "@request" // the request as an object, for has() of a variable
	memberName  = "@member"  // member of a value of an ext, in interpreted conditions
	presentName = "@present" // the same for has()
)

const listsName = "lists"

var (
	listsType = cel.ObjectType("Lists")
	namedType = cel.ObjectType("List", traits.ContainerType)
)

func (e *Env) declarations() []cel.EnvOption {
	options := []cel.EnvOption{
		cel.CustomTypeProvider(&provider{Registry: newRegistry(), env: e}),
		cel.CustomTypeAdapter(adapter{}),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.ParserExpressionSizeLimit(SourceMax),
		cel.ExpressionNodeLimit(NodesMax),
		cel.Macros(cel.GlobalMacro(operators.Has, 1, has)),
		cel.Variable(requestName, celObject(objBidRequest)),
		cel.Variable("facts", celObject(objFacts)),
		cel.Variable(listsName, listsType),
		cel.Function(operators.In, cel.Overload("in_named_list", []*cel.Type{cel.StringType, namedType}, cel.BoolType)),
		cel.Function("usd", cel.Overload("usd_double_string", []*cel.Type{cel.DoubleType, cel.StringType}, cel.DoubleType,
			cel.BinaryBinding(e.usd))),
		cel.Function("isAddress", cel.Overload("is_address_string", []*cel.Type{cel.StringType}, cel.BoolType, cel.UnaryBinding(isAddress))),
		cel.Function("lowerAscii", cel.MemberOverload("string_lower_ascii", []*cel.Type{cel.StringType}, cel.StringType,
			cel.UnaryBinding(lowerASCII))),
		cel.Function(memberName, cel.Overload("member_dyn_dyn", []*cel.Type{cel.DynType, cel.DynType}, cel.DynType,
			cel.BinaryBinding(memberOf))),
		cel.Function(presentName, cel.Overload("present_dyn_dyn", []*cel.Type{cel.DynType, cel.DynType}, cel.BoolType,
			cel.BinaryBinding(presentIn))),
	}
	for i := range objects[objBidRequest].fields {
		f := &objects[objBidRequest].fields[i]
		options = append(options, cel.Variable(f.name, celType(f.typ())))
	}
	return options
}

// has expands has(): besides fields of objects it takes variables, which are fields of the request.
func has(eh cel.MacroExprFactory, _ ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
	switch arg := args[0]; arg.Kind() {
	case ast.SelectKind:
		s := arg.AsSelect()
		return eh.NewPresenceTest(s.Operand(), s.FieldName()), nil
	case ast.IdentKind:
		return eh.NewPresenceTest(eh.NewIdent(requestName), arg.AsIdent()), nil
	}
	return nil, eh.NewError(args[0].ID(), "has() takes a field, such as has(site.domain)")
}

// Compile compiles a condition. Without issues the condition is complete; otherwise it is nil, and
// the issues are in the order of the source.
func (e *Env) Compile(source string, options ...Option) (*Condition, []Issue) {
	if len(source) > SourceMax {
		return nil, []Issue{{Offset: SourceMax, Message: "longer than " + limit(SourceMax, "bytes", "SourceMax")}}
	}
	if !utf8.ValidString(source) {
		return nil, []Issue{{Message: "not UTF-8"}}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.misses = e.misses[:0]
	s := &issueList{source: source, env: e}
	parsed, errs := e.cel.Parse(source)
	if errs.Err() != nil {
		s.add(errs, nil)
		return nil, s.sorted()
	}
	if !s.bounded(parsed.NativeRep()) {
		return nil, s.sorted()
	}
	checked, errs := e.cel.Check(parsed)
	if errs.Err() != nil {
		s.add(errs, parsed.NativeRep())
		return nil, s.sorted()
	}
	tree := checked.NativeRep()
	if !checked.OutputType().IsExactType(cel.BoolType) {
		s.at(tree, tree.Expr(), fmt.Sprintf("a condition is true or false, this is %s%s", article(checked.OutputType()), dynHint(checked.OutputType())))
		return nil, s.sorted()
	}
	d := &Condition{source: source}
	d.growth, d.lacking = s.review(tree)
	if slices.Contains(options, Interpreted) {
		s.regexes(tree)
		if len(s.issues) != 0 {
			return nil, s.sorted()
		}
		program, err := e.program(tree)
		if err != nil {
			s.issues = append(s.issues, Issue{Message: strings.TrimSpace(err.Error())})
			return nil, s.sorted()
		}
		d.holds = interpret(program)
		return d, nil
	}
	k := &compiler{tree: tree, issues: s, env: e}
	n := k.expr(tree.Expr())
	if len(s.issues) != 0 {
		return nil, s.sorted()
	}
	d.holds = n.bool()
	return d, nil
}

func dynHint(t *cel.Type) string {
	if t.Kind() == types.DynKind {
		return "; compare it, as in == true"
	}
	return ""
}
