package policy

import (
	"regexp"
	"slices"
	"sort"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"github.com/rtbwire/rtbwire/internal/nearest"
)

// Issue is something in a source that can't be compiled.
type Issue struct {
	Offset     int // in bytes
	Length     int // in bytes; 0 if it is a place
	Message    string
	Suggestion string // the nearest right name, "" if none is near
}

// String returns the message with the suggestion.
func (i Issue) String() string {
	if i.Suggestion != "" {
		return i.Message + " (did you mean " + i.Suggestion + "?)"
	}
	return i.Message
}

// IssuesMax is the most issues that Compile returns.
const IssuesMax = 50

type issueList struct {
	source string
	env    *Env
	issues []Issue
}

func (s *issueList) sorted() []Issue {
	sort.SliceStable(s.issues, func(i, j int) bool { return s.issues[i].Offset < s.issues[j].Offset })
	s.issues = slices.Compact(s.issues)
	return s.issues[:min(len(s.issues), IssuesMax)]
}

// bytes returns the offset of a character. Offsets of cel-go count characters.
func (s *issueList) bytes(character int) int {
	for i := range s.source {
		if character == 0 {
			return i
		}
		character--
	}
	return len(s.source)
}

// at adds an issue about an expression.
func (s *issueList) at(tree *ast.AST, e ast.Expr, message string) {
	issue := Issue{Message: message}
	if r, ok := tree.SourceInfo().GetOffsetRange(e.ID()); ok {
		issue.Offset = s.bytes(int(r.Start))
		issue.Length = max(0, s.bytes(int(r.Stop))-issue.Offset)
	}
	s.issues = append(s.issues, issue)
}

// bounded checks the bounds of a syntax tree.
func (s *issueList) bounded(tree *ast.AST) bool {
	deepest := tree.Expr()
	height := 0
	loops := 0
	var walk func(e ast.Expr, depth, loop int)
	walk = func(e ast.Expr, depth, loop int) {
		if depth > height {
			height, deepest = depth, e
		}
		if depth > NestingMax {
			return
		}
		next := func(e ast.Expr) { walk(e, depth+1, loop) }
		switch e.Kind() {
		case ast.CallKind:
			call := e.AsCall()
			if call.IsMemberFunction() {
				next(call.Target())
			}
			for _, a := range call.Args() {
				if name := call.FunctionName(); name == operators.LogicalAnd || name == operators.LogicalOr {
					walk(a, depth, loop) // chains of any length are balanced by the parser
					continue
				}
				next(a)
			}
		case ast.ComprehensionKind:
			fold := e.AsComprehension()
			next(fold.IterRange())
			loops = max(loops, loop+1)
			if loop++; loop <= LoopsMax {
				walk(fold.LoopStep(), depth+1, loop)
			}
		case ast.ListKind:
			elements := e.AsList().Elements()
			if len(elements) > LiteralMax {
				s.at(tree, e, "more than "+limit(LiteralMax, "elements", "LiteralMax")+"; make it a list of the configuration")
			}
			for _, a := range elements {
				next(a)
			}
		case ast.SelectKind:
			next(e.AsSelect().Operand())
		case ast.MapKind:
			for _, entry := range e.AsMap().Entries() {
				next(entry.AsMapEntry().Key())
				next(entry.AsMapEntry().Value())
			}
		case ast.StructKind:
			for _, f := range e.AsStruct().Fields() {
				next(f.AsStructField().Value())
			}
		default:
		}
	}
	walk(tree.Expr(), 1, 0)
	if height > NestingMax {
		s.at(tree, deepest, nestedTooDeep)
	}
	if loops > LoopsMax {
		s.at(tree, tree.Expr(), "more than "+limit(LoopsMax, "macros inside each other", "LoopsMax"))
	}
	return len(s.issues) == 0
}

// regexes checks the constant regular expressions of an interpreted condition.
func (s *issueList) regexes(tree *ast.AST) {
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "matches" {
			return
		}
		args := e.AsCall().Args()
		pattern := args[len(args)-1]
		if pattern.Kind() != ast.LiteralKind {
			return
		}
		if text, ok := pattern.AsLiteral().(types.String); ok {
			if _, err := compileRegex(string(text)); err != nil {
				s.at(tree, e, err.Error())
			}
		}
	}))
}

