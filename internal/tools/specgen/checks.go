package main

import (
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/spec"
)

// checks writes one function per object that evaluates the machine-readable rules of that
// object on its Go value, calls the hand-written ones, and goes on to the objects inside.
func checks(s *spec.Spec) file {
	f := newFile(schemaDir+"checks_gen.go", "schema", "spec/openrtb.json, rules with a check and silences", "github.com/rtbwire/rtbwire/openrtb")
	silences := map[*spec.Silence]bool{}
	for _, o := range s.Objects {
		g := &checkGen{file: f, spec: s, object: o, silences: silences}
		g.function()
		g.silentFunctions()
	}
	for _, silence := range s.Silences {
		if !silences[silence] && !emptyArray(silence) {
			panic("the silence of " + silence.Rule + " is not generated: its rule has no code that asks for one")
		}
	}
	return *f
}

type checkGen struct {
	*file
	spec   *spec.Spec
	object *spec.Object

	silences map[*spec.Silence]bool // those that are part of the code
}

func lowerFirst(s string) string {
	n := 1
	for n < len(s) && s[n] >= 'A' && s[n] <= 'Z' && (n+1 == len(s) || s[n+1] < 'a') {
		n++ // DOOH, EID, UID as a whole
	}
	return strings.ToLower(s[:n]) + s[n:]
}

// article is the indefinite article for a Go type, whose name may be spelt letter by letter.
func article(name string) string {
	if strings.ContainsAny(name[:1], "AEIO") {
		return "an"
	}
	return "a"
}

// handWritten says whether an object has a hand-written function where its rules do not tell.
var handWritten = map[string]bool{
	"Video":  true, // notes the surroundings for the objects inside
	"Audio":  true,
	"User":   true,
	"Banner": false, // the functions of Video and Audio check its rule
}

// function writes the function of one object. Rules with a condition come last, because
// conditions may ask for what the hand-written function has noted.
func (g *checkGen) function() {
	o := g.object
	g.printf("// %s checks %s %s, section %s.\n", lowerFirst(o.Go), article(o.Go), o.Go, o.Section)
	g.printf("func (c *Checker) %s(v *openrtb.%s) {\n", lowerFirst(o.Go), o.Go)
	byHand := false
	var conditional []*spec.Rule
	for _, r := range g.spec.Rules {
		switch {
		case !g.evaluated(r):
		case !g.generated(r):
			byHand = byHand || !inTextLayer(r)
		case conditionalOps[r.Check.Op]:
			conditional = append(conditional, r)
		default:
			g.rule(r)
		}
	}
	if known, ok := handWritten[o.Name]; ok {
		byHand = known
	}
	if byHand {
		g.printf("\tc.%sRules(v)\n", lowerFirst(o.Go))
	}
	for _, r := range conditional {
		g.rule(r)
	}
	g.inside()
	g.printf("}\n\n")
}

// evaluated reports whether the rule is about one object of this type.
func (g *checkGen) evaluated(r *spec.Rule) bool {
	return r.Object == g.object.Name && r.Undecidable == "" && r.Scope != "pair"
}

// rule writes one rule, headed by its id.
func (g *checkGen) rule(r *spec.Rule) {
	g.printf("\t// %s\n", r.ID)
	ops[r.Check.Op](g, r)
}

// inside writes the calls for the objects inside this one.
func (g *checkGen) inside() {
	for _, field := range g.object.Fields {
		name := field.ObjectName()
		if name == "" {
			continue
		}
		id := g.id(field)
		check := lowerFirst(g.spec.Object(name).Go)
		if field.Array {
			g.printf("\tfor i := range v.%s {\n\t\tc.enter(%s, i)\n\t\tc.%s(&v.%s[i])\n\t\tc.leave()\n\t}\n", field.Go, id, check, field.Go)
		} else {
			g.printf("\tif v.%s != nil {\n\t\tc.enter(%s, noIndex)\n\t\tc.%s(v.%s)\n\t\tc.leave()\n\t}\n", field.Go, id, check, field.Go)
		}
	}
}

// inTextLayer reports whether the text layer evaluates the rule: those about JSON types and
// keys.
func inTextLayer(r *spec.Rule) bool {
	return r.Object == "*" || r.Check != nil && r.Check.Op == "type"
}

// generated reports whether the rule's code is generated. The others are written by hand,
// because they have no check, or one that looks outside the object.
func (g *checkGen) generated(r *spec.Rule) bool {
	c := r.Check
	if c == nil || ops[c.Op] == nil || c.Path != "" || c.Format == "json-encoded-string" {
		return false
	}
	if c.When != "" && c.Op != "iab1_codes" && !conditionalOps[c.Op] {
		return false
	}
	for _, name := range slices.Concat([]string{c.Field}, c.Fields, c.With, slices.Concat(c.Groups...)) {
		if name != "" && g.object.Field(name) == nil && c.Op != "iab1_codes" {
			return false
		}
	}
	return true
}

func (g *checkGen) field(name string) *spec.Field {
	if f := g.object.Field(name); f != nil {
		return f
	}
	panic(g.object.Name + " has no field " + name)
}

func (g *checkGen) id(f *spec.Field) string { return fieldID(g.object, f) }

// fieldID is the Go constant of a field.
func fieldID(o *spec.Object, f *spec.Field) string { return "f" + o.Go + f.Go }

// ruleID is the Go constant of a rule.
func ruleID(id string) string { return "rule" + camel(id) }

// present returns the Go expression for "the field is there and not empty".
func (g *checkGen) present(f *spec.Field) string { return presence(g.spec, "v", f, true) }

// absent returns the opposite of present.
func (g *checkGen) absent(f *spec.Field) string { return presence(g.spec, "v", f, false) }

// presence tests the field of the Go value v.
func presence(s *spec.Spec, v string, f *spec.Field, there bool) string {
	value, op, empty := v+"."+f.Go, "==", "nil"
	if there {
		op = "!="
	}
	switch t := goType(s, f); {
	case t == "string":
		empty = `""`
	case !strings.HasPrefix(t, "*"):
		value, empty = "len("+value+")", "0"
	}
	return value + " " + op + " " + empty
}

func (g *checkGen) all(names []string, expr func(*spec.Field) string, join string) string {
	var out []string
	for _, n := range names {
		out = append(out, expr(g.field(n)))
	}
	return strings.Join(out, join)
}

// excludedBy lists the fields whose presence forbids f.
func (g *checkGen) excludedBy(f *spec.Field) (out []*spec.Field) {
	for _, r := range g.spec.Rules {
		if r.Object != g.object.Name || r.Check == nil || r.Source != "spec" || !g.generated(r) {
			continue
		}
		switch c := r.Check; {
		case c.Op == "at_most_one" && slices.Contains(c.Fields, f.JSON):
			for _, name := range c.Fields {
				if name != f.JSON {
					out = append(out, g.field(name))
				}
			}
		case c.Op == "excludes" && slices.Contains(c.With, f.JSON):
			out = append(out, g.field(c.Field))
		}
	}
	return out
}
