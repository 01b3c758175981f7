package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/spec"
)

var sprintf = fmt.Sprintf

func sortBy[T any, K cmp.Ordered](s []T, key func(T) K) {
	slices.SortFunc(s, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}

// types writes the objects of both specifications.
func types() []file {
	return slices.Concat(
		objects(spec.OpenRTB(), "openrtb", "openrtb", "OpenRTB 2.6-202606"),
		objects(spec.Native(), "openrtb/native", "native", "OpenRTB Native 1.2"),
	)
}

// objects writes one file per family of objects.
func objects(s *spec.Spec, dir, pkg, title string) []file {
	byFamily := map[string][]*spec.Object{}
	var families []string
	for _, o := range s.Objects {
		if byFamily[o.Family] == nil {
			families = append(families, o.Family)
		}
		byFamily[o.Family] = append(byFamily[o.Family], o)
	}
	var out []file
	for _, family := range families {
		var std, own []string
		for _, o := range byFamily[family] {
			for _, f := range o.Fields {
				if goType(s, f) == "json.RawMessage" {
					std = []string{"encoding/json"}
				}
				if f.List != "" {
					own = []string{"github.com/rtbwire/rtbwire/adcom"}
				}
			}
		}
		if len(std) > 0 && len(own) > 0 {
			std = append(std, "")
		}
		f := newFile(dir+"/types_"+family+".go", pkg, title+", "+sections(byFamily[family]), slices.Concat(std, own)...)
		for _, o := range byFamily[family] {
			object(f, s, o, title)
		}
		out = append(out, *f)
	}
	return out
}

func sections(objects []*spec.Object) string {
	var names []string
	for _, o := range objects {
		names = append(names, o.Section)
	}
	return "sections " + strings.Join(names, ", ")
}

func object(f *file, s *spec.Spec, o *spec.Object, title string) {
	f.comment("", o.Go+" "+o.Doc)
	f.printf("//\n// Section %s of %s.\n", o.Section, title)
	f.printf("type %s struct {\n", o.Go)
	for i, field := range o.Fields {
		if i > 0 {
			f.printf("\n")
		}
		f.comment("\t", field.Doc+" "+facts(field, o))
		if field.Deprecated {
			since := ""
			if field.DeprecatedSince != "" {
				since = " since " + field.DeprecatedSince
			}
			instead := ""
			if r := o.Field(field.ReplacedBy); r != nil {
				instead = "; use " + r.Go
			}
			f.printf("\t//\n")
			f.comment("\t", "Deprecated: by the specification"+since+instead+".")
		}
		f.printf("\t%s %s `json:\"%s,omitempty\"`\n", field.Go, goType(s, field), field.JSON)
	}
	f.printf("}\n\n")
}

// facts says what the data knows of a field, in one order for all fields.
func facts(f *spec.Field, o *spec.Object) string {
	var out []string
	add := func(format string, args ...any) { out = append(out, sprintf(format, args...)) }
	if f.Required {
		add("Required.")
	}
	if f.RequiredIf != "" {
		add("Required if %s.", f.RequiredIf)
	}
	if f.Recommended {
		add("Recommended.")
	}
	if f.Unit != "" {
		add("Unit: %s.", units[f.Unit])
	}
	if f.Flag {
		add("Values: 0 or 1.")
	}
	if f.Min != nil || f.Max != nil {
		add("Range: %s.", rangeText(f.Min, f.Max))
	}
	if f.Format != "" {
		add("Format: %s.", f.Format)
	}
	if f.List != "" {
		add("List: %s.", f.List)
	}
	if f.TaxonomyField != "" {
		if t := o.Field(f.TaxonomyField); t != nil {
			add("Taxonomy: see %s.", t.Go)
		}
	}
	if len(f.Default) > 0 && string(f.Default) != "null" {
		var text string
		if json.Unmarshal(f.Default, &text) != nil {
			text = string(f.Default)
		}
		add("Default: %s.", text)
	} else if f.AbsentVsZero == "differs" {
		add("Absent means unknown, not 0.")
	}
	if f.Note != "" {
		add("%s", sentence(f.Note))
	}
	if f.Since != "" && f.Since != "pre-2.5" {
		add("Since %s.", f.Since)
	}
	if f.Provisional {
		add("Provisional: not in a released list yet.")
	}
	return strings.Join(out, " ")
}

var units = map[string]string{
	"s": "seconds", "ms": "milliseconds", "min": "minutes", "dip": "device-independent pixels",
	"px": "physical pixels", "kbps": "kilobits per second", "m": "metres", "deg": "degrees",
	"cpm": "price per thousand impressions", "cpm/s": "price per thousand impressions and second",
	"ppi": "pixels per inch",
}

func rangeText(lo, hi *float64) string {
	switch {
	case hi == nil:
		return sprintf("%v and above", *lo)
	case lo == nil:
		return sprintf("up to %v", *hi)
	}
	return sprintf("%v to %v", *lo, *hi)
}

// goType applies the rules of the decoding contract: optional scalars are pointers (a
// required number too, because an absent price is not a price of 0), objects are pointers,
// arrays are slices, ext keeps its bytes.
func goType(s *spec.Spec, f *spec.Field) string {
	var elem string
	switch {
	case f.Type == "ext", f.ObjectName() == "any":
		return "json.RawMessage"
	case f.ObjectName() != "":
		elem = s.Object(f.ObjectName()).Go
	case f.List != "" && f.Type == "integer":
		elem = "adcom." + listOf(f).Go
	case f.Type == "integer":
		elem = "int"
	case f.Type == "float":
		elem = "float64"
	case f.Type == "string":
		if f.Array {
			return "[]string"
		}
		return "string"
	default:
		panic("field " + f.JSON + " has an unknown type " + f.Type)
	}
	if f.Array {
		return "[]" + elem
	}
	return "*" + elem
}

func listOf(f *spec.Field) *spec.List {
	for _, l := range spec.Lists() {
		if l.Name == f.List {
			return l
		}
	}
	panic("field " + f.JSON + " names a list that lists.json does not have: " + f.List)
}
