package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/spec"
)

// checks writes one function per object that evaluates the machine-readable rules of that
// object on its Go value, calls the hand-written ones, and goes on to the objects inside.
func checks(s *spec.Spec) file {
	f := newFile(schemaDir+"checks_gen.go", "schema", "spec/openrtb-2.6-202606.json, rules with a check", "github.com/rtbwire/rtbwire/openrtb")
	written := map[string]bool{}
	for _, o := range s.Objects {
		g := &checkGen{file: f, spec: s, object: o, written: written}
		g.function()
	}
	for _, silence := range silences {
		if !written[silence.rule] {
			panic("silences has " + silence.rule + ", which is not generated")
		}
	}
	for id := range halfGenerated {
		if !written[id] {
			panic("halfGenerated has " + id + ", which is not generated")
		}
	}
	return *f
}

type checkGen struct {
	*file
	spec    *spec.Spec
	object  *spec.Object
	written map[string]bool // rules by id
}

func lowerFirst(s string) string {
	n := 1
	for n < len(s) && s[n] >= 'A' && s[n] <= 'Z' && (n+1 == len(s) || s[n+1] < 'a') {
		n++ // DOOH, EID, UID as a whole
	}
	return strings.ToLower(s[:n]) + s[n:]
}

func (g *checkGen) function() {
	o := g.object
	g.printf("// %s checks a %s, section %s.\n", lowerFirst(o.Go), o.Go, o.Section)
	g.printf("func (c *Checker) %s(v *openrtb.%s) {\n", lowerFirst(o.Go), o.Go)
	byHand := false
	for _, r := range g.spec.Rules {
		if r.Object != o.Name || undecidable(r) != "" || r.Scope == "pair" {
			continue
		}
		if !g.generated(r) {
			byHand = byHand || !inTextLayer(r)
			continue
		}
		g.printf("\t// %s\n", r.ID)
		g.rule(r)
		g.written[r.ID] = true
		byHand = byHand || halfGenerated[r.ID]
	}
	if byHand {
		g.printf("\tc.%sRules(v)\n", lowerFirst(o.Go))
	}
	for _, field := range o.Fields {
		name := field.ObjectName()
		if name == "" {
			continue
		}
		id := "f" + o.Go + field.Go
		check := lowerFirst(g.spec.Object(name).Go)
		if field.Array {
			g.printf("\tfor i := range v.%s {\n\t\tc.enter(%s, i)\n\t\tc.%s(&v.%s[i])\n\t\tc.leave()\n\t}\n", field.Go, id, check, field.Go)
		} else {
			g.printf("\tif v.%s != nil {\n\t\tc.enter(%s, noIndex)\n\t\tc.%s(v.%s)\n\t\tc.leave()\n\t}\n", field.Go, id, check, field.Go)
		}
	}
	g.printf("}\n\n")
}

// inTextLayer says which rules the text layer evaluates: those about JSON types and about
// keys that the Go types do not have.
func inTextLayer(r *spec.Rule) bool {
	return r.Object == "*" || r.Check != nil && (r.Check.Op == "type" || r.Check.Op == "removed")
}

const cattax1 = "cattax in (absent,1)"

// halfGenerated are rules whose check covers only a part of what their text asks for; the
// rest is written by hand.
var halfGenerated = map[string]bool{
	"Bid.ratio.pair":          true, // the check has wratio and hratio, the text also w and h
	"Format.wh.pair":          true, // the check has w and h, the text also wratio and hratio
	"Device.pxratio.positive": true, // the check has pxratio, the text also ppi
}

// silence is a case in which a rule stays silent.
type silence struct {
	rule  string
	field string // of rules with several fields: the one that is meant
	when  string // Go condition; empty is always
	to    string // the rule that speaks instead, unless it is configured to be less severe
}

