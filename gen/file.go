package gen

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"go/types"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/rtbwire/rtbwire/wire/coder"
)

//go:embed templates/*.tmpl
var templates embed.FS

// file is what templates/file.tmpl writes a file from.
type file struct {
	*model
	Command    string
	GenVersion int
	Internal   bool
	Keep       string // codec memory to keep, as an expression
	Roots      []*root
}

// root is a type that whole documents decode to.
type root struct {
	*structType
	names
	Bundle        []bundleSlot
	BundleTouched string // the bits of codec.touched for the slabs with slots in the bundle
}

// bundleSlot is a field of a bundle.
type bundleSlot struct {
	BundleSlot
	Field, Slab string // names of the bundle's field and of the codec's
}

// render returns the text of the file.
func (m *model) render(c Config) ([]byte, error) {
	f := &file{model: m, Command: c.Command, GenVersion: coder.GenVersion, Internal: c.Internal, Keep: bytesExpression(c.KeepBytes)}
	for _, st := range m.Roots {
		f.Roots = append(f.Roots, f.root(st, c))
	}
	parsed, err := template.New("").Funcs(template.FuncMap{
		"local": c.local,
		"pkg":   func() string { return m.Pkg },
		"bit":   func(i int) int { return i % touchedBits },
	}).ParseFS(templates, "templates/*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("gen: %w", err)
	}
	var out bytes.Buffer
	if err := parsed.ExecuteTemplate(&out, "file.tmpl", f); err != nil {
		return nil, fmt.Errorf("gen: %w", err)
	}
	src, err := format.Source(wrapComments(out.Bytes()))
	if err != nil {
		return nil, fmt.Errorf("gen: a bug in gen: the generated code has a syntax error: %w\n%s", err, numbered(out.Bytes()))
	}
	return src, nil
}

// bytesExpression writes a power of two as a shift.
func bytesExpression(n int) string {
	for shift := 1; shift < 31; shift++ {
		if n == 1<<shift {
			return fmt.Sprintf("1 << %d", shift)
		}
	}
	return fmt.Sprint(n)
}

func (f *file) root(st *structType, c Config) *root {
	r := &root{structType: st, names: namesOf(st.Name, c)}
	if ext := st.Ext(); ext != nil && !c.Internal {
		ext.Type.place = true
	}
	var touched []string
	for _, s := range c.Bundle[st.Name] {
		if slices.ContainsFunc(f.Structs, func(st *structType) bool { return st.Name == s.Type }) {
			touched = append(touched, "1<<"+c.local("touch")+s.Type)
		}
		slab := s.Type // of a struct, exported or not
		if types.Universe.Lookup(slab) != nil {
			slab = exported(slab)
		}
		r.Bundle = append(r.Bundle, bundleSlot{s, "of" + exported(s.Type), "slab" + slab})
	}
	r.BundleTouched = strings.Join(touched, " | ")
	return r
}

// Imports lists the import lines in order: the standard library, an empty line, the others.
func (f *file) Imports() (lines []string) {
	standard := map[string]bool{"math/bits": true, "sync": true}
	if !f.Internal {
		standard["io"], standard["sync/atomic"] = true, true
	}
	others := map[string]bool{"github.com/rtbwire/rtbwire/wire": true, "github.com/rtbwire/rtbwire/wire/coder": true}
	for _, r := range f.Roots {
		if r.Lacks("WriteTo") {
			standard["io"] = true
		}
		if r.Ext() != nil && !f.Internal {
			others["github.com/rtbwire/rtbwire/wire/splice"] = true
		}
	}
	for path := range f.imports {
		switch first, _, _ := strings.Cut(path, "/"); {
		case path == "encoding/json": // RawMessage fields take []byte as it is
		case strings.Contains(first, "."):
			others[path] = true
		default:
			standard[path] = true
		}
	}
	for _, path := range slices.Sorted(maps.Keys(standard)) {
		lines = append(lines, fmt.Sprintf("%q", path))
	}
	lines = append(lines, "")
	for _, path := range slices.Sorted(maps.Keys(others)) {
		lines = append(lines, fmt.Sprintf("%q", path))
	}
	return lines
}

// scalarSlab is a field of the codec.
type scalarSlab struct {
	Name, Elem  string
	HasPointers bool // whether a slot that is not cleared keeps memory alive
}

// ScalarSlabs lists the slabs of scalars in order.
func (m *model) ScalarSlabs() []scalarSlab {
	used := map[scalarSlab]bool{}
	for _, st := range m.Structs {
		for _, f := range st.Fields {
			if s := f.Type.slab(); s.Name != "" {
				used[s] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(used), func(a, b scalarSlab) int { return strings.Compare(a.Name+" "+a.Elem, b.Name+" "+b.Elem) })
}

// touchedBits is how many bits codec.touched has. Slabs of more struct types share them.
const touchedBits = 64

// touched is a switch over the bits of codec.touched.
type touched struct {
	Method string
	Cases  []touchedCase
}

type touchedCase struct {
	Bit     int
	Structs []*structType
}

// Touched calls a method on each slab of objects that is in use.
func (m *model) Touched(method string) touched {
	t := touched{Method: method}
	for bit := range min(touchedBits, len(m.Structs)) {
		c := touchedCase{Bit: bit}
		for i := bit; i < len(m.Structs); i += touchedBits {
			c.Structs = append(c.Structs, m.Structs[i])
		}
		t.Cases = append(t.Cases, c)
	}
	return t
}

// Arrays lists the types of arrays of objects, one field type of each.
func (m *model) Arrays() (out []*fieldType) {
	seen := map[string]bool{}
	for _, st := range m.Structs {
		for _, f := range st.Fields {
			if t := &f.Type; (t.IsObjects() || t.IsPointers()) && !seen[t.ArrayFunc()] {
				seen[t.ArrayFunc()] = true
				out = append(out, t)
			}
		}
	}
	return out
}
