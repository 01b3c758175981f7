package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The files that Load reads; the facts of OpenRTB have their version in the name.
const (
	openRTBPattern = "openrtb-*.json"
	nativePattern  = "native-*.json"
	listsFile      = "lists.json"
	openRTBNames   = "names-openrtb.json"
	nativeNames    = "names-native.json"
	listNames      = "names-lists.json"
)

// Load reads the data from the root of fsys and checks that it is whole: every name and
// sentence is there, every reference leads somewhere, the counts are right. The error lists
// everything that is wrong, one line each, with what to change in which file.
func Load(fsys fs.FS) (*Data, error) {
	l := &loader{fsys: fsys}
	d := &Data{Lists: l.lists()}
	words := l.words()
	for _, load := range []func(){
		func() { d.OpenRTB = l.spec(openRTBPattern, openRTBNames, words, d.Lists) },
		func() { d.Native = l.spec(nativePattern, nativeNames, words, d.Lists) },
		func() { l.unusedWords(words, d) },
	} {
		if !l.unreadable { // else everything that refers to the file would be wrong as well
			load()
		}
	}
	if len(l.problems) > 0 {
		return nil, errors.New("spec: " + strings.Join(l.problems, "\nspec: "))
	}
	return d, nil
}

// Names files hold what the specification's tables do not: Go names and sentences.
type (
	objectNames struct {
		Go     string                `json:"go"`
		Family string                `json:"family"`
		Doc    string                `json:"doc"`
		Fields map[string]fieldNames `json:"fields"`
	}
	fieldNames struct {
		Go   string `json:"go"`
		Doc  string `json:"doc"`
		When string `json:"required_if"` // the field's required_if in words
	}
	listNamesOf struct {
		Go     string               `json:"go"`
		Doc    string               `json:"doc"`
		Values map[string]valueName `json:"values"`
	}
	valueName struct {
		Go  string `json:"go"`
		Doc string `json:"doc"`
	}
	// wordTables say what the short names of units and formats mean.
	wordTables struct {
		Units   map[string]string `json:"units"`
		Formats map[string]string `json:"formats"`
	}
)

type loader struct {
	fsys       fs.FS
	problems   []string
	unreadable bool
}

func (l *loader) problem(file, format string, args ...any) {
	l.problems = append(l.problems, file+": "+fmt.Sprintf(format, args...))
}

// read decodes a file; known refuses keys that v does not have, so that a slip of the pen in a
// names file is not taken for a missing name.
func (l *loader) read(name string, v any, known bool) bool {
	data, err := fs.ReadFile(l.fsys, name)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(data))
		if known {
			d.DisallowUnknownFields()
		}
		err = d.Decode(v)
		var syntax *json.SyntaxError
		var typ *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			err = fmt.Errorf("line %d: %w", lineOf(data, syntax.Offset), err)
		case errors.As(err, &typ):
			err = fmt.Errorf("line %d: %w", lineOf(data, typ.Offset), err)
		}
	}
	if err != nil {
		l.problem(name, "%v", err)
		l.unreadable = true
	}
	return err == nil
}

func lineOf(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
}

// theFile finds the one file of a pattern.
func (l *loader) theFile(pattern string) (string, bool) {
	names, err := fs.Glob(l.fsys, pattern)
	if err != nil || len(names) != 1 {
		l.problem(pattern, "there are %d such files, expected one: remove the older", len(names))
		l.unreadable = true
		return "", false
	}
	return names[0], true
}

func (l *loader) words() wordTables {
	var w struct {
		wordTables
		Objects json.RawMessage `json:"objects"`
	}
	l.read(openRTBNames, &w, true)
	return w.wordTables
}

func (l *loader) spec(pattern, names string, words wordTables, lists []*List) *Spec {
	file, ok := l.theFile(pattern)
	if !ok {
		return nil
	}
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
		l.fields(s, o, names, no.Fields, words)
	}
	for _, name := range slices.Sorted(maps.Keys(n.Objects)) {
		if s.Object(name) == nil {
			l.problem(names, "objects has %q, which %s has not (any more): remove it", name, file)
		}
	}
	l.rules(s)
	l.counts(s)
	return s
}

func (l *loader) fields(s *Spec, o *Object, names string, known map[string]fieldNames, words wordTables) {
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
		l.references(s, o, f, words)
	}
	for _, key := range slices.Sorted(maps.Keys(known)) {
		if o.Field(key) == nil {
			l.problem(names, "objects.%s.fields has %q, which %s has not (any more): remove it", o.Name, key, s.File)
		}
	}
}