// silences keeps two rules from reporting one fault. Rules of the data overlap: some say the
// same twice, some are a special case of another. Of two such rules the one whose message
// helps more speaks.
var silences = []silence{
	// No site, app or dooh at all is one fault.
	{rule: "BidRequest.site.recommended", to: "BidRequest.channel.present"},
	{rule: "BidRequest.app.recommended", to: "BidRequest.channel.present"},
	{rule: "BidRequest.app.recommended", to: "BidRequest.site.recommended"},
	{rule: "BidRequest.channel.exclusive", when: "v.DOOH != nil", to: "DOOH.exclusive"},

	// "Above zero" is left with zero, "not negative" has the rest.
	{rule: "BidRequest.tmax.positive", when: "*v.TMax < 0", to: "BidRequest.tmax.range"},
	{rule: "Device.pxratio.positive", when: "*v.PxRatio < 0", to: "Device.pxratio.range"},
	{rule: "Bid.price.positive", when: "*v.Price < 0", to: "Bid.price.range"},
	{rule: "Bid.price.positive", when: `*v.Price == 0 && v.DealID != ""`}, // tolerated, as the rule says

	{rule: "Video.dur.order", when: "*v.MaxDuration < 0", to: "Video.maxduration.range"},
	{rule: "Audio.dur.order", when: "*v.MaxDuration < 0", to: "Audio.maxduration.range"},
	{rule: "Video.bitrate.order", when: "*v.MaxBitrate < 0", to: "Video.maxbitrate.range"},
	{rule: "Audio.bitrate.order", when: "*v.MaxBitrate < 0", to: "Audio.maxbitrate.range"},
	{rule: "Video.poddur.slot", when: "*v.PodDur < 0", to: "Video.poddur.range"},
	{rule: "Audio.poddur.slot", when: "*v.PodDur < 0", to: "Audio.poddur.range"},
	{rule: "DurFloors.order", when: "*v.MaxDur < 0", to: "DurFloors.maxdur.range"},

	// A time is negative, or in seconds, or something else.
	{rule: "Imp.dt.format", when: "*v.DT < 0", to: "Imp.dt.range"},
	{rule: "Imp.dt.format", when: "looksLikeSeconds(*v.DT)", to: "Imp.dt.ms"},
	{rule: "Imp.dt.ms", when: "*v.DT < 0", to: "Imp.dt.range"},
	{rule: "Imp.dt.ms", when: "!looksLikeSeconds(*v.DT)", to: "Imp.dt.format"},

	// One check under two ids: the data has both the format and what mostly breaks it.
	{rule: "SupplyChainNode.asi.format", when: "!bare(v.ASI)", to: "SupplyChainNode.asi.bare"},
	{rule: "SupplyChainNode.domain.format", when: "!bare(v.Domain)", to: "SupplyChainNode.asi.bare"},
	{rule: "SupplyChainNode.asi.bare", field: "asi", when: "bare(v.ASI)", to: "SupplyChainNode.asi.format"},
	{rule: "SupplyChainNode.asi.bare", field: "domain", when: "bare(v.Domain)", to: "SupplyChainNode.domain.format"},
	{rule: "Device.mccmnc.format", when: "digits.all(v.MCCMNC)", to: "Device.mccmnc.dash"},
	{rule: "Device.mccmnc.dash", when: "!digits.all(v.MCCMNC)", to: "Device.mccmnc.format"},
	{rule: "Content.gtax.values", when: "!v.GTax.Valid()", to: "Content.gtax.enum"},
	{rule: "Geo.region.format", when: `v.Country == "USA"`, to: "Geo.region.usa"},
	{rule: "App.bundle.format", to: "App.bundle.store"},

	// What is recommended, and a rule that says when it is.
	{rule: "Banner.format.recommended", when: "v.W == nil || v.H == nil", to: "Banner.size"},
	{rule: "Format.shape", when: "(v.W == nil) != (v.H == nil) || (v.WRatio == nil) != (v.HRatio == nil)", to: "Format.wh.pair"},
	{rule: "Site.id.recommended", when: `v.Page == ""`, to: "Site.identity"},
	{rule: "App.id.recommended", when: `v.Bundle == ""`, to: "App.identity"},
	{rule: "DOOH.id.recommended", when: "len(v.VenueType) == 0", to: "DOOH.identity"},
	{rule: "Video.w.recommended", when: "v.H != nil", to: "Video.size"},
	{rule: "Video.h.recommended", when: "v.W != nil", to: "Video.size"},
	{rule: "Video.maxseq.recommended", when: "v.PodDur != nil", to: "Video.maxseq.dynamic"},
	{rule: "Video.poddur.recommended", when: "v.MaxSeq != nil", to: "Video.poddur.hint"},
	{rule: "Audio.poddur.recommended", when: "v.MaxSeq != nil", to: "Audio.poddur.hint"},
	{rule: "Video.minduration.recommended", when: "v.MaxDuration == nil", to: "Video.dur.one"},
	{rule: "Audio.minduration.recommended", when: "v.MaxDuration == nil", to: "Audio.dur.one"},
	{rule: "Video.maxduration.recommended", when: "v.MinDuration == nil", to: "Video.dur.one"},
	{rule: "Audio.maxduration.recommended", when: "v.MinDuration == nil", to: "Audio.dur.one"},
	{rule: "Video.dur.one", when: "v.MinDuration != nil", to: "Video.maxduration.recommended"},
	{rule: "Audio.dur.one", when: "v.MinDuration != nil", to: "Audio.maxduration.recommended"},
	{rule: "Source.schain.recommended", when: `hasKey(v.Ext, "schain")`, to: "Source.schain.legacy"},
	{rule: "Geo.latlon.pair", when: "c.geoOfScreen(v)", to: "DOOH.device.geo"},
}

