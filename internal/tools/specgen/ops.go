package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/spec"
)

// ops write the code of a rule, by the op of its check. The legend in spec/openrtb.json says
// what each one asks for.
var ops map[string]func(*checkGen, *spec.Rule)

func init() { // not an initializer: excludedBy, which some ops call, looks ops up
	ops = map[string]func(*checkGen, *spec.Rule){
		"required":       (*checkGen).needed,
		"recommended":    (*checkGen).needed,
		"required_if":    (*checkGen).neededIf,
		"recommended_if": (*checkGen).neededIf,
		"only_if":        (*checkGen).onlyIf,
		"implies":        (*checkGen).implies,
		"moved":          (*checkGen).moved,
		"deprecated":     (*checkGen).unwanted,
		"removed":        (*checkGen).unwanted,
		"in":             (*checkGen).in,
		"not_in":         (*checkGen).notIn,
		"range":          (*checkGen).inRange,
		"gt":             (*checkGen).greater,
		"lte":            (*checkGen).ordered,
		"enum":           (*checkGen).enum,
		"format":         (*checkGen).format,
		"epoch_ms":       (*checkGen).epoch,
		"regex":          (*checkGen).regex,
		"iab1_codes":     (*checkGen).iab1,
		"max_len":        (*checkGen).maxLen,
		"min_items":      (*checkGen).minItems,
		"max_items":      (*checkGen).maxItems,
		"at_most_one":    (*checkGen).atMostOne,
		"at_least_one":   (*checkGen).atLeastOne,
		"any_of":         (*checkGen).anyOf,
		"together":       (*checkGen).together,
		"excludes":       (*checkGen).excludes,
		"never":          (*checkGen).never,
		"code":           (*checkGen).format,
	}
}

// conditionalOps depend on other members of the message.
var conditionalOps = map[string]bool{"required_if": true, "recommended_if": true, "only_if": true, "implies": true, "moved": true, "never": true}

// eachField lists the fields of a check that has one, or several.
func (g *checkGen) eachField(r *spec.Rule) (out []*spec.Field) {
	for _, name := range append(slices.Clone(r.Check.Fields), r.Check.Field) {
		if name != "" {
			out = append(out, g.field(name))
		}
	}
	return out
}

// reportIf writes the report of a rule at a field. silent is a condition that begins with &&, or
// empty.
func (g *checkGen) reportIf(condition, silent string, r *spec.Rule, f *spec.Field) {
	g.printf("\tif %s%s {\n\t\tc.report(%s, %s)\n\t}\n", condition, silent, ruleID(r.ID), g.id(f))
	g.fault(r, condition)
}

// reportHereIf writes the report of a rule at the object; about lists the fields it is about.
func (g *checkGen) reportHereIf(condition, silent string, r *spec.Rule, about []string) {
	g.printf("\tif %s%s {\n\t\tc.reportHere(%s, %s)\n\t}\n", condition, silent, ruleID(r.ID), g.all(about, g.id, ", "))
	g.fault(r, condition)
}

// needed is about a field that is missing. A field that may not be there is not missed.
func (g *checkGen) needed(r *spec.Rule) {
	for _, f := range g.eachField(r) {
		condition := g.absent(f)
		for _, other := range g.excludedBy(f) {
			if term := " && " + g.absent(other); !strings.Contains(condition, term) {
				condition += term
			}
		}
		g.reportIf(condition, g.unlessSilent(r, f), r, f)
	}
}

func (g *checkGen) neededIf(r *spec.Rule) {
	for _, f := range g.eachField(r) {
		g.reportIf(g.absent(f)+" && "+g.condition(r.Check.When, andTerm), g.unlessSilent(r, f), r, f)
	}
}

func (g *checkGen) onlyIf(r *spec.Rule) {
	for _, f := range g.eachField(r) {
		g.reportIf(g.present(f)+" && "+g.condition("not ("+r.Check.When+")", andTerm, f), g.unlessSilent(r, f, f), r, f)
	}
}

func (g *checkGen) implies(r *spec.Rule) {
	c := r.Check
	f := g.field(c.Field)
	g.reportIf(g.condition(c.A, andTerm)+" && "+g.condition("not ("+c.B+")", andTerm), g.unlessSilent(r, f), r, f)
}

