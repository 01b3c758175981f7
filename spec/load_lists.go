package spec

import (
	"maps"
	"slices"
	"strconv"
)

// lists reads the lists with their names.
func (l *loader) lists() []*List {
	var facts struct {
		Lists []*List `json:"lists"`
	}
	var names struct {
		Lists map[string]listNamesOf `json:"lists"`
	}
	if !l.read(listsFile, &facts, false) || !l.read(listNames, &names, true) {
		return nil
	}
	goNames := map[string]string{} // types and constants share the package's scope
	for _, list := range facts.Lists {
		nl, ok := names.Lists[list.Name]
		if !ok {
			l.problem(listNames, `lists has no %q: add %q: {"go": "...", "doc": "tells ...", "values": {...}}`, list.Name, list.Name)
			continue
		}
		l.list(list, nl, goNames)
	}
	for _, name := range slices.Sorted(maps.Keys(names.Lists)) {
		if listByName(facts.Lists, name) == nil {
			l.problem(listNames, "lists has %q, but %s does not: remove it", name, listsFile)
		}
	}
	return facts.Lists
}

// list gives one list and its values their names.
func (l *loader) list(list *List, names listNamesOf, goNames map[string]string) {
	list.Go, list.Doc = names.Go, names.Doc
	at := "lists." + list.Name
	l.goName(listNames, at, list.Go, goNames)
	l.sentence(listNames, at, list.Doc)
	for i := range list.Values {
		v := &list.Values[i]
		code := strconv.Itoa(v.Value)
		nv, ok := names.Values[code]
		if !ok {
			l.problem(listNames, `%s.values has no %q: add %q: {"go": %q, "doc": "..."}, which is %s`, at, code, code, list.Go+"...", v.Label)
			continue
		}
		v.Go, v.Doc = nv.Go, nv.Doc
		l.goName(listNames, at+".values."+code, v.Go, goNames)
		l.sentence(listNames, at+".values."+code, v.Doc)
	}
	for _, code := range slices.Sorted(maps.Keys(names.Values)) {
		if n, err := strconv.Atoi(code); err != nil || list.Value(n) == nil {
			l.problem(listNames, "%s.values has %q, but %s does not: remove it", at, code, listsFile)
		}
	}
	for _, r := range list.Ranges {
		if r.Min == nil || r.Max != nil && *r.Max < *r.Min {
			l.problem(listsFile, "a range of %s has no min, or a max below it", list.Name)
		}
	}
}