// What cel-go says, in words that the field uses. tests hold them to its version.
var (
	undefinedField = regexp.MustCompile(`^undefined field '([^']*)'`)
	undeclared     = regexp.MustCompile(`^undeclared reference to '([^']*)'`)
	noOverload     = regexp.MustCompile(`^found no matching overload for '([^']*)' applied to '(.*)'$`)
	noSelection    = regexp.MustCompile(`^type '(.*)' does not support field selection$`)
	wantedBool     = regexp.MustCompile(`^expected type 'bool' but found '(.*)'$`)
	suggestions    = regexp.MustCompile(` \((?:did you mean|in container).*$`)
)

var nestedTooDeep = "nested deeper than " + limit(NestingMax, "levels", "NestingMax")

// celLimits are the bounds that cel-go checks.
var celLimits = []struct {
	said    *regexp.Regexp
	message string
}{
	{regexp.MustCompile(`recursion (limit|depth) exceeded`), nestedTooDeep},
	{regexp.MustCompile(`^expression (node )?count exceeds`), "more than " + limit(NodesMax, "nodes", "NodesMax")},
}

// add adds the issues that cel-go found. tree is what was checked, nil if it could not be parsed.
func (s *issueList) add(issues *cel.Issues, tree *ast.AST) {
	var assumed map[int64]bool
	if tree != nil {
		assumed = s.env.assumed(tree)
	}
	for _, err := range issues.Errors() {
		issue := Issue{Message: suggestions.ReplaceAllString(err.Message, "")}
		line, character := 1, 0
		for i, r := range s.source {
			if line == err.Location.Line() && character == err.Location.Column() {
				issue.Offset = i
				break
			}
			issue.Offset = len(s.source)
			if character++; r == '\n' {
				line, character = line+1, 0
			}
		}
		if err.Location.Line() <= 0 {
			issue.Offset = 0
		}
		if message := exceeded(err.Message); message != "" {
			issue.Message = message
		} else if tree == nil {
			s.syntax(&issue)
		} else if undeclared.MatchString(err.Message) && assumed[err.ExprID] {
			continue
		} else {
			s.mistyped(&issue, err.Message, tree, find(tree, err.ExprID))
		}
		s.issues = append(s.issues, issue)
	}
}

// exceeded returns what to say about a bound that cel-go checks, "" about anything else.
func exceeded(said string) string {
	for _, l := range celLimits {
		if l.said.MatchString(said) {
			return l.message
		}
	}
	return ""
}

// syntax is about an error of the parser.
func (s *issueList) syntax(issue *Issue) {
	if t, instead := foreignAt(s.source, issue.Offset); instead != "" {
		issue.Offset, issue.Length = t.start, t.end-t.start
		issue.Message = "CEL has no operator " + s.source[t.start:t.end] + ": write " + instead
		return
	}
	issue.Message = plain(issue.Message)
}

// mistyped is about an error of the checker in an expression, which is nil if it is not known.
func (s *issueList) mistyped(issue *Issue, said string, tree *ast.AST, e ast.Expr) {
	if m := undefinedField.FindStringSubmatch(said); m != nil {
		s.unknownField(issue, m[1])
		return
	}
	if m := undeclared.FindStringSubmatch(said); m != nil {
		s.unknownName(issue, m[1], tree)
		return
	}
	if m := noOverload.FindStringSubmatch(said); m != nil {
		if issue.Message = s.overload(issue, m[1], m[2], tree, e); issue.Message == "" {
			issue.Message = overloadMessage(m[1], m[2])
		}
	} else if m := noSelection.FindStringSubmatch(said); m != nil {
		s.noFields(issue, m[1], tree, e)
	} else if m := wantedBool.FindStringSubmatch(said); m != nil && e != nil {
		if advice := wantBool(tree, e, m[1], false); advice != "" {
			issue.Message = advice
		}
	}
	issue.Message = plain(issue.Message)
}

// place moves an issue to a name: the one that ends there, as before the parenthesis of a call, or
// the next one.
func (s *issueList) place(issue *Issue, name string) {
	before := strings.TrimRight(s.source[:issue.Offset], " \t\r\n")
	dot := strings.HasPrefix(s.source[issue.Offset:], ".") // the name is after it
	if rest, ok := strings.CutSuffix(before, name); ok && !dot && (rest == "" || !nameByte(rest[len(rest)-1])) {
		issue.Offset, issue.Length = len(before)-len(name), len(name)
		return
	}
	for from := issue.Offset; from <= len(s.source)-len(name); {
		i := strings.Index(s.source[from:], name)
		if i < 0 {
			return
		}
		i += from
		end := i + len(name)
		if (i == 0 || !nameByte(s.source[i-1])) && (end == len(s.source) || !nameByte(s.source[end])) {
			issue.Offset, issue.Length = i, len(name)
			return
		}
		from = end
	}
}

func nameByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

func (s *issueList) unknownField(issue *Issue, name string) {
	s.place(issue, name)
	issue.Message = "unknown field " + name
	for i, m := range s.env.misses {
		if m.field != name {
			continue
		}
		s.env.misses = slices.Delete(s.env.misses, i, i+1)
		if m.object == "Lists" {
			issue.Message = "unknown list " + name
		} else {
			issue.Message += " of " + strings.ToLower(m.object)
		}
		issue.Suggestion = nearest.Name(name, s.env.fieldNames(m.object))
		break
	}
}

// unknownName is about a variable or a function.
func (s *issueList) unknownName(issue *Issue, name string, tree *ast.AST) {
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i] // the variable of a path
	}
	s.place(issue, name)
	end := issue.Offset + issue.Length
	if rest := strings.TrimLeft(s.source[end:], " \t\r\n"); strings.HasPrefix(rest, "(") {
		if strings.EqualFold(name, "not") {
			issue.Message = "CEL has no operator " + name + ": write !"
			return
		}
		issue.Message = "unknown function " + name
		issue.Suggestion = s.env.function(name)
		return
	}
	if field := followingName(s.source[end:]); field != "" && slices.Contains(requestWords, strings.ToLower(name)) {
		if !slices.Contains(s.env.fieldNames("BidRequest"), field) {
			field = "site.domain"
		}
		issue.Message = "fields of the request have no prefix: write " + field
		return
	}
	issue.Message = "unknown variable " + name
	names := append(s.env.fieldNames("BidRequest"), "facts", listsName)
	if tree != nil {
		ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
			if e.Kind() == ast.ComprehensionKind {
				names = append(names, e.AsComprehension().IterVar())
			}
		}))
	}
	switch lists := s.env.fieldNames("Lists"); {
	case s.env.lists[name] != nil:
		issue.Suggestion = listsName + "." + name
	default:
		issue.Suggestion = nearest.Name(name, names)
		if near := nearest.Name(name, lists); issue.Suggestion == "" && near != "" {
			issue.Suggestion = listsName + "." + near
		}
	}
}

// requestWords are the names that a source may have for the request.
var requestWords = []string{"request", "req", "bidrequest", "bid_request", "openrtb"}

// followingName returns the name after a dot, or "".
func followingName(source string) string {
	rest, ok := strings.CutPrefix(strings.TrimLeft(source, " \t\r\n"), ".")
	if !ok {
		return ""
	}
	rest = strings.TrimLeft(rest, " \t\r\n")
	end := 0
	for end < len(rest) && nameByte(rest[end]) {
		end++
	}
	return rest[:end]
}

// fieldNames returns the names of the fields of an object, or of the lists.
func (e *Env) fieldNames(name string) (names []string) {
	if name == "Lists" {
		for l := range e.lists {
			names = append(names, l)
		}
		return names
	}
	for i := range objects {
		if objects[i].name == name {
			for j := range objects[i].fields {
				names = append(names, objects[i].fields[j].name)
			}
		}
	}
	return names
}

// overloadMessage says which types a function does not take.
func overloadMessage(function, args string) string {
	name := plainOperator(function)
	message := name + " does not take " + args
	if function == operators.In && strings.HasSuffix(args, ", List)") {
		message += "; lists of the configuration hold strings"
	}
	return message
}

func plainOperator(function string) string {
	if display, ok := operators.FindReverse(function); ok && display != "" {
		return display
	}
	switch function {
	case operators.Conditional:
		return "?:"
	case operators.Index:
		return "[]"
	}
	return strings.Trim(function, "_@")
}

// plain cuts what is only about cel-go, and long texts of the source.
func plain(message string) string {
	message = strings.TrimPrefix(message, "Syntax error: ")
	const most = 200
	if len(message) > most {
		message = strings.ToValidUTF8(message[:most], "") + "..."
	}
	return message
}

func article(t *cel.Type) string {
	switch t.Kind() {
	case types.IntKind:
		return "an int"
	case types.DynKind:
		return "a value of an ext"
	}
	return "a " + strings.ToLower(cel.FormatCELType(t))
}
