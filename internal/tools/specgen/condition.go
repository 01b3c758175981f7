package main

import (
	"slices"
	"strings"
	"text/scanner"

	"github.com/rtbwire/rtbwire/spec"
)

// This file turns the conditions of the data into Go. The legend in spec/openrtb.json
// describes their notation; the grammar is
//
//	condition = and { "or" and } .
//	and       = not { "and" not } .
//	not       = "not" not | "(" condition ")" | test .
//	test      = path ( "present" | "absent" | "sent" | compare literal | "in" "(" literals ")" )
//	          | function "(" paths ")" .

// The place of a condition in a Go expression decides whether it needs parentheses.
const (
	orTerm  = iota // alone, or between ||
	andTerm        // between &&
	operand        // after !
)

// goCondition is a condition in Go, and the place where it needs no parentheses.
type goCondition struct {
	text  string
	level int
}

func (c goCondition) at(level int) string {
	if c.level < level {
		return "(" + c.text + ")"
	}
	return c.text
}

// condition translates text for the place that level names. known are fields whose presence
// has been tested.
func (g *checkGen) condition(text string, level int, known ...*spec.Field) string {
	p := &conditionParser{g: g, text: text, known: known}
	p.scanner.Init(strings.NewReader(text))
	p.scanner.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanFloats | scanner.ScanStrings
	p.scanner.Error = func(*scanner.Scanner, string) {} // a stray character is refused as a token
	p.next()
	c := p.or()
	if p.token != "" {
		p.fail("the end")
	}
	return c.at(level)
}

type conditionParser struct {
	g       *checkGen
	text    string
	known   []*spec.Field
	scanner scanner.Scanner
	token   string // the next one, "" at the end
}

func (p *conditionParser) next() {
	if p.scanner.Scan() == scanner.EOF {
		p.token = ""
		return
	}
	p.token = p.scanner.TokenText()
	if strings.Contains("=!<>", p.token) && p.scanner.Peek() == '=' {
		p.scanner.Next()
		p.token += "="
	}
}

// take skips the token if it is the next one.
func (p *conditionParser) take(token string) bool {
	if p.token != token {
		return false
	}
	p.next()
	return true
}

func (p *conditionParser) want(token string) {
	if !p.take(token) {
		p.fail(token)
	}
}

func (p *conditionParser) fail(expected string) {
	panic(sprintf("condition %q of %s: expected %s, found %q", p.text, p.g.object.Name, expected, p.token))
}

func (p *conditionParser) or() goCondition {
	c := p.and()
	for p.take("or") {
		c = goCondition{c.text + " || " + p.and().text, orTerm}
	}
	return c
}

func (p *conditionParser) and() goCondition {
	c := p.not()
	for p.take("and") {
		c = goCondition{c.at(andTerm) + " && " + p.not().at(andTerm), andTerm}
	}
	return c
}

func (p *conditionParser) not() goCondition {
	switch {
	case p.take("not"):
		return goCondition{"!" + p.not().at(operand), operand}
	case p.take("("):
		c := p.or()
		p.want(")")
		return c
	}
	return p.test()
}

func (p *conditionParser) test() goCondition {
	name := p.path()
	if p.take("(") {
		return p.call(name)
	}
	m := p.resolve(name)
	switch op := p.token; op {
	case "present", "absent":
		p.next()
		return p.guarded(m, m.presence(op == "present"), op == "absent")
	case "sent":
		p.next()
		return p.guarded(m, m.value()+" != nil", false)
	case "==", "!=", "<", "<=", ">", ">=":
		p.next()
		return p.compare(m, op, p.literal())
	case "in":
		p.next()
		p.want("(")
		var all []goCondition
		for {
			all = append(all, p.compare(m, "==", p.literal()))
			if !p.take(",") {
				break
			}
		}
		p.want(")")
		var terms []string
		for _, c := range all {
			terms = append(terms, c.text)
		}
		return goCondition{strings.Join(terms, " || "), orTerm}
	}
	p.fail("present, absent, sent, in or a comparison")
	return goCondition{}
}

// path reads names with dots between.
func (p *conditionParser) path() string {
	name := p.token
	if name == "" || !isLetter(name[0]) {
		p.fail("a field")
	}
	p.next()
	for p.take(".") {
		name += "." + p.token
		p.next()
	}
	return name
}

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' }

func (p *conditionParser) literal() string {
	sign := ""
	if p.take("-") {
		sign = "-"
	}
	text := p.token
	if text == "" || text[0] != '"' && (text[0] < '0' || text[0] > '9') {
		p.fail("a number or a string")
	}
	p.next()
	return sign + text
}

// member is a member of the message as a condition names it.
type member struct {
	spec  *spec.Spec
	owner string      // Go expression of the object that holds the field
	field *spec.Field // of the last object in the path
	ext   string      // a member of the ext, if the path goes on into one
	outer []string    // tests of the objects on the path, which may be missing
}

