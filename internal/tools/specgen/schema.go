package main

import (
	"strings"
	"unicode"

	"github.com/rtbwire/rtbwire/spec"
)

const schemaDir = "inspect/schema/"

// schema writes the generated half of package inspect/schema.
func schema(d *spec.Data) []file {
	s := d.OpenRTB
	return []file{ruleTable(s), fieldTable(s), checks(s)}
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

// contractRules are about the text itself; the specification presupposes them.
var contractRules = []*spec.Rule{
	{ID: "json.syntax", Object: "*", Section: "2.3", Level: "must", Kind: "type", Scope: "both", Source: "contract", Rule: "the text is one JSON document after RFC 8259"},
	{ID: "json.depth", Object: "*", Section: "2.3", Level: "must", Kind: "type", Scope: "both", Source: "contract", Rule: "values are nested no deeper than the decoder's limit"},
	{ID: "json.limit", Object: "*", Section: "2.3", Level: "must", Kind: "type", Scope: "both", Source: "contract", Rule: "the document stays within the decoder's limits of size, elements and memory"},
	{ID: "json.number", Object: "*", Section: "2.3", Level: "must", Kind: "type", Scope: "both", Source: "contract", Rule: "a number is within the range of a 64-bit float"},
}

// ruleTable writes the rules in the data's order, which is the order of the documentation.
func ruleTable(s *spec.Spec) file {
	f := newFile(schemaDir+"rules_gen.go", "schema", "spec/openrtb-2.6-202606.json, rules")
	all := append(append([]*spec.Rule{}, s.Rules...), contractRules...)
	f.printf("// ruleID is an index of rules.\ntype ruleID uint16\n\nconst (\n")
	for i, r := range all {
		f.printf("\trule%s ruleID = %d\n", camel(r.ID), i)
	}
	f.printf(")\n\nvar rules = [...]Rule{\n")
	for _, r := range all {
		f.printf("\t{ID: %q, Object: %q, Section: %q,\n\t\tSummary: %q,\n\t\tMessage: %q,\n\t\tLevel: %q, Kind: %q, Scope: %q, Source: %q, Severity: %s",
			r.ID, r.Object, r.Section, r.Rule, message(s, r), r.Level, r.Kind, r.Scope, r.Source, severity(s, r))
		if why := undecidable(r); why != "" {
			f.printf(",\n\t\tUndecidable: %q", why)
		}
		f.printf("},\n")
	}
	f.printf("}\n\n// rulesByName holds the rules in the order of their ids.\nvar rulesByName = [...]ruleID{\n")
	byName := append([]*spec.Rule{}, all...)
	sortBy(byName, func(r *spec.Rule) string { return r.ID })
	for _, r := range byName {
		f.printf("\trule%s,\n", camel(r.ID))
	}
	f.printf("}\n")
	return *f
}

// undecidable says why no message shows whether the rule is kept, "" if one does.
func undecidable(r *spec.Rule) string {
	if r.ID == "BidResponse.seatbid.min" {
		return "a response without bids is a no-bid (section 7.1), with or without bidid; that its bidder meant to bid can't be seen in it"
	}
	switch r.Scope {
	case "processor":
		return "it asks something of the software that reads or forwards the message; the message itself looks the same either way"
	case "transport":
		return "it is about HTTP (method, headers, status, connection), which the message does not carry"
	case "external":
		return "it needs knowledge from outside of the message: an agreement, another document, or earlier traffic"
	}
	return ""
}

// severity is the default grade: the wording of the specification, except where it asks for
// tolerance (unknown codes and keys), where it only recommends, and where the rule is our own
// reading of it. What the decoder refuses is an error whoever asks for it.
func severity(s *spec.Spec, r *spec.Rule) string {
	switch {
	case undecidable(r) != "":
		return "Off"
	case r.Source == "contract", r.ID == "any.type", r.ID == "any.integer", r.ID == "any.utf8":
		return "Error"
	case r.Kind == "recommended", r.Kind == "default", r.ID == "any.custom-in-ext", r.ID == "any.empty-array":
		return "Info"
	case r.Kind == "enum":
		return "Info"
	case r.Check != nil && (r.Check.Op == "enum" || r.Check.Op == "recommended_if"):
		return "Info"
	case r.Check != nil && r.Check.Format != "" && s.Formats[r.Check.Format].Advisory:
		return "Info"
	case r.Source == "derived", r.Level == "should":
		return "Warn"
	}
	return "Error"
}

// message is what a finding says. It speaks of what was expected, never of what was found.
func message(s *spec.Spec, r *spec.Rule) string {
	c := r.Check
	if c == nil || halfGenerated[r.ID] {
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
		if c.When == "" {
			return sprintf("expected a value above %v", *c.Value)
		}
	case "enum":
		return sprintf("the code is not in list %s", c.List)
	case "format":
		return "expected " + formatText(s, c.Format)
	case "deprecated":
		return sprintf("field %s is deprecated", c.Field)
	case "at_most_one":
		return "at most one expected of " + strings.Join(c.Fields, ", ")
	case "at_least_one":
		return "at least one expected of " + strings.Join(c.Fields, ", ")
	case "together":
		return "expected together or not at all: " + strings.Join(c.Fields, ", ")
	}
	return "expected: " + r.Rule
}

var formatTexts = map[string]string{
	"iso-4217":           "an ISO 4217 currency code, three capital letters",
	"iso-639-1":          "an ISO 639-1 language code, two letters",
	"iso-639-1-or-xx":    "an ISO 639-1 language code, two letters, or xx",
	"bcp-47":             "a BCP 47 language tag such as zh-Hant-TW",
	"iso-3166-1-alpha-3": "an ISO 3166-1 country code of three capital letters",
	"iso-3166-2":         "an ISO 3166-2 region code",
	"fips-10-4":          "a FIPS 10-4 region code",
	"google-metro-code":  "a metro code, one to six digits",
	"un-locode":          "a UN/LOCODE city code",
	"ipv4":               "an IPv4 address in dotted decimal",
	"ipv6":               "an IPv6 address in the text form of RFC 4291",
	"domain":             "a domain name without scheme, port or path",
	"url":                "an absolute http or https URL",
	"url-template":       "a URL, macros allowed",
	"mime-type":          "a MIME type such as video/mp4",
	"mcc-mnc":            "a country and network code with a dash, such as 310-005",
	"isrc":               "an ISRC",
	"us-privacy":         "a US Privacy string of four characters",
	"gpp":                "a GPP string",
	"tcf-v2":             "a TCF v2 consent string",
	"base85-cookie-safe": "printable ASCII without the characters that break cookies",
	"app-store-id":       "a package name or an app store id",
	"epoch-milliseconds": "milliseconds since 1970",
	"major.minor":        "a version of the form major.minor",
	"sha1-hex":           "a SHA-1 digest, 40 hexadecimal digits",
	"md5-hex":            "an MD5 digest, 32 hexadecimal digits",

	"json-encoded-string": "a JSON object inside a string",
}

func formatText(s *spec.Spec, name string) string {
	if _, ok := s.Formats[name]; !ok {
		panic("no such format: " + name)
	}
	text, ok := formatTexts[name]
	if !ok {
		panic("format " + name + " needs a text in formatTexts")
	}
	return text
}

// fieldTable writes the objects and fields as the text layer and the paths know them.
func fieldTable(s *spec.Spec) file {
	f := newFile(schemaDir+"fields_gen.go", "schema", "spec/openrtb-2.6-202606.json, objects and removed")
	f.printf("// objectID is an object type of the specification.\ntype objectID uint8\n\nconst (\n")
	for i, o := range s.Objects {
		f.printf("\tobj%s objectID = %d\n", o.Go, i)
	}
	f.printf(")\n\n// fieldID is a field of an object; 0 is none.\ntype fieldID uint16\n\nconst (\n")
	n, most := 1, 0
	for _, o := range s.Objects {
		for _, field := range o.Fields {
			f.printf("\tf%s%s fieldID = %d\n", o.Go, field.Go, n)
			n++
		}
		most = max(most, len(o.Fields))
	}
	f.printf(")\n\n// fieldsMax is the number of fields of the largest object.\nconst fieldsMax = %d\n\n", most)
	f.printf("var fields = [...]fieldInfo{\n\t{},\n")
	for _, o := range s.Objects {
		for bit, field := range o.Fields {
			kind, object := "kindString", ""
			switch {
			case field.ObjectName() != "":
				kind, object = "kindObject", ", object: obj"+s.Object(field.ObjectName()).Go
			case field.Type == "ext":
				kind = "kindExt"
			case field.Type == "integer":
				kind = "kindInteger"
			case field.Type == "float":
				kind = "kindFloat"
			}
			f.printf("\tf%s%s: {name: %q, kind: %s, bit: %d", o.Go, field.Go, field.JSON, kind, bit)
			if field.Array {
				f.printf(", array: true")
			}
			if field.Required {
				f.printf(", required: true")
			}
			f.printf("%s},\n", object)
		}
	}
	f.printf("}\n\n")
	f.printf("// field finds a field by its key, byte for byte; 0 when the object has none of the name.\nfunc (o objectID) field(key []byte) fieldID {\n\tswitch o {\n")
	for _, o := range s.Objects {
		f.printf("\tcase obj%s:\n\t\tswitch string(key) {\n", o.Go)
		for _, field := range o.Fields {
			f.printf("\t\tcase %q:\n\t\t\treturn f%s%s\n", field.JSON, o.Go, field.Go)
		}
		f.printf("\t\t}\n")
	}
	f.printf("\t}\n\treturn 0\n}\n\n")
	f.printf("// removed finds the rule about a field that an earlier version had.\nfunc (o objectID) removed(key []byte) (ruleID, bool) {\n\tswitch o {\n")
	for _, r := range s.Rules {
		if r.Check != nil && r.Check.Op == "removed" {
			f.printf("\tcase obj%s:\n\t\tswitch string(key) {\n\t\tcase %s:\n\t\t\treturn rule%s, true\n\t\t}\n",
				s.Object(r.Object).Go, quoted(r.Check.Fields), camel(r.ID))
		}
	}
	f.printf("\t}\n\treturn 0, false\n}\n")
	return *f
}

func quoted(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, sprintf("%q", n))
	}
	return strings.Join(out, ", ")
}
