package openrtb_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/spec"
)

// The model checker describes the Go types in terms of the specification (describe) and compares
// the description with the data, in both directions (checkModel). It has its own copy of the rules
// that turn a field into a Go type: it shares only the data with the generator.

// pkgDesc describes the types of a package that follow from a specification.
type pkgDesc struct {
	objects int // expected numbers, so that a loss of data shows
	fields  int
	types   map[string]*typeDesc
}

type typeDesc struct {
	doc    string // doc comment on one line
	fields map[string]*fieldDesc
	order  []string // Go names in the order of declaration
}

type fieldDesc struct {
	key        string // JSON name
	options    string // rest of the json tag
	shape      string // "", "*" or "[]"
	elem       string // what the shape is of: int, adcom.AuctionType, Imp
	doc        string // doc comment on one line, without the deprecation
	deprecated string // the paragraph that begins with Deprecated:
}

// describe reads the types that the roots refer to, and their comments in the source files of dir.
func describe(t *testing.T, dir string, roots ...reflect.Type) *pkgDesc {
	t.Helper()
	d := &pkgDesc{types: map[string]*typeDesc{}}
	for _, root := range roots {
		d.walk(root, root.PkgPath())
	}
	d.readSource(t, dir)
	return d
}

// walk adds a type and those that its fields refer to.
func (d *pkgDesc) walk(typ reflect.Type, pkg string) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || d.types[typ.Name()] != nil {
		return
	}
	desc := &typeDesc{fields: map[string]*fieldDesc{}}
	d.types[typ.Name()] = desc
	for f := range typ.Fields() {
		if !f.IsExported() {
			continue
		}
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		fd := &fieldDesc{key: key, options: options}
		elem := f.Type
		switch {
		case elem == reflect.TypeFor[json.RawMessage]():
		case elem.Kind() == reflect.Pointer:
			fd.shape, elem = "*", elem.Elem()
		case elem.Kind() == reflect.Slice:
			fd.shape, elem = "[]", elem.Elem()
		}
		fd.elem = strings.TrimPrefix(elem.String(), filepath.Base(pkg)+".")
		desc.fields[f.Name] = fd
		desc.order = append(desc.order, f.Name)
		d.walk(f.Type, pkg)
	}
}

// readSource adds the doc comments, and the types that no root refers to.
func (d *pkgDesc) readSource(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "types_*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no types_*.go in %q: %v", dir, err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, s := range gen.Specs {
				ts := s.(*ast.TypeSpec)
				desc := d.types[ts.Name.Name]
				if desc == nil && ts.Name.IsExported() {
					desc = &typeDesc{fields: map[string]*fieldDesc{}}
					d.types[ts.Name.Name] = desc
				}
				if desc != nil {
					desc.doc = oneLine(gen.Doc)
					desc.readFields(ts)
				}
			}
		}
	}
}

// readFields adds the doc comments of the fields.
func (desc *typeDesc) readFields(ts *ast.TypeSpec) {
	st, ok := ts.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range st.Fields.List {
		for _, name := range f.Names {
			fd := desc.fields[name.Name]
			if fd == nil {
				continue // not exported
			}
			text := f.Doc.Text()
			if before, after, found := strings.Cut(text, "\n\nDeprecated:"); found {
				text, fd.deprecated = before, strings.Join(strings.Fields("Deprecated:"+after), " ")
			}
			fd.doc = strings.Join(strings.Fields(text), " ")
		}
	}
}

