package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/spec"
)

// This file writes the filters. Most objects break no rule, so each is first asked whether it may
// break one that is on. A filter reports nothing, so it is free to ask in the cheapest order: it
// tests each field once for all rules about it, and omits expensive tests for rules that are off.
// It knows no silences: a fault that one rule leaves to another is a fault anyway.

// fault is one way to break a rule, as the filter tests it.
type fault struct {
	rule    *spec.Rule
	subject string // what the test of presence is about: "v.W", "len(v.Cat)"; may be ""
	absent  bool   // the subject is absent, not present
	list    string // the rest is about the elements e of a list
	when    string // for a list: a condition that comes first
	rest    string // "" if presence is all
}

// presenceTest matches a test that [presence] has written, alone or before other conditions.
var presenceTest = regexp.MustCompile(`^(v\.\w+|len\(v\.\w+\)) (==|!=) (?:nil|""|0)(?: && (.*))?$`)

// fault notes the condition of a rule for the filter.
func (g *checkGen) fault(r *spec.Rule, condition string) {
	f := fault{rule: r, rest: condition}
	if m := presenceTest.FindStringSubmatch(condition); m != nil {
		f.subject, f.absent, f.rest = m[1], m[2] == "==", m[3]
	}
	f.rest = bareOf(f.rest)
	g.faults = append(g.faults, f)
}

// faultInList notes a condition of the elements e of a list.
func (g *checkGen) faultInList(r *spec.Rule, f *spec.Field, when, condition string) {
	list := "v." + f.Go
	g.faults = append(g.faults, fault{rule: r, subject: "len(" + list + ")", list: list, when: when, rest: condition})
}

// filter writes the filter of an object.
func (g *checkGen) filter() {
	if g.faults == nil {
		return
	}
	title := objectName(g.object)
	g.printf("// %sBroken reports whether %s %s may break a generated rule that is on.\n", g.name(), article(title), title)
	g.printf("func %sBroken(c *values, v *%s) bool {\n\tengine := c.engine\n", g.name(), g.goType())
	var subjects []string
	for _, f := range g.faults {
		if !slices.Contains(subjects, f.subject) {
			subjects = append(subjects, f.subject)
		}
	}
	for _, subject := range subjects {
		g.aboutSubject(subject)
	}
	g.printf("\treturn false\n}\n\n")
}

// aboutSubject writes the tests that begin with the presence of one field, or, for the subject "",
// those that begin with something else.
func (g *checkGen) aboutSubject(subject string) {
	var present, absent, lists []fault
	for _, f := range g.faults {
		switch {
		case f.subject != subject:
		case f.list != "":
			lists = append(lists, f)
		case f.absent:
			absent = append(absent, f)
		default:
			present = append(present, f)
		}
	}
	none := "nil"
	switch {
	case subject == "":
		g.printf("\tif %s {\n\t\treturn true\n\t}\n", anyOf(present))
		return
	case strings.HasPrefix(subject, "len("):
		none = "0"
	case goType(g.spec, g.fieldOf(subject)) == "string":
		none = `""`
	}
	is := func(op string) string { return subject + " " + op + " " + none }
	switch {
	case present == nil && lists == nil:
		g.printf("\tif %s && %s {\n\t\treturn true\n\t}\n", is("=="), parenthesized(anyOf(absent)))
		return
	case absent == nil && lists == nil:
		g.printf("\tif %s && %s {\n\t\treturn true\n\t}\n", is("!="), parenthesized(anyOf(present)))
		return
	case absent == nil && present == nil && len(lists) == 1:
		g.inList(is("!=")+" && ", lists[0])
		return
	}
	g.printf("\tif %s {\n", is("!="))
	if present != nil {
		g.printf("\t\tif %s {\n\t\t\treturn true\n\t\t}\n", anyOf(present))
	}
	for _, f := range lists {
		g.inList("", f)
	}
	if absent != nil {
		g.printf("\t} else if %s {\n\t\treturn true\n", anyOf(absent))
	}
	g.printf("\t}\n")
}