// references checks what a field refers to.
func (l *loader) references(s *Spec, o *Object, f *Field, words wordTables) {
	at := o.Name + "." + f.JSON
	switch {
	case f.Type == "string", f.Type == "integer", f.Type == "float", f.Type == "ext", f.Type == "object:any":
	case f.ObjectName() != "" && s.Object(f.ObjectName()) != nil:
	default:
		l.problem(s.File, "%s has the type %q: expected string, integer, float, ext, object:any or object:NAME with an object of this file", at, f.Type)
	}
	if f.List != "" && listByName(s.lists, f.List) == nil {
		l.problem(listsFile, "%s of %s names the list %q: add it here, or correct the name there", at, s.File, f.List)
	}
	for _, key := range []string{f.ReplacedBy, f.TaxonomyField} {
		if key != "" && o.Field(key) == nil {
			l.problem(s.File, "%s refers to %q, which %s has not", at, key, o.Name)
		}
	}
	var ok bool
	if f.UnitName, ok = words.Units[f.Unit]; !ok && f.Unit != "" {
		l.problem(openRTBNames, `units has no %q, which %s has: add %q: "..."`, f.Unit, at, f.Unit)
	}
	if f.FormatName, ok = words.Formats[f.Format]; !ok && f.Format != "" {
		l.problem(openRTBNames, `formats has no %q, which %s has: add %q: "...", empty if the sentences of the fields say it`, f.Format, at, f.Format)
	}
}

// subjects are what rules speak of beside the objects: every object, the transport, and the
// macros in markup and notices.
var subjects = map[string]bool{"*": true, "HTTP": true, "Macros": true}

// rules checks what the rules refer to, and the formats.
func (l *loader) rules(s *Spec) {
	seen := map[string]bool{}
	for _, r := range s.Rules {
		if seen[r.ID] {
			l.problem(s.File, "rule %s is there twice", r.ID)
		}
		seen[r.ID] = true
		if !subjects[r.Object] && s.Object(r.Object) == nil {
			l.problem(s.File, "rule %s is about %q, which is no object of this file", r.ID, r.Object)
		}
		c := r.Check
		if c == nil {
			continue
		}
		if c.List != "" && listByName(s.lists, c.List) == nil {
			l.problem(listsFile, "rule %s of %s names the list %q: add it here, or correct the name there", r.ID, s.File, c.List)
		}
		if _, ok := s.Formats[c.Format]; c.Format != "" && !ok {
			l.problem(s.File, "rule %s names the format %q, which formats has not", r.ID, c.Format)
		}
	}
	for _, o := range s.Objects {
		for _, f := range o.Fields {
			if _, ok := s.Formats[f.Format]; f.Format != "" && !ok && s.Formats != nil { // Native has none of its own
				l.problem(s.File, "%s.%s names the format %q, which formats has not", o.Name, f.JSON, f.Format)
			}
		}
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

// unusedWords finds words for units and formats that nothing has.
func (l *loader) unusedWords(words wordTables, d *Data) {
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
	var all []string
	for name := range words.Units {
		all = append(all, "units."+name)
	}
	for name := range words.Formats {
		all = append(all, "formats."+name)
	}
	slices.Sort(all)
	for _, name := range all {
		if !used[name] {
			l.problem(openRTBNames, "no field has %s (any more): remove it", name)
		}
	}
}

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
		list.Go, list.Doc = nl.Go, nl.Doc
		at := "lists." + list.Name
		l.goName(listNames, at, list.Go, goNames)
		l.sentence(listNames, at, list.Doc)
		for i := range list.Values {
			v := &list.Values[i]
			code := strconv.Itoa(v.Value)
			nv, ok := nl.Values[code]
			if !ok {
				l.problem(listNames, `%s.values has no %q: add %q: {"go": %q, "doc": "..."}, which is %s`, at, code, code, list.Go+"...", v.Label)
				continue
			}
			v.Go, v.Doc = nv.Go, nv.Doc
			l.goName(listNames, at+".values."+code, v.Go, goNames)
			l.sentence(listNames, at+".values."+code, v.Doc)
		}
		for _, code := range slices.Sorted(maps.Keys(nl.Values)) {
			if n, err := strconv.Atoi(code); err != nil || list.Value(n) == nil {
				l.problem(listNames, "%s.values has %q, which %s has not (any more): remove it", at, code, listsFile)
			}
		}
		for _, r := range list.Ranges {
			if r.Min == nil || r.Max != nil && *r.Max < *r.Min {
				l.problem(listsFile, "a range of %s has no min, or a max below it", list.Name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names.Lists)) {
		if listByName(facts.Lists, name) == nil {
			l.problem(listNames, "lists has %q, which %s has not (any more): remove it", name, listsFile)
		}
	}
	return facts.Lists
}

// goName checks a name that is about to be declared; taken holds those of the same scope.
func (l *loader) goName(file, at, name string, taken map[string]string) {
	switch other, dup := taken[name]; {
	case !token.IsIdentifier(name) || !token.IsExported(name):
		l.problem(file, `%s has the Go name %q: expected an exported identifier`, at, name)
	case dup:
		l.problem(file, "%s has the Go name %s, which %s has too", at, name, other)
	default:
		taken[name] = at
	}
}

// sentence checks the text that becomes a doc comment.
func (l *loader) sentence(file, at, doc string) {
	if doc == "" || !strings.HasSuffix(doc, ".") || strings.TrimSpace(doc) != doc {
		l.problem(file, "%s has the doc %q: expected sentences that end with a full stop", at, doc)
	}
}

// suggest makes a Go name of a JSON key: private_auction becomes PrivateAuction.
func suggest(key string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(key, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}
