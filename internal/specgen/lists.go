package main

import (
	"strings"

	"github.com/rtbwire/rtbwire/spec"
)

// lists writes package adcom: a type, constants, String and Valid for every list.
func lists() []file {
	byOrigin := map[string]*file{}
	var order []string
	for _, l := range spec.Lists() {
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
	if l.Note != "" {
		about += " " + sentence(l.Note)
	}
	f.comment("", about)
	if l.Deprecated {
		f.printf("//\n")
		f.comment("", "Deprecated: the specification withdrew the list; it is kept for traffic that still uses it.")
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

	f.printf("// String returns the meaning of the code in a few words, or the type with the number for codes the list does not have.\n")
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

// validExpr joins neighbouring codes to ranges: two comparisons instead of a jump table.
func validExpr(l *spec.List) string {
	type span struct{ lo, hi int }
	const open = int(^uint32(0) >> 1)
	has := map[int]bool{}
	for _, v := range l.Values {
		has[v.Value] = true
	}
	var spans []span
	for _, r := range l.Ranges {
		s := span{*r.Min, open}
		if r.Max != nil {
			s.hi = *r.Max
		}
		spans = append(spans, s)
	}
	for n := range has {
		if has[n-1] {
			continue
		}
		end := n
		for has[end+1] {
			end++
		}
		spans = append(spans, span{n, end})
	}
	for merged := true; merged; { // a range may continue a run of codes
		merged = false
		for i := range spans {
			for j := range spans {
				if i != j && spans[i].hi != open && spans[i].hi+1 >= spans[j].lo && spans[i].lo <= spans[j].lo {
					spans[i].hi = max(spans[i].hi, spans[j].hi)
					spans = append(spans[:j], spans[j+1:]...)
					merged = true
					break
				}
			}
			if merged {
				break
			}
		}
	}
	sortBy(spans, func(s span) int { return s.lo })
	var terms []string
	for _, s := range spans {
		switch {
		case s.hi == open:
			terms = append(terms, sprintf("v >= %d", s.lo))
		case s.lo == s.hi:
			terms = append(terms, sprintf("v == %d", s.lo))
		default:
			terms = append(terms, sprintf("%d <= v && v <= %d", s.lo, s.hi))
		}
	}
	return strings.Join(terms, " || ")
}
