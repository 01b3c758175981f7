package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// api writes the functions that programs call, for each root type.
func (w *writer) api() {
	w.printf(`// keepBytes is how much memory a decoder keeps for the next document. One that a rare huge
// document has made larger is let go.
const keepBytes = 1 << 20

// recycle makes the memory of the last document free, or lets go of it if it is too much.
func (c *codec) recycle() {
	if c.r.Retained() > keepBytes {
		c.drop()
	} else {
		c.reset()
	}
	c.r.Reset()
}

// detached holds codecs without memory of their own: what they decode keeps it.
var detached = sync.Pool{New: func() any { return new(codec) }}

`)
	for _, root := range w.model.roots {
		parse, name := "Parse", root.name
		newDecoder, clone := "New", "Clone"
		if !token.IsExported(name) {
			parse, newDecoder, clone = "parse", "new", "clone"
		}
		w.apiOf(root.name, parse+exported(name), newDecoder+exported(name)+"Decoder", clone+exported(name)+"Value")
	}
}

// apiOf writes the functions for one root type.
func (w *writer) apiOf(t, parse, newDecoder, clone string) {
	decoder := t + "Decoder"
	r := strings.NewReplacer("TYPE", t, "PARSE", parse, "NEWDECODER", newDecoder, "DECODER", decoder, "CLONE", clone)
	w.WriteString(r.Replace(`// PARSE decodes one document. The result owns all of its memory: it stays valid for ever,
// whatever becomes of data. It costs one copy of the text and few allocations. On failure the
// error is a [*wire.Error] with a code, an offset and a path.
func PARSE(data []byte) (*TYPE, error) { return PARSEFast(append([]byte(nil), data...)) }

// PARSEFast is [PARSE] without the copy: strings and raw values of the result point into data,
// which has to stay as it is for as long as the result, or a part of it, is in use.
func PARSEFast(data []byte) (*TYPE, error) {
	c := detached.Get().(*codec)
	b := new(bundleTYPE)
	c.useTYPE(b)
	err := c.parseTYPE(&b.root, data)
	c.detach()
	if c.r.Retained() <= keepBytes {
		detached.Put(c)
	}
	if err != nil {
		return nil, err
	}
	return &b.root, nil
}

// DECODER decodes one document after another in memory of its own: once warm it allocates
// nothing. One goroutine at a time may use it. The zero value has the default options.
type DECODER struct {
	c     codec
	value TYPE
}

// NEWDECODER returns a decoder with the options: [wire.Strict] or [wire.Lenient] for the mode,
// and limits of depth, size, elements and memory. Later options win.
func NEWDECODER(opts ...wire.Option) *DECODER {
	d := new(DECODER)
	d.c.r.Configure(opts...)
	return d
}

// Decode decodes one document. The result and everything in it is valid until the next Decode
// of this decoder, or until data is changed; [CLONE] keeps it longer.
func (d *DECODER) Decode(data []byte) (*TYPE, error) {
	d.Reset()
	if err := d.c.parseTYPE(&d.value, data); err != nil {
		return nil, err
	}
	return &d.value, nil
}

// Saved lists what lenient mode has put right in the last document. The slice is valid until
// the next Decode.
func (d *DECODER) Saved() []wire.Saved { return d.c.r.Saved() }

// Reset ends the validity of the last result and lets go of its text.
func (d *DECODER) Reset() {
	var zero TYPE
	d.value = zero
	d.c.recycle()
}

// CLONE returns a copy that shares no memory with the document or a decoder.
func CLONE(v *TYPE) *TYPE {
	out := new(TYPE)
	cloneTYPE(out, v)
	return out
}

`))
}

// conflict reports a name of the generated file that the package uses for something else.
func (m *model) conflict(src []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("gen: %w", err)
	}
	for _, name := range declared(file) {
		if at, ok := m.taken[name.Name]; ok {
			return fmt.Errorf("gen: %s:%d: the package declares %s, a name that the generated file needs; rename it",
				filepath.Base(at.Filename), at.Line, name.Name)
		}
	}
	return doubled(file)
}

// doubled reports a name that the types would give to two fields or methods of the codec, as
// String does, which is called as the slab of strings.
func doubled(file *ast.File) error {
	seen := map[string]bool{}
	for _, d := range file.Decls {
		var names []*ast.Ident
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && receiver(d) == "codec" {
				names = append(names, d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				t, ok := s.(*ast.TypeSpec)
				if !ok || t.Name.Name != "codec" {
					continue
				}
				for _, f := range t.Type.(*ast.StructType).Fields.List {
					names = append(names, f.Names...)
				}
			}
		}
		for _, name := range names {
			if seen[name.Name] {
				return fmt.Errorf("gen: two things in the generated file would be called %s; rename the type that it is named after", name.Name)
			}
			seen[name.Name] = true
		}
	}
	return nil
}

// receiver is the type whose method f is.
func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if name, ok := t.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// declared lists the names that a file adds to its package.
func declared(file *ast.File) (names []*ast.Ident) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "init" {
				names = append(names, d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name)
				case *ast.ValueSpec:
					names = append(names, s.Names...)
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(n *ast.Ident) bool { return n.Name == "_" })
}