// never is about a condition that does not hold in a sound object. A finding is at the field, or at
// the object and about fields.
func (g *checkGen) never(r *spec.Rule) {
	c := r.Check
	if c.Field == "" {
		g.reportHereIf(g.condition(c.When, andTerm), g.unlessSilent(r, nil), r, c.Fields)
		return
	}
	f := g.field(c.Field)
	g.reportIf(g.condition(c.When, andTerm), g.unlessSilent(r, f), r, f)
}

// moved checks members that are in the place of an earlier version.
func (g *checkGen) moved(r *spec.Rule) {
	var terms []string
	for path := range strings.SplitSeq(r.Check.From, ",") {
		terms = append(terms, g.condition(path+" present", orTerm))
	}
	g.reportIf(strings.Join(terms, " || "), "", r, g.field("ext"))
}

// unwanted is about fields that are not to be sent.
func (g *checkGen) unwanted(r *spec.Rule) {
	for _, f := range g.eachField(r) {
		g.reportIf(g.present(f), "", r, f)
	}
}

func (g *checkGen) in(r *spec.Rule) {
	var terms []string
	for _, n := range r.Check.Values {
		terms = append(terms, sprintf("%%s != %d", n))
	}
	if r.Check.MinCustom != nil {
		terms = append(terms, sprintf("%%s < %d", *r.Check.MinCustom))
	}
	g.values(r, strings.Join(terms, " && "))
}

func (g *checkGen) notIn(r *spec.Rule) {
	var terms []string
	for _, n := range r.Check.Values {
		terms = append(terms, sprintf("%%s == %d", n))
	}
	g.values(r, strings.Join(terms, " || "))
}

func (g *checkGen) inRange(r *spec.Rule) {
	var terms []string
	if r.Check.Min != nil {
		terms = append(terms, sprintf("%%s < %v", *r.Check.Min))
	}
	if r.Check.Max != nil {
		terms = append(terms, sprintf("%%s > %v", *r.Check.Max))
	}
	g.values(r, strings.Join(terms, " || "))
}

func (g *checkGen) greater(r *spec.Rule) { g.values(r, sprintf("%%s <= %v", *r.Check.Value)) }
func (g *checkGen) enum(r *spec.Rule) {
	if m := r.Check.MinCustom; m != nil { // codes that the list itself does not allow
		g.values(r, sprintf("!%%s.Valid() && %%s < %d", *m))
		return
	}
	g.values(r, "!%s.Valid()")
}
func (g *checkGen) epoch(r *spec.Rule)  { g.values(r, "!formatEpochMilliseconds(%s)") }
func (g *checkGen) format(r *spec.Rule) { g.values(r, "!format"+camel(r.Check.Format)+"(%s)") }
func (g *checkGen) maxLen(r *spec.Rule) { g.values(r, sprintf("len(%%s) > %d", r.Check.N)) }

func (g *checkGen) regex(r *spec.Rule) {
	for _, name := range slices.Sorted(maps.Keys(g.spec.Formats)) {
		if g.spec.Formats[name].Regex == r.Check.Pattern {
			g.values(r, "!format"+camel(name)+"(%s)")
			return
		}
	}
	panic("no format has the pattern of " + r.ID)
}

// iab1 is about the codes of content taxonomy 1, under a condition.
func (g *checkGen) iab1(r *spec.Rule) {
	when := g.condition(r.Check.When, orTerm)
	g.printf("\tif %s {\n", when)
	for _, name := range r.Check.Fields {
		if f := g.object.Field(name); f != nil {
			g.printf("\t\tfor i, s := range v.%s {\n\t\t\tif !formatIab1Category(s) {\n\t\t\t\tc.reportElem(%s, %s, i)\n\t\t\t}\n\t\t}\n", f.Go, ruleID(r.ID), g.id(f))
			g.faultInList(r, f, when, "!formatIab1Category(e)")
		}
	}
	g.printf("\t}\n")
}

func (g *checkGen) minItems(r *spec.Rule) {
	f := g.field(r.Check.Field)
	g.reportIf(sprintf("v.%s != nil && len(v.%s) < %d", f.Go, f.Go, r.Check.N), "", r, f)
}

