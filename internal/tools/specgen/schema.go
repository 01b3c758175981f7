package main

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rtbwire/rtbwire/spec"
)

const schemaDir = "inspect/schema/"

// schema writes the generated half of package inspect/schema.
func schema(d *spec.Data) []file {
	return []file{ruleTable(d), fieldTable(d), checks(d)}
}

// objectName names an object in the package's constants and functions. Objects of native payloads
// have the names of their specification, because their Go types share names with OpenRTB's.
func objectName(o *spec.Object) string {
	if strings.HasPrefix(o.Name, "Native") {
		return o.Name
	}
	return o.Go
}

// allObjects lists the objects of OpenRTB, then those of native payloads.
func allObjects(d *spec.Data) []*spec.Object {
	return slices.Concat(d.OpenRTB.Objects, d.Native.Objects)
}

// camel turns an id into an identifier: "Imp.bidfloor.range" becomes "ImpBidfloorRange".
func camel(id string) string {
	var b strings.Builder
	up := true
	for _, r := range id {
		switch {
		case r == '.' || r == '-' || r == '_' || r == '*':
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// ruleTable writes the rules in the data's order, which is the order of the documentation.
func ruleTable(d *spec.Data) file {
	s := d.OpenRTB
	f := newFile(schemaDir+"rules_gen.go", "schema", "spec/openrtb.json, rules and own_rules, and spec/native.json, rules")
	all := slices.Concat(s.Rules, d.Native.Rules, s.OwnRules)
	f.printf("// ruleID is an index of rules.\ntype ruleID uint16\n\nconst (\n")
	enumerate(f, "ruleID", 0, all, func(r *spec.Rule) string { return ruleID(r.ID) })
	f.printf(")\n\nvar rules = [...]Rule{\n")
	for _, r := range all {
		f.printf("\t{ID: %q, Object: %q, Section: %q,\n\t\tSummary: %q,\n\t\tMessage: %q,\n\t\tLevel: %q, Kind: %q, Scope: %q, Source: %q, Severity: %s",
			r.ID, r.Object, r.Section, r.Rule, message(s, r), r.Level, r.Kind, r.Scope, r.Source, severity(s, r))
		if r.Undecidable != "" {
			f.printf(",\n\t\tUndecidable: %q", r.Undecidable)
		}
		f.printf("},\n")
	}
	f.printf("}\n\n// rulesByName holds the rules in the order of their ids.\nvar rulesByName = [...]ruleID{\n")
	byName := slices.Clone(all)
	sortBy(byName, func(r *spec.Rule) string { return r.ID })
	for _, r := range byName {
		f.printf("\trule%s,\n", camel(r.ID))
	}
	f.printf("}\n")
	return *f
}

// enumerate writes the constants of a type, counting from the given number. They have no numbers of
// their own, so that a new one is a single line in the diff.
func enumerate[T any](f *file, typ string, from int, all []T, name func(T) string) {
	for i, v := range all {
		f.printf("\t%s", name(v))
		if i == 0 {
			f.printf(" %s = iota", typ)
			if from != 0 {
				f.printf(" + %d", from)
			}
		}
		f.printf("\n")
	}
}

// severity returns the default severity. It follows the wording of the specification, except where
// that asks for tolerance (unknown codes), where it only recommends, and where the rule is derived.
// A rule can name a severity of its own.
func severity(s *spec.Spec, r *spec.Rule) string {
	switch {
	case r.Undecidable != "":
		return "Off"
	case r.Severity != "":
		return camel(r.Severity)
	case r.Kind == "recommended", r.Kind == "default", r.Kind == "enum":
		return "Info"
	case r.Check != nil && (r.Check.Op == "enum" || r.Check.Op == "recommended_if"):
		return "Info"
	case r.Check != nil && r.Check.Format != "" && s.Formats[r.Check.Format].Advisory:
		return "Info"
	case r.Source == "derived", r.Source == "practice", r.Level == "should":
		return "Warn"
	}
	return "Error"
}

// message returns the text of a finding. It says what was expected, never what was found.
func message(s *spec.Spec, r *spec.Rule) string {
	c := r.Check
	if c == nil {
		return "expected: " + r.Rule
	}
	switch c.Op {
	case "required":
		return sprintf("required field %s is missing or empty", c.Field)
	case "recommended":
		if c.Field != "" {
			return sprintf("recommended field %s is missing", c.Field)
		}
	case "in":
		if r.Kind == "flag" {
			return "expected 0 or 1"
		}
	case "range":
		if c.When == "" {
			return "expected a value of " + rangeText(c.Min, c.Max)
		}
	case "gt":
		if c.When == "" && c.Field != "" {
			return sprintf("expected a value above %v", *c.Value)
		}
	case "enum":
		return sprintf("the code is not in list %s", c.List)
	case "format":
		return "expected " + s.Formats[c.Format].Expected
	case "deprecated":
		return sprintf("field %s is deprecated", c.Field)
	case "at_most_one":
		return "at most one expected of " + strings.Join(c.Fields, ", ")
	case "at_least_one":
		return "at least one expected of " + strings.Join(c.Fields, ", ")
	case "together":
		if c.Groups != nil {
			break
		}
		return "expected together or not at all: " + strings.Join(c.Fields, ", ")
	}
	return "expected: " + r.Rule
}

// fieldTable writes the objects and fields for the text layer and for paths.
func fieldTable(d *spec.Data) file {
	s := d.OpenRTB
	f := newFile(schemaDir+"fields_gen.go", "schema", "spec/openrtb.json and spec/native.json, objects", "github.com/rtbwire/rtbwire/adcom")
	fieldConstants(f, d)
	defaultConstants(f, s)
	releaseNames(f, s)
	fieldInfos(f, d)
	fieldLookup(f, d)
	knownExt(f, s)
	topLevel(f, s)
	return *f
}

func fieldConstants(f *file, d *spec.Data) {
	f.printf("// objectID is an object type of the specification.\ntype objectID uint8\n\nconst (\n")
	enumerate(f, "objectID", 0, allObjects(d), func(o *spec.Object) string { return "obj" + objectName(o) })
	f.printf(")\n\n// fieldID is a field of an object; 0 means no field.\ntype fieldID uint16\n\nconst (\n")
	var ids []string
	most := 0
	for _, o := range allObjects(d) {
		for _, field := range o.Fields {
			ids = append(ids, fieldID(o, field))
		}
		most = max(most, len(o.Fields))
	}
	for _, name := range legacyNames(d.OpenRTB) {
		ids = append(ids, "fLegacy"+camel(name))
	}
	enumerate(f, "fieldID", 1, ids, func(id string) string { return id })
	f.printf(")\n\n// fieldsMax is the number of fields of the largest object.\nconst fieldsMax = %d\n\n", most)
}

// defaultsUsed are the fields whose defaults the hand-written rules need.
var defaultsUsed = [][2]string{
	{"BidRequest", "cattax"}, {"Imp", "bidfloorcur"}, {"Deal", "bidfloorcur"}, {"BidResponse", "cur"}, {"Bid", "cattax"},
}

func defaultConstants(f *file, s *spec.Spec) {
	f.printf("// Defaults of the specification.\nconst (\n")
	for _, at := range defaultsUsed {
		o := s.Object(at[0])
		field := o.Field(at[1])
		value := string(field.Default)
		if v := defaultValue(s, field); v != nil {
			value = "adcom." + v.Go
		}
		f.printf("\tdefault%s%s = %s\n", o.Go, field.Go, value)
	}
	f.printf(")\n\n")
}

func fieldInfos(f *file, d *spec.Data) {
	f.printf("var fields = [...]fieldInfo{\n\t{},\n")
	for _, o := range allObjects(d) {
		for bit, field := range o.Fields {
			f.printf("\t%s: {name: %q, kind: %s, bit: %d", fieldID(o, field), field.JSON, fieldKind(field), bit)
			if field.Array {
				f.printf(", array: true")
			}
			if field.Required {
				f.printf(", required: true")
			}
			if mayBeEmpty(d.OpenRTB, o, field) {
				f.printf(", mayBeEmpty: true")
			}
			if n := sinceNumber(d.OpenRTB, field); n > 0 {
				f.printf(", since: %d", n)
			}
			if inner := objectOf(d, field); inner != nil {
				f.printf(", object: obj%s", objectName(inner))
			}
			f.printf("},\n")
		}
	}
	for _, name := range legacyNames(d.OpenRTB) {
		f.printf("\tfLegacy%s: {name: %q, kind: kindExt},\n", camel(name), name)
	}
	f.printf("}\n\n")
}

// sinceNumber is the number of the release that a field came with, counted from 1; 0 is older than
// the first one.
func sinceNumber(s *spec.Spec, f *spec.Field) int {
	return 1 + slices.IndexFunc(s.Releases, func(r spec.Release) bool { return r.Version == f.Since })
}

// releaseNames writes the names of the releases, which are numbered from 1.
func releaseNames(f *file, s *spec.Spec) {
	f.printf("// releases are the releases of OpenRTB that fields came with. fieldInfo counts them from 1.\nvar releases = [...]string{")
	for i, r := range s.Releases {
		if i > 0 {
			f.printf(", ")
		}
		f.printf("%q", r.Version)
	}
	f.printf("}\n\n")
}

// legacyNames lists the names that legacy fields have inside an ext. Paths need them.
func legacyNames(s *spec.Spec) (names []string) {
	for i := range s.Legacy {
		for _, name := range strings.Split(s.Legacy[i].From, ".")[1:] {
			if s.Legacy[i].To != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// knownExt writes the members of exts that have an agreed meaning.
func knownExt(f *file, s *spec.Spec) {
	f.comment("", "knownExt are the members of exts that have a generally agreed meaning, without those that moved, which are read in any letter case.")
	var names []string
	for _, m := range s.KnownExt {
		moved := slices.ContainsFunc(s.Legacy, func(l spec.LegacyField) bool { return l.To != "" && l.Object == m.Object && l.From == m.Path })
		if name := strings.TrimPrefix(m.Path, "ext."); !moved && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	f.printf("var knownExt = []string{%s}\n\n", quoted(names))
}

// objectOf returns the object type of a field, nil for other fields.
func objectOf(d *spec.Data, f *spec.Field) *spec.Object {
	if o := d.OpenRTB.Object(f.ObjectName()); o != nil {
		return o
	}
	return d.Native.Object(f.ObjectName())
}

func fieldKind(f *spec.Field) string {
	switch {
	case f.Type == "ext", f.ObjectName() == "any":
		return "kindExt"
	case f.ObjectName() != "":
		return "kindObject"
	case f.Type == "integer":
		return "kindInteger"
	case f.Type == "float":
		return "kindFloat"
	}
	return "kindString"
}

// emptyArray reports whether a silence says that a field may be an empty array, the one kind of
// silence that the text layer knows.
func emptyArray(c *spec.Silence) bool {
	return c.Rule == "any.empty-array" && c.Field != "" && c.When == "" && c.YieldsTo == ""
}

// mayBeEmpty reports whether an empty array is not a fault.
func mayBeEmpty(s *spec.Spec, o *spec.Object, f *spec.Field) bool {
	return slices.ContainsFunc(s.Silences, func(c *spec.Silence) bool {
		return emptyArray(c) && c.Field == o.Name+"."+f.JSON
	})
}

func fieldLookup(f *file, d *spec.Data) {
	f.printf("// field finds a field by its key, byte for byte; 0 when the object has no such field.\nfunc (o objectID) field(key []byte) fieldID {\n\tswitch o {\n")
	for _, o := range allObjects(d) {
		f.printf("\tcase obj%s:\n\t\tswitch string(key) {\n", objectName(o))
		for _, field := range o.Fields {
			f.printf("\t\tcase %q:\n\t\t\treturn %s\n", field.JSON, fieldID(o, field))
		}
		f.printf("\t\t}\n")
	}
	f.printf("\t}\n\treturn 0\n}\n\n")
}

// topLevel writes one switch for both documents: two cost a quarter more time.
func topLevel(f *file, s *spec.Spec) {
	request, response := s.Object("BidRequest"), s.Object("BidResponse")
	var both, onlyRequest, onlyResponse []string
	for _, field := range request.Fields {
		if response.Field(field.JSON) != nil {
			both = append(both, field.JSON)
		} else {
			onlyRequest = append(onlyRequest, field.JSON)
		}
	}
	for _, field := range response.Fields {
		if request.Field(field.JSON) == nil {
			onlyResponse = append(onlyResponse, field.JSON)
		}
	}
	f.comment("", "TopLevel reports whether a bid request and a bid response have a field of the given name at their top level.")
	f.printf("func TopLevel(name []byte) (inRequest, inResponse bool) {\n\tswitch string(name) {\n")
	f.printf("\tcase %s:\n\t\treturn true, true\n", quoted(both))
	f.printf("\tcase %s:\n\t\treturn true, false\n", quoted(onlyRequest))
	f.printf("\tcase %s:\n\t\treturn false, true\n\t}\n\treturn false, false\n}\n\n", quoted(onlyResponse))
}

func quoted(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, sprintf("%q", n))
	}
	return strings.Join(out, ", ")
}