// unlessSilent is what a rule's condition needs in addition for the cases of silences.
func unlessSilent(r *spec.Rule, field string) (out string) {
	for _, s := range silences {
		if s.rule != r.ID || s.field != "" && s.field != field {
			continue
		}
		var terms []string
		if s.when != "" {
			terms = append(terms, s.when)
		}
		if s.to != "" {
			terms = append(terms, sprintf("c.covered(rule%s, rule%s)", camel(r.ID), camel(s.to)))
		}
		if len(terms) == 2 && strings.Contains(terms[0], "||") {
			terms[0] = "(" + terms[0] + ")"
		}
		out += " && !(" + strings.Join(terms, " && ") + ")"
	}
	return out
}

// generated reports whether rule writes the rule; the others are written by hand, because
// they have a condition, look outside of their object, or have no check at all.
func (g *checkGen) generated(r *spec.Rule) bool {
	c := r.Check
	if c == nil || c.Path != "" || (c.When != "" && c.When != cattax1) || c.Format == "json-encoded-string" {
		return false
	}
	for _, name := range slices.Concat([]string{c.Field, c.A, c.B}, c.Fields, c.With) {
		if name != "" && g.object.Field(name) == nil && c.Op != "iab1_codes" {
			return false
		}
	}
	switch c.Op {
	case "required", "recommended", "in", "not_in", "range", "gt", "lte", "enum", "format", "deprecated", "at_most_one",
		"at_least_one", "any_of", "together", "excludes", "min_items", "max_items", "max_len", "regex", "iab1_codes", "epoch_ms":
		return true
	}
	return false
}

func (g *checkGen) field(name string) *spec.Field {
	if f := g.object.Field(name); f != nil {
		return f
	}
	panic(g.object.Name + " has no field " + name)
}

func (g *checkGen) id(f *spec.Field) string { return "f" + g.object.Go + f.Go }

// present is the Go expression for "the field is there and not empty".
func (g *checkGen) present(f *spec.Field) string {
	switch t := goType(g.spec, f); {
	case t == "string":
		return "v." + f.Go + ` != ""`
	case strings.HasPrefix(t, "*"):
		return "v." + f.Go + " != nil"
	}
	return "len(v." + f.Go + ") != 0"
}

func (g *checkGen) absent(f *spec.Field) string {
	p := g.present(f)
	if f.Array {
		return strings.Replace(p, "!= 0", "== 0", 1)
	}
	return strings.Replace(p, "!=", "==", 1)
}