func (g *checkGen) maxItems(r *spec.Rule) {
	f := g.field(r.Check.Field)
	g.reportIf(sprintf("len(v.%s) > %d", f.Go, r.Check.N), "", r, f)
}

func (g *checkGen) ordered(r *spec.Rule) {
	a, b := g.field(r.Check.A), g.field(r.Check.B)
	g.reportIf(sprintf("v.%s != nil && v.%s != nil && *v.%s > *v.%s", a.Go, b.Go, a.Go, b.Go), g.unlessSilent(r, nil, a, b), r, a)
}

// atMostOne is reported at the last one present: the one to take away.
func (g *checkGen) atMostOne(r *spec.Rule) {
	fields := r.Check.Fields
	for i := len(fields) - 1; i > 0; i-- {
		if i < len(fields)-1 {
			g.printf(" else ")
		} else {
			g.printf("\t")
		}
		f := g.field(fields[i])
		others := g.all(fields[:i], g.present, " || ")
		if i > 1 {
			others = "(" + others + ")"
		}
		g.printf("if %s && %s%s {\n\t\tc.report(%s, %s)\n\t}", g.present(f), others, g.unlessSilent(r, nil), ruleID(r.ID), g.id(f))
		g.fault(r, g.present(f)+" && "+parenthesized(others))
	}
	g.printf("\n")
}

func (g *checkGen) atLeastOne(r *spec.Rule) {
	g.reportHereIf(g.all(r.Check.Fields, g.absent, " && "), g.unlessSilent(r, nil), r, r.Check.Fields)
}

func (g *checkGen) anyOf(r *spec.Rule) {
	var groups []string
	for _, group := range r.Check.Groups {
		groups = append(groups, "("+g.all(group, g.absent, " || ")+")")
	}
	g.reportHereIf(strings.Join(groups, " && "), g.unlessSilent(r, nil), r, slices.Concat(r.Check.Groups...))
}

// together is about one group of fields, or about several on their own.
func (g *checkGen) together(r *spec.Rule) {
	groups := r.Check.Groups
	if groups == nil {
		groups = [][]string{r.Check.Fields}
	}
	for _, group := range groups {
		for i, name := range group {
			f := g.field(name)
			others := g.all(slices.Concat(group[:i], group[i+1:]), g.present, " || ")
			g.reportIf(g.absent(f)+" && ("+others+")", g.unlessSilent(r, f), r, f)
		}
	}
}

func (g *checkGen) excludes(r *spec.Rule) {
	f := g.field(r.Check.Field)
	g.reportIf(g.present(f)+" && ("+g.all(r.Check.With, g.present, " || ")+")", "", r, f)
}

// values writes a test of the value of each field, or of each element; bad is a condition with
// %s for the value. Absent values and empty strings are never bad.
func (g *checkGen) values(r *spec.Rule, bad string) {
	for _, f := range g.eachField(r) {
		g.value(r, f, bad)
	}
}

func (g *checkGen) value(r *spec.Rule, f *spec.Field, bad string) {
	is := func(value string) string { return strings.ReplaceAll(bad, "%s", value) }
	silent := g.unlessSilent(r, f, f)
	switch t := goType(g.spec, f); {
	case f.Array:
		if silent != "" {
			panic("silences are not for elements of arrays: " + r.ID)
		}
		g.printf("\tfor i, e := range v.%s {\n\t\tif %s {\n\t\t\tc.reportElem(%s, %s, i)\n\t\t}\n\t}\n", f.Go, is("e"), ruleID(r.ID), g.id(f))
		g.faultInList(r, f, "", is("e"))
	case t == "string":
		g.reportIf(sprintf(`v.%s != "" && (%s)`, f.Go, is("v."+f.Go)), silent, r, f)
	case strings.HasSuffix(bad, ".Valid()"):
		g.reportIf(sprintf("v.%s != nil && (%s)", f.Go, is("v."+f.Go)), silent, r, f)
	default:
		g.reportIf(sprintf("v.%s != nil && (%s)", f.Go, is("*v."+f.Go)), silent, r, f)
	}
}
