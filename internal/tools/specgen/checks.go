package main

import (
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/spec"
)

// checks writes the functions of each object: the one that walks on to the objects inside, the
// filter that reports whether a rule is broken (filter.go), the one that reports what is broken in
// the order of the data, and those of the silences.
func checks(d *spec.Data) file {
	f := newFile(schemaDir+"checks_gen.go", "schema", "spec/openrtb.json and spec/native.json, rules with a check and silences",
		"github.com/rtbwire/rtbwire/openrtb", "github.com/rtbwire/rtbwire/openrtb/native")
	checksOf(f, d.OpenRTB, "openrtb")
	checksOf(f, d.Native, "native")
	evaluations(f, d)
	return *f
}

// checksOf writes the functions of one specification, whose types are in the package pkg.
func checksOf(f *file, s *spec.Spec, pkg string) {
	silences := map[*spec.Silence]bool{}
	for _, o := range s.Objects {
		g := &checkGen{file: f, spec: s, object: o, pkg: pkg, silences: silences}
		g.findings()
		g.filter()
		g.walk()
		g.silentFunctions()
	}
	for _, silence := range s.Silences {
		if !silences[silence] && !emptyArray(silence) {
			panic("the silence of " + silence.Rule + " is not generated: its rule has no code that asks for one")
		}
	}
}

type checkGen struct {
	*file
	spec   *spec.Spec
	object *spec.Object
	pkg    string  // of the Go type
	faults []fault // of the rules of the object, for the filter

	silences map[*spec.Silence]bool // those that are part of the code
}

// name begins the names of the object's functions.
func (g *checkGen) name() string { return lowerFirst(objectName(g.object)) }

// goType is the Go type of the object.
func (g *checkGen) goType() string { return g.pkg + "." + g.object.Go }

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

// noted are the objects whose surroundings the rules of the objects inside them ask for.
var noted = map[string]bool{
	"BidRequest": true, "Imp": true, "Video": true, "Audio": true, "User": true, "SupplyChain": true,
	"NativeResponse": true,
}

// evaluatedIn names the objects whose hand-written function evaluates a rule, if that is not the
// function of the rule's own object.
var evaluatedIn = map[string][]string{
	"Imp.pod.consistent":           {"BidRequest"},
	"Banner.companion.id.unique":   {"Video", "Audio"},
	"Bid.id.unique":                {"BidResponse"},
	"Source.schain.conflict":       {"BidRequest"},
	"NativeAssetRequest.id.unique": {"NativeRequest"},
	"NativeRequest.root":           {}, // evaluated where the payload is entered
}

// inExt are the generated rules that the object's hand-written function evaluates as well, on a
// value that may be in the ext.
var inExt = map[string]bool{
	"Regs.gdpr.flag": true, "Regs.us_privacy.format": true, "Regs.gpp.format": true, "User.consent.format": true,
	"Site.inventorypartnerdomain.format": true, "App.inventorypartnerdomain.format": true,
}

// ruleSets returns the rules of the object that are generated, and those that its hand-written
// function evaluates.
func (g *checkGen) ruleSets() (generated, byHand []*spec.Rule) {
	for _, r := range g.spec.Rules {
		if r.Undecidable != "" || r.Scope == "pair" || inTextLayer(r) {
			continue
		}
		in := evaluatedIn[r.ID]
		if in == nil {
			in = []string{r.Object}
		}
		switch own := g.evaluated(r); {
		case own && g.generated(r):
			generated = append(generated, r)
			if inExt[r.ID] {
				byHand = append(byHand, r)
			}
		case slices.Contains(in, g.object.Name):
			byHand = append(byHand, r)
		}
	}
	return generated, byHand
}

