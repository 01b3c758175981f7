package spec

import (
	"maps"
	"slices"
)

// spec reads one specification with its names. The rules are checked later, by rules.
func (l *loader) spec(file, names string, lists []*List) *Spec {
	s := &Spec{File: file, lists: lists}
	var n struct {
		wordTables
		Objects map[string]objectNames `json:"objects"`
	}
	if !l.read(file, s, false) || !l.read(names, &n, true) {
		return nil
	}
	types := map[string]string{}
	for _, o := range s.Objects {
		no, ok := n.Objects[o.Name]
		if !ok {
			l.problem(names, `objects has no %q: add %q: {"go": %q, "family": "...", "doc": "is ...", "fields": {...}}; the family is the file openrtb/types_FAMILY.go`, o.Name, o.Name, o.Name)
			continue
		}
		o.Go, o.Family, o.Doc = no.Go, no.Family, no.Doc
		at := "objects." + o.Name
		l.goName(names, at, o.Go, types)
		l.sentence(names, at, o.Doc)
		if o.Family == "" {
			l.problem(names, `%s has no family, which is the Go file of the type: add "family": "..."`, at)
		}
		l.fields(s, o, names, no.Fields)
	}
	for _, name := range slices.Sorted(maps.Keys(n.Objects)) {
		if s.Object(name) == nil {
			l.problem(names, "objects has %q, but %s does not: remove it", name, file)
		}
	}
	l.releases(s)
	return s
}

func (l *loader) fields(s *Spec, o *Object, names string, known map[string]fieldNames) {
	goNames := map[string]string{}
	for _, f := range o.Fields {
		at := "objects." + o.Name + ".fields." + f.JSON
		nf, ok := known[f.JSON]
		if !ok {
			l.problem(names, `objects.%s.fields has no %q: add %q: {"go": %q, "doc": "..."}`, o.Name, f.JSON, f.JSON, suggest(f.JSON))
			continue
		}
		f.Go, f.Doc, f.When = nf.Go, nf.Doc, nf.When
		l.goName(names, at, f.Go, goNames)
		l.sentence(names, at, f.Doc)
		if f.RequiredIf != "" && f.When == "" {
			l.problem(names, `%s has no required_if: add "required_if": "...", which says %q in words`, at, f.RequiredIf)
		}
		l.references(s, o, f)
	}
	for _, key := range slices.Sorted(maps.Keys(known)) {
		if o.Field(key) == nil {
			l.problem(names, "objects.%s.fields has %q, but %s does not: remove it", o.Name, key, s.File)
		}
	}
}

// references checks what a field refers to.
func (l *loader) references(s *Spec, o *Object, f *Field) {
	at := o.Name + "." + f.JSON
	switch {
	case f.Type == "string", f.Type == "integer", f.Type == "float", f.Type == "ext", f.Type == "object:any":
	case f.ObjectName() != "" && s.Object(f.ObjectName()) != nil:
	default:
		l.problem(s.File, "%s has the type %q: expected string, integer, float, ext, object:any or object:NAME with an object of this file", at, f.Type)
	}
	if f.List != "" && listByName(s.lists, f.List) == nil {
		l.problem(listsFile, "no list %q, which %s in %s names: add it, or correct the name there", f.List, at, s.File)
	}
	for _, key := range []string{f.ReplacedBy, f.TaxonomyField} {
		if key != "" && o.Field(key) == nil {
			l.problem(s.File, "%s refers to %q, but %s has no such field", at, key, o.Name)
		}
	}
	var ok bool
	if f.UnitName, ok = l.words.Units[f.Unit]; !ok && f.Unit != "" {
		l.problem(openRTBNames, `units has no %q, which %s has: add %q: "..."`, f.Unit, at, f.Unit)
	}
	if f.FormatName, ok = l.words.Formats[f.Format]; !ok && f.Format != "" {
		l.problem(openRTBNames, `formats has no %q, which %s has: add %q: "...", empty if the sentences of the fields say it`, f.Format, at, f.Format)
	}
	if _, ok := s.Formats[f.Format]; f.Format != "" && !ok && s.Formats != nil { // Native has none of its own
		l.problem(s.File, "%s names the format %q, which formats does not have", at, f.Format)
	}
}

// releases checks the versions that the facts name.
func (l *loader) releases(s *Spec) {
	if len(s.Releases) == 0 {
		return // Native has no change log
	}
	if last := s.Releases[len(s.Releases)-1].Version; last != s.Version {
		l.problem(s.File, "the last of releases is %s, but version is %s: correct the one that is wrong", last, s.Version)
	}
	check := func(at, version string) {
		known := func(r Release) bool { return r.Version == version }
		if version != "" && version != BeforeRecords && !slices.ContainsFunc(s.Releases, known) {
			l.problem(s.File, `%s is %q, but releases has no such version: add {"version": %q, "source": "..."}, or correct it`, at, version, version)
		}
	}
	for _, o := range s.Objects {
		for _, f := range o.Fields {
			check("since of "+o.Name+"."+f.JSON, f.Since)
			check("deprecated_since of "+o.Name+"."+f.JSON, f.DeprecatedSince)
			check("removed_in of "+o.Name+"."+f.JSON, f.RemovedIn)
		}
	}
	for _, m := range s.Legacy {
		check("since of "+m.Object+"."+m.From, m.Since)
	}
}

func (l *loader) counts(s *Spec) {
	fields := 0
	for _, o := range s.Objects {
		fields += len(o.Fields)
	}
	for _, c := range []struct {
		name      string
		said, are int
	}{{"objects", s.Counts.Objects, len(s.Objects)}, {"fields", s.Counts.Fields, fields}, {"rules", s.Counts.Rules, len(s.Rules)}} {
		if c.said != c.are {
			l.problem(s.File, "counts.%s is %d, but there are %d: correct the one that is wrong", c.name, c.said, c.are)
		}
	}
}

// unusedWords finds words for units and formats that no field has.
func (l *loader) unusedWords(d *Data) {
	used := map[string]bool{}
	for name := range d.OpenRTB.Formats {
		used["formats."+name] = true
	}
	for _, s := range []*Spec{d.OpenRTB, d.Native} {
		for _, o := range s.Objects {
			for _, f := range o.Fields {
				used["units."+f.Unit], used["formats."+f.Format] = true, true
			}
		}
	}
	for _, r := range d.OpenRTB.Rules {
		if r.Check != nil {
			used["expected."+r.Check.Format] = true
		}
	}
	var all []string
	for table, words := range map[string]map[string]string{"units": l.words.Units, "formats": l.words.Formats, "expected": l.words.Expected} {
		for name := range words {
			all = append(all, table+"."+name)
		}
	}
	slices.Sort(all)
	for _, name := range all {
		if !used[name] {
			l.problem(openRTBNames, "%s is not used: remove it", name)
		}
	}
}
