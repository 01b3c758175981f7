package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rtbwire/rtbwire/spec"
)

var sprintf = fmt.Sprintf

func sortBy[T any, K cmp.Ordered](s []T, key func(T) K) {
	slices.SortFunc(s, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}

// types writes the objects of both specifications.
func types(d *spec.Data) []file {
	return slices.Concat(
		objects(d.OpenRTB, "openrtb", "openrtb", "OpenRTB "+edition(d.OpenRTB)),
		objects(d.Native, "openrtb/native", "native", "OpenRTB Native "+edition(d.Native)),
	)
}

// edition returns the version without the monthly release, which would change every comment.
func edition(s *spec.Spec) string {
	version, _, _ := strings.Cut(s.Version, "-")
	return version
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
	f.comment("", "")
	since := o.Since() // if all fields share it
	if since != "" {
		f.comment("", sprintf("Section %s of %s. Since %s.", o.Section, title, since))
	} else {
		f.comment("", sprintf("Section %s of %s.", o.Section, title))
	}
	f.printf("type %s struct {\n", o.Go)
	for i, field := range o.Fields {
		if i > 0 {
			f.printf("\n")
		}
		f.comment("\t", field.Doc+" "+facts(s, o, field))
		if text := deprecation(o, field); text != "" {
			f.printf("\t//\n")
			f.comment("\t", "Deprecated: "+text)
		}
		f.printf("\t%s %s `json:\"%s,omitempty\"`\n", field.Go, goType(s, field), field.JSON)
	}
	f.printf("}\n\n")
}

// deprecation says since when a field is not to be used, and what instead; "" if it may be used.
func deprecation(o *spec.Object, f *spec.Field) string {
	var text string
	switch {
	case f.RemovedIn != "":
		text = "removed from the specification in " + f.RemovedIn
	case f.DeprecatedSince != "":
		text = "by the specification since " + f.DeprecatedSince
	case f.Deprecated:
		text = "by the specification"
	default:
		return ""
	}
	if r := o.Field(f.ReplacedBy); r != nil {
		text += "; use " + r.Go
	}
	return text + "."
}

// facts words the facts of the data about a field, in the same order for all fields: whether it is
// required, its unit, values, format, list, taxonomy and default, what absence means, the version
// that added it, and where it was before. It leaves out facts that the sentences before it contain,
// which it recognises by their words.
func facts(s *spec.Spec, o *spec.Object, f *spec.Field) string {
	said := words(f.Doc)
	var out []string
	add := func(format string, args ...any) { out = append(out, sprintf(format, args...)) }
	if f.Required {
		add("Required.")
	}
	if f.RequiredIf != "" {
		add("Required if %s.", f.When)
	}
	if f.Recommended {
		add("Recommended.")
	}
	if f.Unit != "" && !strings.Contains(f.Doc, strings.TrimPrefix(f.UnitName, "price ")) {
		add("Unit: %s.", f.UnitName)
	}
	if f.Flag && f.List == "" && !(said["0"] && said["1"]) {
		add("Values: 0 or 1.")
	}
	if (f.Min != nil || f.Max != nil) && f.List == "" { // a list has its own limits
		add("Range: %s.", rangeText(f.Min, f.Max))
	}
	if f.FormatName != "" {
		add("Format: %s.", f.FormatName)
	}
	if f.List != "" {
		add("List: %s.", f.List)
	}
	if f.TaxonomyField != "" && !said[f.TaxonomyField] {
		add("Taxonomy: see %s.", f.TaxonomyField)
	}
	if text := defaultText(f); text != "" {
		if v := defaultValue(s, f); v != nil && !said[text] {
			text += " (" + v.Label + ")"
		}
		add("Default: %s.", text)
	} else if f.AbsentVsZero == "differs" && !said["absent"] {
		add("Absent means unknown, not 0.")
	}
	if f.Since != "" && f.Since != spec.BeforeRecords && o.Since() == "" {
		add("Since %s.", f.Since)
	}
	if before := s.LegacyPlaces(o, f); len(before) > 0 {
		var places []string
		for _, m := range before {
			places = append(places, m.Object+"."+m.From)
		}
		add("Earlier place: %s; [ConvertTo26] moves it.", strings.Join(places, " or "))
	}
	if f.Provisional {
		add("Provisional: not in a released list yet.")
	}
	return strings.Join(out, " ")
}

// words is the set of words of a text, in lower case and without punctuation.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	}) {
		set[w] = true
	}
	return set
}

// defaultText is the default of a field as text, or "".
func defaultText(f *spec.Field) string {
	if len(f.Default) == 0 || string(f.Default) == "null" {
		return ""
	}
	var text string
	if json.Unmarshal(f.Default, &text) != nil {
		text = string(f.Default)
	}
	return text
}

// defaultValue is the entry of the default in the field's list, or nil.
func defaultValue(s *spec.Spec, f *spec.Field) *spec.ListValue {
	l := s.List(f.List)
	code, err := strconv.Atoi(defaultText(f))
	if l == nil || err != nil {
		return nil
	}
	return l.Value(code)
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

// goType applies the rules of the decoding contract: optional scalars are pointers (required
// numbers too, because an absent price is not a price of 0), objects are pointers, arrays are
// slices, ext keeps its bytes.
func goType(s *spec.Spec, f *spec.Field) string {
	var elem string
	switch {
	case f.Type == "ext", f.ObjectName() == "any":
		return "json.RawMessage"
	case f.ObjectName() != "":
		elem = s.Object(f.ObjectName()).Go
	case f.List != "" && f.Type == "integer":
		elem = "adcom." + s.List(f.List).Go
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
		panic("field " + f.JSON + " has the type " + f.Type + ", which func goType of specgen does not know")
	}
	if f.Array {
		return "[]" + elem
	}
	return "*" + elem
}