func oneLine(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

// mismatch is one difference between specification and types.
type mismatch struct {
	at   string // "Imp.bidfloor" for a field, "Imp" for a type, "Imp.(Go)" for a field that only the type has
	what string
}

func (m mismatch) String() string { return m.at + ": " + m.what }

// checkModel compares the description of a package with a specification.
func checkModel(s *spec.Spec, d *pkgDesc) []mismatch {
	var out []mismatch
	report := func(at, format string, args ...any) { out = append(out, mismatch{at, fmt.Sprintf(format, args...)}) }
	known := map[string]bool{}
	fields := 0
	for _, o := range s.Objects {
		known[o.Go] = true
		fields += len(o.Fields)
		desc := d.types[o.Go]
		if desc == nil {
			report(o.Name, "no type %s", o.Go)
			continue
		}
		if !strings.HasPrefix(desc.doc, o.Go+" ") {
			report(o.Name, "the doc comment does not begin with the name of the type")
		}
		if !strings.Contains(desc.doc, "Section "+o.Section+" of ") {
			report(o.Name, "the doc comment does not name section %s", o.Section)
		}
		want := map[string]bool{}
		for _, f := range o.Fields {
			want[f.Go] = true
			at := o.Name + "." + f.JSON
			if fd := desc.fields[f.Go]; fd == nil {
				report(at, "no field %s.%s", o.Go, f.Go)
			} else {
				for _, what := range checkField(s, o, f, desc, fd) {
					report(at, "%s", what)
				}
			}
		}
		for _, name := range desc.order {
			if !want[name] {
				report(o.Name+".("+name+")", "the specification has no such field")
			}
		}
		if len(out) == 0 && !slices.EqualFunc(o.Fields, desc.order, func(f *spec.Field, name string) bool { return f.Go == name }) {
			report(o.Name, "the fields are not in the specification's order")
		}
	}
	for name := range d.types {
		if !known[name] {
			report("("+name+")", "the specification has no such object")
		}
	}
	if len(s.Objects) != d.objects || fields != d.fields {
		report("", "%d objects and %d fields, want %d and %d", len(s.Objects), fields, d.objects, d.fields)
	}
	return out
}

var sincePattern = regexp.MustCompile(`Since (\S+)\.( |$)`)

// checkField compares one field with the specification.
func checkField(s *spec.Spec, o *spec.Object, f *spec.Field, desc *typeDesc, fd *fieldDesc) (out []string) {
	wrong := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if fd.key != f.JSON {
		wrong("the JSON name is %q, want %q", fd.key, f.JSON)
	}
	if fd.options != "omitempty" {
		wrong("the json tag has the options %q, want omitempty", fd.options)
	}

	// Scalars and objects are pointers, required ones too; strings are plain, arrays are slices,
	// ext keeps its bytes.
	shape, elem := "*", ""
	switch object := f.ObjectName(); {
	case f.Type == "ext" || object == "any":
		shape, elem = "", "json.RawMessage"
	case object != "":
		elem = s.Object(object).Go
	case f.Type == "string":
		shape, elem = "", "string"
	case f.Type == "float":
		elem = "float64"
	case f.Type == "integer" && f.List != "":
		elem = "adcom." + s.List(f.List).Go
	case f.Type == "integer":
		elem = "int"
	}
	if f.Array {
		shape = "[]"
	}
	if fd.shape != shape || fd.elem != elem {
		wrong("the Go type is %s%s, want %s%s", fd.shape, fd.elem, shape, elem)
	}

	if fd.doc == "" {
		wrong("no doc comment")
	}
	if f.Required && !strings.Contains(fd.doc, "Required.") {
		wrong("the doc comment does not say that the field is required")
	}
	if f.List != "" && !strings.Contains(fd.doc, "List: "+f.List+".") {
		wrong("the doc comment does not name list %s", f.List)
	}
	if unwanted := f.Deprecated || f.RemovedIn != ""; unwanted != (fd.deprecated != "") {
		wrong("the specification says deprecated or removed: %v, the comment %q", unwanted, fd.deprecated)
	}
	if f.RemovedIn != "" && !strings.Contains(fd.deprecated, "removed from the specification in "+f.RemovedIn) {
		wrong("the deprecation does not say removed in %s", f.RemovedIn)
	}
	if f.DeprecatedSince != "" && !strings.Contains(fd.deprecated, " since "+f.DeprecatedSince) {
		wrong("the deprecation does not say since %s", f.DeprecatedSince)
	}
	if r := o.Field(f.ReplacedBy); r != nil && !strings.HasSuffix(fd.deprecated, "use "+r.Go+".") {
		wrong("the deprecation does not point to %s", r.Go)
	}
	for _, m := range s.Legacy {
		path := strings.Split(m.Object+"."+m.To, ".")
		last := strings.Join(path[len(path)-2:], ".") // BidRequest.source.schain is Source.schain
		if !strings.EqualFold(last, o.Name+"."+f.JSON) {
			continue
		}
		_, place, _ := strings.Cut(fd.doc, "Earlier place: ")
		place, _, _ = strings.Cut(place, "; [ConvertTo26] moves it.")
		if !slices.Contains(strings.Split(place, " or "), m.Object+"."+m.From) {
			wrong("the doc comment gives %q as its earlier place, without %s.%s", place, m.Object, m.From)
		}
	}

	// The version is in the comment of the type if all fields have the same.
	since := ""
	if f.Since != spec.BeforeRecords {
		since = f.Since
	}
	said := ""
	for _, doc := range []string{desc.doc, fd.doc} {
		if m := sincePattern.FindStringSubmatch(doc); m != nil {
			said += m[1]
		}
	}
	if said != since {
		wrong("the comments say since %q, want %q", said, since)
	}
	return out
}