// inList writes the test of the elements of a list, after what must hold first.
func (g *checkGen) inList(first string, f fault) {
	when := isOn(f.rule)
	if f.when != "" {
		when += " && " + parenthesized(f.when)
	}
	g.printf("\tif %s%s {\n\t\tfor _, e := range %s {\n\t\t\tif %s {\n\t\t\t\treturn true\n\t\t\t}\n\t\t}\n\t}\n", first, when, f.list, f.rest)
}

// fieldOf returns the field of a subject, "v.W".
func (g *checkGen) fieldOf(subject string) *spec.Field {
	for _, f := range g.object.Fields {
		if "v."+f.Go == subject {
			return f
		}
	}
	panic(g.object.Name + " has no field for " + subject)
}

func isOn(r *spec.Rule) string { return sprintf("engine.on(%s)", ruleID(r.ID)) }

// anyOf returns the condition for one of several faults. Cheap tests come before the question
// whether the rule is on, which is then asked for few values; expensive ones come after it.
func anyOf(faults []fault) string {
	var conditions []string
	rules := map[string][]string{} // by the condition that they share
	for _, f := range faults {
		if rules[f.rest] == nil {
			conditions = append(conditions, f.rest)
		}
		if on := isOn(f.rule); !slices.Contains(rules[f.rest], on) {
			rules[f.rest] = append(rules[f.rest], on)
		}
	}
	var cheap, expensive []string
	for _, rest := range conditions {
		on := strings.Join(rules[rest], " || ")
		switch {
		case rest == "":
			cheap = append(cheap, on)
		case isExpensive(rest):
			expensive = append(expensive, parenthesized(on)+" && "+parenthesized(rest))
		default:
			cheap = append(cheap, parenthesized(rest)+" && "+parenthesized(on))
		}
	}
	return strings.Join(append(cheap, expensive...), " ||\n")
}

// isExpensive reports whether a condition reads a whole string.
func isExpensive(condition string) bool {
	return slices.ContainsFunc([]string{"format", "hasKey(", "isJSON(", ".all(", "bare("}, func(call string) bool {
		return strings.Contains(condition, call)
	})
}

// parenthesized returns a condition for a place between &&.
func parenthesized(condition string) string {
	if strings.Contains(condition, " || ") || strings.Contains(condition, " ||\n") {
		return "(" + condition + ")"
	}
	return condition
}

// bareOf returns a condition without parentheses around the whole of it.
func bareOf(condition string) string {
	if !strings.HasPrefix(condition, "(") {
		return condition
	}
	depth := 0
	for i := range len(condition) {
		switch condition[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			if i == len(condition)-1 {
				return condition[1:i]
			}
			break
		}
	}
	return condition
}

// evaluations writes which rules the functions of each object evaluate.
func evaluations(f *file, d *spec.Data) {
	f.printf("// evaluated lists the rules that the functions of each object evaluate, and the objects inside it.\n")
	f.printf("var evaluated = [...]struct {\n\tgenerated, byHand []ruleID\n\tinside []objectID\n}{\n")
	for _, s := range []*spec.Spec{d.OpenRTB, d.Native} {
		for _, o := range s.Objects {
			g := &checkGen{spec: s, object: o}
			generated, byHand := g.ruleSets()
			var inside []string
			for _, field := range o.Fields {
				if inner := s.Object(field.ObjectName()); inner != nil && !slices.Contains(inside, "obj"+objectName(inner)) {
					inside = append(inside, "obj"+objectName(inner))
				}
			}
			f.printf("\tobj%s: {\n", objectName(o))
			rows(f, "generated: []ruleID", generated, func(r *spec.Rule) string { return ruleID(r.ID) })
			rows(f, "byHand: []ruleID", byHand, func(r *spec.Rule) string { return ruleID(r.ID) })
			rows(f, "inside: []objectID", inside, func(name string) string { return name })
			f.printf("\t},\n")
		}
	}
	f.printf("}\n")
}

// rows writes a member of a composite literal that is a list, unless it is empty.
func rows[T any](f *file, head string, all []T, name func(T) string) {
	if len(all) == 0 {
		return
	}
	var names []string
	for _, v := range all {
		names = append(names, name(v)+",")
	}
	f.printf("\t\t%s{\n", head)
	for _, line := range wrap(strings.Join(names, " "), commentWidth) {
		f.printf("\t\t\t%s\n", line)
	}
	f.printf("\t\t},\n")
}