func (g *checkGen) all(names []string, expr func(*spec.Field) string, join string) string {
	var out []string
	for _, n := range names {
		out = append(out, expr(g.field(n)))
	}
	return strings.Join(out, join)
}

func (g *checkGen) rule(r *spec.Rule) {
	c, id := r.Check, "rule"+camel(r.ID)
	report := func(f *spec.Field) string { return sprintf("c.report(%s, %s)", id, g.id(f)) }
	switch c.Op {
	case "required", "recommended":
		for _, name := range append(slices.Clone(c.Fields), c.Field) {
			if name == "" {
				continue
			}
			f := g.field(name)
			cond := g.absent(f)
			for _, other := range g.excludedBy(f) { // nobody misses what may not be there
				if term := " && " + g.absent(other); !strings.Contains(cond, term) {
					cond += term
				}
			}
			if c.Op == "required" && f.Array {
				if other := g.minItems(f); other != nil { // an empty array is the other rule's
					cond += sprintf(" && (v.%s == nil || !c.covered(%s, %s))", f.Go, id, "rule"+camel(other.ID))
				}
			}
			g.printf("\tif %s%s {\n\t\t%s\n\t}\n", cond, unlessSilent(r, name), report(f))
		}
	case "deprecated":
		f := g.field(c.Field)
		g.printf("\tif %s {\n\t\t%s\n\t}\n", g.present(f), report(f))
	case "in":
		var terms []string
		for _, n := range c.Values {
			terms = append(terms, sprintf("%%s != %d", n))
		}
		if c.MinCustom != nil {
			terms = append(terms, sprintf("%%s < %d", *c.MinCustom))
		}
		g.values(r, strings.Join(terms, " && "))
	case "not_in":
		var terms []string
		for _, n := range c.Values {
			terms = append(terms, sprintf("%%s == %d", n))
		}
		g.values(r, strings.Join(terms, " || "))
	case "range":
		var terms []string
		if c.Min != nil {
			terms = append(terms, sprintf("%%s < %v", *c.Min))
		}
		if c.Max != nil {
			terms = append(terms, sprintf("%%s > %v", *c.Max))
		}
		g.values(r, strings.Join(terms, " || "))
	case "gt":
		g.values(r, sprintf("%%s <= %v", *c.Value))
	case "enum":
		g.values(r, "!%s.Valid()")
	case "epoch_ms":
		g.values(r, "!formatEpochMilliseconds(%s)")
	case "format":
		for _, name := range append(slices.Clone(c.Fields), c.Field) {
			if name != "" {
				one := *r
				check := *c
				check.Field = name
				one.Check = &check
				g.values(&one, "!format"+camel(c.Format)+"(%s)")
			}
		}
	case "regex":
		for _, name := range slices.Sorted(maps.Keys(g.spec.Formats)) {
			if g.spec.Formats[name].Regex == c.Pattern {
				g.values(r, "!format"+camel(name)+"(%s)")
				return
			}
		}
		panic("no format has the pattern of " + r.ID)
	case "max_len":
		g.values(r, sprintf("len(%%s) > %d", c.N))
	case "min_items":
		f := g.field(c.Field)
		g.printf("\tif v.%s != nil && len(v.%s) < %d {\n\t\t%s\n\t}\n", f.Go, f.Go, c.N, report(f))
	case "max_items":
		f := g.field(c.Field)
		g.printf("\tif len(v.%s) > %d {\n\t\t%s\n\t}\n", f.Go, c.N, report(f))
	case "lte":
		a, b := g.field(c.A), g.field(c.B)
		g.printf("\tif v.%s != nil && v.%s != nil && *v.%s > *v.%s%s {\n\t\t%s\n\t}\n", a.Go, b.Go, a.Go, b.Go, unlessSilent(r, ""), report(a))
	case "at_most_one":
		// Reported at the last one present: the one to take away.
		for i := len(c.Fields) - 1; i > 0; i-- {
			if i < len(c.Fields)-1 {
				g.printf(" else ")
			} else {
				g.printf("\t")
			}
			f := g.field(c.Fields[i])
			others := g.all(c.Fields[:i], g.present, " || ")
			if i > 1 {
				others = "(" + others + ")"
			}
			g.printf("if %s && %s%s {\n\t\t%s\n\t}", g.present(f), others, unlessSilent(r, ""), report(f))
		}
		g.printf("\n")
	case "at_least_one":
		g.printf("\tif %s%s {\n\t\tc.reportHere(%s, %s)\n\t}\n", g.all(c.Fields, g.absent, " && "), unlessSilent(r, ""), id, g.all(c.Fields, g.id, ", "))
	case "any_of":
		var groups []string
		for _, group := range c.Groups {
			groups = append(groups, "("+g.all(group, g.absent, " || ")+")")
		}
		fields := g.all(slices.Concat(c.Groups...), g.id, ", ")
		g.printf("\tif %s%s {\n\t\tc.reportHere(%s, %s)\n\t}\n", strings.Join(groups, " && "), unlessSilent(r, ""), id, fields)
	case "together":
		for i, name := range c.Fields {
			others := g.all(slices.Concat(c.Fields[:i], c.Fields[i+1:]), g.present, " || ")
			g.printf("\tif %s && (%s)%s {\n\t\t%s\n\t}\n", g.absent(g.field(name)), others, unlessSilent(r, name), report(g.field(name)))
		}
	case "excludes":
		f := g.field(c.Field)
		g.printf("\tif %s && (%s) {\n\t\t%s\n\t}\n", g.present(f), g.all(c.With, g.present, " || "), report(f))
	case "iab1_codes":
		g.printf("\tif v.CatTax == nil || *v.CatTax == 1 {\n")
		for _, name := range c.Fields {
			if f := g.object.Field(name); f != nil {
				g.printf("\t\tfor i, s := range v.%s {\n\t\t\tif !formatIab1Category(s) {\n\t\t\t\tc.reportElem(%s, %s, i)\n\t\t\t}\n\t\t}\n", f.Go, id, g.id(f))
			}
		}
		g.printf("\t}\n")
	default:
		panic("op " + c.Op)
	}
}