// findings writes the function that reports what is broken in one object. Rules with a condition
// come last, after the hand-written ones.
func (g *checkGen) findings() {
	generated, byHand := g.ruleSets()
	if generated == nil {
		return
	}
	name, title := g.name(), objectName(g.object)
	g.printf("// %sFindings reports which rules of %s %s are broken, section %s.\n", name, article(title), title, g.object.Section)
	g.printf("func %sFindings(c *values, v *%s) {\n", name, g.goType())
	conditional := func(r *spec.Rule) bool { return conditionalOps[r.Check.Op] }
	for _, r := range generated {
		if !conditional(r) {
			g.rule(r)
		}
	}
	if byHand != nil {
		g.printf("\t%sRules(c, v)\n", name)
	}
	for _, r := range generated {
		if conditional(r) {
			g.rule(r)
		}
	}
	g.printf("}\n\n")
}

// walk writes the function that checks one object and the objects inside it.
func (g *checkGen) walk() {
	generated, byHand := g.ruleSets()
	name, title := g.name(), objectName(g.object)
	if g.leaf() {
		return // its filter is called by the object around it
	}
	g.printf("// check%s checks %s %s, section %s, and the objects inside it.\n", title, article(title), title, g.object.Section)
	g.printf("func check%s(c *values, v *%s) {\n", title, g.goType())
	if noted[g.object.Name] {
		g.printf("\tc.at.note%s(v)\n", title)
	}
	broken := sprintf("c.engine.work[obj%s]&workGenerated != 0 && %sBroken(c, v)", title, name)
	switch {
	case generated != nil && byHand != nil:
		g.printf("\tif %s {\n\t\t%sFindings(c, v)\n\t} else if c.engine.work[obj%s]&workByHand != 0 {\n\t\t%sRules(c, v)\n\t}\n", broken, name, title, name)
	case generated != nil:
		g.printf("\tif %s {\n\t\t%sFindings(c, v)\n\t}\n", broken, name)
	case byHand != nil:
		g.printf("\tif c.engine.work[obj%s]&workByHand != 0 {\n\t\t%sRules(c, v)\n\t}\n", title, name)
	}
	g.inside()
	g.printf("}\n\n")
}

// leaf reports whether the filter alone decides if an object has to be looked at: it has no
// objects inside it and no hand-written rules.
func (g *checkGen) leaf() bool {
	_, byHand := g.ruleSets()
	return byHand == nil && !slices.ContainsFunc(g.object.Fields, func(f *spec.Field) bool { return f.ObjectName() != "" && f.ObjectName() != "any" })
}

// empty reports whether no rule is about the object or one inside it.
func (g *checkGen) empty() bool {
	generated, _ := g.ruleSets()
	return generated == nil && g.leaf()
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

// inside writes the calls for the objects inside this one. The path is needed for findings alone,
// so a leaf is entered when its filter has found something.
func (g *checkGen) inside() {
	for _, field := range g.object.Fields {
		inner := &checkGen{spec: g.spec, object: g.spec.Object(field.ObjectName())}
		if inner.object == nil || inner.empty() {
			continue
		}
		value, index, name := "v."+field.Go, "noIndex", inner.name()
		if field.Array {
			value, index = "&v."+field.Go+"[i]", "i"
		}
		call := sprintf("c.enter(%s, %s)\ncheck%s(c, %s)\nc.leave()\n", g.id(field), index, objectName(inner.object), value)
		if inner.leaf() {
			call = sprintf("if %sBroken(c, %s) {\nc.enter(%s, %s)\n%sFindings(c, %s)\nc.leave()\n}\n", name, value, g.id(field), index, name, value)
		}
		work := sprintf("c.engine.work[obj%s] != 0", objectName(inner.object))
		if field.Array {
			g.printf("\tif len(v.%s) != 0 && %s {\nfor i := range v.%s {\n%s}\n}\n", field.Go, work, field.Go, call)
		} else {
			g.printf("\tif %s != nil && %s {\n%s}\n", value, work, call)
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
func fieldID(o *spec.Object, f *spec.Field) string { return "f" + objectName(o) + f.Go }

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
