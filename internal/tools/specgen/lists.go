package main

import (
	"math"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/spec"
)

// lists writes package adcom: a type, constants, String and Valid for every list.
func lists(d *spec.Data) []file {
	byOrigin := map[string]*file{}
	var order []string
	for _, l := range d.Lists {
		origin, _, _ := strings.Cut(l.Name, ":")
		f := byOrigin[origin]
		if f == nil {
			f = newFile("adcom/lists_"+strings.ToLower(origin)+".go", "adcom", "spec/lists.json, lists "+origin+":*", "strconv")
			byOrigin[origin] = f
			order = append(order, origin)
		}
		list(f, l)
	}
	var out []file
	for _, origin := range order {
		out = append(out, *byOrigin[origin])
	}
	return out
}

func list(f *file, l *spec.List) {
	_, title, _ := strings.Cut(l.Name, ":")
	f.comment("", l.Go+" "+l.Doc)
	f.comment("", "")
	about := "List " + title + " of " + l.Source + "."
	if l.Open {
		about += " Codes of 500 and above are private to a vendor or an exchange."
	}
	if l.Note != "" && !l.Deprecated {
		about += " " + sentence(l.Note)
	}
	f.comment("", about)
	if l.Deprecated {
		note := l.Note
		if note == "" {
			note = "withdrawn by the specification"
		}
		f.comment("", "")
		f.comment("", "Deprecated: "+strings.TrimSuffix(note, ".")+".")
	}
	f.printf("type %s int\n\n", l.Go)

	f.printf("// The codes of [%s].\nconst (\n", l.Go)
	for _, v := range l.Values {
		text := v.Doc
		if v.Since != "" {
			text += " Since " + v.Since + "."
		}
		f.comment("\t", text)
		if v.Deprecated {
			f.printf("\t//\n\t// Deprecated: the list marks the code as deprecated.\n")
		}
		f.printf("\t%s %s = %d\n", v.Go, l.Go, v.Value)
	}
	f.printf(")\n\n")

	f.comment("", "String returns the meaning of the code in a few words, "+l.Go+"(n) for codes that the list does not have.")
	f.printf("func (v %s) String() string {\n\tswitch v {\n", l.Go)
	for _, v := range l.Values {
		f.printf("\tcase %s:\n\t\treturn %q\n", v.Go, v.Label)
	}
	f.printf("\t}\n\treturn %q + strconv.Itoa(int(v)) + \")\"\n}\n\n", l.Go+"(")

	f.printf("// Valid reports whether the list has the code%s.\n", validNote(l))
	f.printf("func (v %s) Valid() bool {\n\treturn %s\n}\n\n", l.Go, validExpr(l))
}

func validNote(l *spec.List) string {
	switch {
	case l.Open:
		return ", private ones included"
	case len(l.Ranges) > 0:
		return " or a range that holds it"
	}
	return ""
}

// span is a run of codes; hi is math.MaxInt if it is open.
type span struct{ lo, hi int }

// spans returns the codes and ranges of a list as sorted runs that do not touch.
func spans(l *spec.List) []span {
	var all []span
	for _, v := range l.Values {
		all = append(all, span{v.Value, v.Value})
	}
	for _, r := range l.Ranges {
		s := span{*r.Min, math.MaxInt}
		if r.Max != nil {
			s.hi = *r.Max
		}
		all = append(all, s)
	}
	sortBy(all, func(s span) int { return s.lo })
	var out []span
	for _, s := range all {
		if n := len(out); n > 0 && (out[n-1].hi == math.MaxInt || s.lo <= out[n-1].hi+1) {
			out[n-1].hi = max(out[n-1].hi, s.hi)
			continue
		}
		out = append(out, s)
	}
	return slices.Clip(out)
}

// validExpr returns an expression with two comparisons for each run, which beats a jump table.
func validExpr(l *spec.List) string {
	var terms []string
	for _, s := range spans(l) {
		switch {
		case s.hi == math.MaxInt:
			terms = append(terms, sprintf("v >= %d", s.lo))
		case s.lo == s.hi:
			terms = append(terms, sprintf("v == %d", s.lo))
		default:
			terms = append(terms, sprintf("%d <= v && v <= %d", s.lo, s.hi))
		}
	}
	return strings.Join(terms, " || ")
}
