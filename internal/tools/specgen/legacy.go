package main

import (
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/spec"
)

// legacy writes the tables of legacy fields, whose values moved from an ext into a field.
// Conversions need every place in a request where the object can be; readers need both places.
func legacy(d *spec.Data) []file {
	s := d.OpenRTB
	f := newFile("openrtb/legacy_gen.go", "openrtb", "spec/openrtb.json, moved")
	f.printf("var legacyFields = []move{\n")
	for _, m := range s.Legacy {
		if m.To == "" {
			continue // stays where it is
		}
		for _, at := range places(s, "BidRequest", m.Object, "", nil) {
			f.printf("\t{%q, %q, %q},\n", at, pointer(m.From), pointer(m.To))
		}
	}
	f.printf("}\n")
	return []file{*f, *legacyTable(s)}
}

// readings are the Go names of how two places that disagree are read.
var readings = map[string]string{"one": "One", "absent": "Absent", "optout": "OptOut", "both": "Both", "field": "Field"}

func legacyTable(s *spec.Spec) *file {
	f := newFile("internal/legacy/table_gen.go", "legacy", "spec/openrtb.json, moved")
	f.printf("var table = [...]Row{\n")
	for i := range s.Legacy {
		m := &s.Legacy[i]
		if m.To == "" {
			continue // stays where it is
		}
		reading := readings[m.Conflict]
		if reading == "" {
			panic("moved: " + m.Object + "." + m.From + " has the conflict " + sprintf("%q", m.Conflict) + ": expected one, absent, optout, both or field")
		}
		if s.Rule(m.Rule()) == nil {
			panic("moved: " + m.Object + "." + m.From + " has no rule " + m.Rule())
		}
		f.printf("\t{Object: %q, From: %q, To: %q, Conflict: %s, Rule: %q},\n", m.Object, pointer(m.From), pointer(m.To), reading, m.Rule())
	}
	f.printf("}\n")
	return f
}

// pointer turns "ext.schain" into "/ext/schain".
func pointer(path string) string { return "/" + strings.ReplaceAll(path, ".", "/") }

// places lists the JSON Pointers, from the object named from, that lead to objects named to;
// "*" means any element of an array.
func places(s *spec.Spec, from, to, path string, seen []string) (out []string) {
	if from == to {
		return []string{path}
	}
	if slices.Contains(seen, from) {
		return nil
	}
	seen = append(slices.Clone(seen), from)
	for _, o := range s.Objects {
		if o.Name != from {
			continue
		}
		for _, f := range o.Fields {
			name, isObject := strings.CutPrefix(f.Type, "object:")
			if !isObject {
				continue
			}
			next := path + "/" + f.JSON
			if f.Array {
				next += "/*"
			}
			out = append(out, places(s, name, to, next, seen)...)
		}
	}
	return out
}