// resolve follows a path from the object, the request or the impression.
func (p *conditionParser) resolve(path string) member {
	object, m := p.g.object, member{spec: p.g.spec, owner: "v"}
	for root, name := range map[string]string{"request": "BidRequest", "imp": "Imp", "ad": "NativeResponse"} {
		around := p.g.spec.Object(name)
		if rest, ok := strings.CutPrefix(path, root+"."); ok && object.Field(root) == nil && around != nil {
			object, path, m.owner = around, rest, "c.at."+root
		}
	}
	for {
		name, rest, more := strings.Cut(path, ".")
		if m.field = object.Field(name); m.field == nil {
			panic(sprintf("condition %q of %s: %s has no field %s", p.text, p.g.object.Name, object.Name, name))
		}
		switch next := p.g.spec.Object(m.field.ObjectName()); {
		case !more:
			return m
		case m.field.Type == "ext":
			m.ext = rest
			return m
		case next == nil || m.field.Array:
			panic(sprintf("condition %q of %s: %s is not an object", p.text, p.g.object.Name, name))
		default:
			m.outer = append(m.outer, m.presence(true))
			m.owner, object, path = m.value(), next, rest
		}
	}
}

func (m member) value() string { return m.owner + "." + m.field.Go }

func (m member) presence(there bool) string {
	if m.ext == "" {
		return presence(m.spec, m.owner, m.field, there)
	}
	has := sprintf("hasKey(%s, %q)", m.value(), m.ext)
	if there {
		return has
	}
	return "!" + has
}

// guarded puts the tests of the objects on the path before a test: the condition is false if one of
// them is missing.
func (p *conditionParser) guarded(m member, test string, absence bool) goCondition {
	if len(m.outer) == 0 {
		return goCondition{test, andTerm}
	}
	if absence {
		p.fail("present: absence is for members of the object itself")
	}
	return goCondition{strings.Join(append(m.outer, test), " && "), andTerm}
}

// compare compares a member with a literal. A comparison with an absent member is false.
func (p *conditionParser) compare(m member, op, literal string) goCondition {
	pointer := strings.HasPrefix(goType(p.g.spec, m.field), "*")
	switch {
	case !pointer:
		return p.guarded(m, m.value()+" "+op+" "+literal, false)
	case p.isKnown(m):
		return goCondition{"*" + m.value() + " " + op + " " + literal, andTerm}
	case op == "==":
		c := p.guarded(m, sprintf("is(%s, %s)", m.value(), literal), false)
		if len(m.outer) == 0 {
			c.level = operand
		}
		return c
	}
	return p.guarded(m, m.value()+" != nil && *"+m.value()+" "+op+" "+literal, false)
}

func (p *conditionParser) isKnown(m member) bool {
	return m.owner == "v" && slices.Contains(p.known, m.field)
}

// functions are what conditions can call: Go with %s for the value of the one argument.
var functions = map[string]string{
	"listed":  "%s.Valid()",
	"bare":    "bare(%s)",
	"digits":  "digits.all(%s)",
	"seconds": "looksLikeSeconds(%s)",
	"json":    "c.json.valid(%s)",

	"domain":    "formatDomain(%s)",
	"gpp":       "formatGpp(%s)",
	"lowercase": "lowercase(%s)",
	"tcf":       "formatTcfV2(%s)",
	"version":   "formatMajorMinor(%s)",
}

// call translates a function; the parenthesis is read.
func (p *conditionParser) call(name string) goCondition {
	if name == "inside" {
		p.want("companionad")
		p.want(")")
		return goCondition{"c.at.companion", operand}
	}
	var args []member
	for p.token != ")" {
		args = append(args, p.resolve(p.path()))
		if !p.take(",") {
			break
		}
	}
	p.want(")")
	switch {
	case name == "screen" && len(args) == 0:
		return goCondition{"geoOfScreen(c, v)", operand}
	case name == "empty" && len(args) == 0:
		return goCondition{"c.docs[c.doc].empty()", operand}
	case name == "unpaired" && len(args) == 2:
		return goCondition{sprintf("(%s) != (%s)", args[0].presence(false), args[1].presence(false)), andTerm}
	case functions[name] == "" || len(args) != 1:
		p.fail("another function, or other arguments, than " + name + " before")
	}
	value := args[0].value()
	if strings.HasPrefix(goType(p.g.spec, args[0].field), "*") {
		if !p.isKnown(args[0]) {
			panic(sprintf("condition %q of %s: %s needs a field that the rule has found present", p.text, p.g.object.Name, name))
		}
		if name != "listed" {
			value = "*" + value
		}
	}
	return goCondition{sprintf(functions[name], value), operand}
}
