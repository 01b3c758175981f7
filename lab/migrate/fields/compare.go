package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// result is what differs. Fields are named as in the other package, except those that only rtbwire
// has.
type result struct {
	theirs, ours *model

	types, fields, same int // compared; fields of the same name and type
	renamedTypes        [][2]string
	renamedFields       [][2]string            // "Bid.BURL", "BUrl"
	retyped             map[[2]string][]string // by the two kinds
	onlyThere, onlyHere []string
}

// compare pairs types by name, or else by their keys, and fields by key.
func compare(theirs, ours *model) *result {
	r := &result{theirs: theirs, ours: ours, retyped: map[[2]string][]string{}}
	pairs := pair(theirs, ours)
	for _, a := range theirs.structs {
		b := pairs[a]
		if b == nil {
			r.onlyThere = append(r.onlyThere, a.name)
			continue
		}
		r.types++
		if a.name != b.name {
			r.renamedTypes = append(r.renamedTypes, [2]string{a.name, b.name})
		}
		r.objects(a, b)
	}
	for _, b := range ours.structs {
		if !slices.Contains(slices.Collect(maps.Values(pairs)), b) {
			r.onlyHere = append(r.onlyHere, b.name)
		}
	}
	return r
}

// objects compares the fields of two types.
func (r *result) objects(a, b *object) {
	for _, f := range a.fields {
		g := b.field(f.key)
		if g == nil {
			r.onlyThere = append(r.onlyThere, a.name+"."+f.name)
			continue
		}
		r.fields++
		if f.name != g.name {
			r.renamedFields = append(r.renamedFields, [2]string{a.name + "." + f.name, g.name})
		}
		kinds := [2]string{r.theirs.kind(f.typ), r.ours.kind(g.typ)}
		if kinds[0] != kinds[1] {
			r.retyped[kinds] = append(r.retyped[kinds], a.name+"."+f.name)
		} else if f.name == g.name {
			r.same++
		}
	}
	for _, g := range b.fields {
		if a.field(g.key) == nil {
			r.onlyHere = append(r.onlyHere, b.name+"."+g.name)
		}
	}
}

// pair finds the partner of each type: the one of the same name, or the one that shares most keys
// among those without a partner, if it shares more than half.
func pair(theirs, ours *model) map[*object]*object {
	pairs, taken := map[*object]*object{}, map[*object]bool{}
	for _, a := range theirs.structs {
		if b := ours.find(a.name); b != nil {
			pairs[a], taken[b] = b, true
		}
	}
	for _, a := range theirs.structs {
		if pairs[a] != nil {
			continue
		}
		var best *object
		most := 0
		for _, b := range ours.structs {
			n := 0
			for _, f := range a.fields {
				if f.key != "ext" && b.field(f.key) != nil {
					n++
				}
			}
			if !taken[b] && n > most && 2*n > max(len(a.fields), len(b.fields)) {
				best, most = b, n
			}
		}
		if best != nil {
			pairs[a], taken[best] = best, true
		}
	}
	return pairs
}

// group says what sort of change leads from one type to the other.
func group(from, to string) string {
	shapeA, elemA := split(from)
	shapeB, elemB := split(to)
	switch {
	case shapeA == "" && shapeB == "*":
		return "Value → pointer"
	case shapeA == "*" && shapeB == "":
		return "Pointer → value"
	case shapeA != shapeB:
		return "Other shape"
	case strings.HasPrefix(elemB, "code"):
		return "Number → list of codes"
	case strings.HasPrefix(elemA, "int") && elemB == "int":
		return "Sized integer → int"
	}
	return "Other element"
}

// markdown writes the page.
func (r *result) markdown() string {
	var b strings.Builder
	changed := 0
	groups := map[string][][2]string{}
	for _, kinds := range slices.SortedFunc(maps.Keys(r.retyped), func(x, y [2]string) int {
		return cmp.Or(len(r.retyped[y])-len(r.retyped[x]), cmp.Compare(x[0]+x[1], y[0]+y[1]))
	}) {
		changed += len(r.retyped[kinds])
		name := group(kinds[0], kinds[1])
		groups[name] = append(groups[name], kinds)
	}
	fmt.Fprintf(&b, "# From %s to %s\n\n", r.theirs.name, r.ours.name)
	fmt.Fprintf(&b, "| | types | fields |\n| --- | --- | --- |\n| in both | %d | %d |\n| of another name | %d | %d |\n", r.types, r.fields, len(r.renamedTypes), len(r.renamedFields))
	fmt.Fprintf(&b, "| of another type | | %d |\n| of the same name and type | | %d |\n", changed, r.same)
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(&b, "\n## %s\n\n| before | after | fields |\n| --- | --- | --- |\n", name)
		for _, kinds := range groups[name] {
			fmt.Fprintf(&b, "| `%s` | `%s` | %d: %s |\n", kinds[0], kinds[1], len(r.retyped[kinds]), strings.Join(r.retyped[kinds], ", "))
		}
	}
	if len(r.renamedTypes)+len(r.renamedFields) > 0 {
		b.WriteString("\n## Renamed\n\n| before | after |\n| --- | --- |\n")
		for _, p := range slices.Concat(r.renamedTypes, r.renamedFields) {
			fmt.Fprintf(&b, "| %s | %s |\n", p[0], p[1])
		}
	}
	for _, part := range []struct {
		title string
		names []string
	}{{"Only in " + r.theirs.name, r.onlyThere}, {"Only in " + r.ours.name, r.onlyHere}} {
		if len(part.names) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n%s.\n", part.title, strings.Join(part.names, ", "))
		}
	}
	if script := r.script(); script != "" {
		fmt.Fprintf(&b, "\n## The mechanical part\n\n    %s\n\nRead the diff: these commands rename selectors of other types too. The compiler finds the rest, reads\nof pointers and keys of literals for instance.\n", strings.ReplaceAll(script, "\n", "\n    "))
	}
	return b.String()
}

// script returns the commands that rename types, the package (its import is replaced by hand) and
// fields. It leaves out a field that keeps its name in another type.
func (r *result) script() string {
	var lines []string
	gofmt := func(from, to string) { lines = append(lines, fmt.Sprintf("gofmt -w -r '%s -> %s' .", from, to)) }
	for _, p := range r.renamedTypes {
		gofmt(r.theirs.name+"."+p[0], r.ours.name+"."+p[1])
	}
	if r.theirs.name != r.ours.name {
		lines = append(lines, fmt.Sprintf(`find . -name '*.go' -exec sed -i 's/\b%s\./%s./g' {} +`, r.theirs.name, r.ours.name))
	}
	renames := map[string]map[string]bool{}
	for _, p := range r.renamedFields {
		_, name, _ := strings.Cut(p[0], ".")
		if renames[name] == nil {
			renames[name] = map[string]bool{}
		}
		renames[name][p[1]] = true
	}
	for _, o := range r.theirs.structs {
		for _, f := range o.fields {
			if len(renames[f.name]) > 0 && !slices.ContainsFunc(r.renamedFields, func(p [2]string) bool { return p[0] == o.name+"."+f.name }) {
				delete(renames, f.name) // another type keeps the name
			}
		}
	}
	// A name that is the new one of another field is renamed first, so that no field is renamed
	// twice.
	var rename func(name string)
	rename = func(name string) {
		targets := renames[name]
		delete(renames, name)
		if len(targets) == 1 {
			for to := range targets {
				rename(to)
				gofmt("a."+name, "a."+to)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(renames)) {
		rename(name)
	}
	return strings.Join(lines, "\n")
}