// values writes a test of the field's value, or of each element; bad is a condition with %s
// for the value. Absent values and empty strings are never bad.
func (g *checkGen) values(r *spec.Rule, bad string) {
	f := g.field(r.Check.Field)
	id := "rule" + camel(r.ID)
	cond := func(expr string) string { return strings.ReplaceAll(bad, "%s", expr) }
	switch t := goType(g.spec, f); {
	case f.Array:
		if unlessSilent(r, f.JSON) != "" {
			panic("silences are not for elements of arrays: " + r.ID)
		}
		g.printf("\tfor i, e := range v.%s {\n\t\tif %s {\n\t\t\tc.reportElem(%s, %s, i)\n\t\t}\n\t}\n", f.Go, cond("e"), id, g.id(f))
	case t == "string":
		g.printf("\tif v.%s != \"\" && (%s)%s {\n\t\tc.report(%s, %s)\n\t}\n", f.Go, cond("v."+f.Go), unlessSilent(r, f.JSON), id, g.id(f))
	default:
		value := "*v." + f.Go
		if strings.HasSuffix(bad, ".Valid()") {
			value = "v." + f.Go
		}
		g.printf("\tif v.%s != nil && (%s)%s {\n\t\tc.report(%s, %s)\n\t}\n", f.Go, cond(value), unlessSilent(r, f.JSON), id, g.id(f))
	}
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

// minItems returns the rule that asks for an element in an array, nil if there is none.
func (g *checkGen) minItems(f *spec.Field) *spec.Rule {
	for i := range g.spec.Rules {
		r := g.spec.Rules[i]
		if r.Object == g.object.Name && r.Check != nil && r.Check.Op == "min_items" && r.Check.Field == f.JSON && g.generated(r) {
			return r
		}
	}
	return nil
}
