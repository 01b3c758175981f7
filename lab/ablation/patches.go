package ablation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// edit changes the text of one function of the decoder's runtime. The function is found by its
// name, whichever file it is in.
type edit struct {
	function string // "Slab.New" is a method of Slab
	old, new string // old occurs once in the function
}

// technique is something that makes the decoder fast, and how to build a decoder without it.
type technique struct {
	name  string
	edits []edit
	tags  string // build tags
}

// Code that "if true" makes unreachable is dropped by the compiler.
var techniques = []technique{
	{name: "guessed keys", edits: []edit{
		{"Order.Learn", "o.Mask = ^uint8(o.luck >> 7)", ""},
	}},
	{name: "slabs", edits: []edit{ // for objects and scalars; arrays need them
		{"Slab.New", "n, buf := s.n, s.buf", "if true {\n\t\treturn new(T)\n\t}\n\tn, buf := s.n, s.buf"},
		{"Slab.Put", "if s.n == len(s.buf) {", "if true {\n\t\treturn &v\n\t}\n\tif s.n == len(s.buf) {"},
	}},
	{name: "unsafe", tags: "nounsafe"},
}

// runtimeFolder has the decoder's runtime, below the root of the repository.
const runtimeFolder = "wire"

// overlay writes the patched files to a folder, and a file there that tells the go command to take
// them for the ones in the repository. It returns "" for a technique without edits.
func (t *technique) overlay(root, folder string) (file string, err error) {
	if t.edits == nil {
		return "", nil
	}
	patched := map[string][]byte{}
	for _, e := range t.edits {
		if err := e.apply(filepath.Join(root, runtimeFolder), patched); err != nil {
			return "", fmt.Errorf("without %s: %w", t.name, err)
		}
	}
	replace := map[string]string{}
	for name, text := range patched {
		absolute, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		copied := filepath.Join(folder, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(copied, text, 0o644); err != nil {
			return "", err
		}
		replace[absolute] = copied
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file = filepath.Join(folder, "overlay.json")
	return file, os.WriteFile(file, text, 0o644)
}

// apply changes the file with the function. patched has the text of files that were changed before.
func (e *edit) apply(folder string, patched map[string][]byte) error {
	found := 0
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, ok := patched[name]
		if !ok {
			if text, err = os.ReadFile(name); err != nil {
				return err
			}
		}
		begin, end, ok, err := find(name, text, e.function)
		if !ok || err != nil {
			return err
		}
		found++
		body := text[begin:end]
		if n := bytes.Count(body, []byte(e.old)); n != 1 {
			return fmt.Errorf("%q occurs %d times in %s of %s, want once", e.old, n, e.function, name)
		}
		changed := bytes.Replace(body, []byte(e.old), []byte(e.new), 1)
		patched[name] = bytes.Join([][]byte{text[:begin], changed, text[end:]}, nil)
		return nil
	})
	if err == nil && found != 1 {
		err = fmt.Errorf("%s is declared %d times below %s, want once", e.function, found, folder)
	}
	return err
}

// find returns the position of a function in a file.
func find(name string, text []byte, function string) (begin, end int, ok bool, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, false, err
	}
	for _, d := range file.Decls {
		if f, isFunc := d.(*ast.FuncDecl); isFunc && nameOf(f) == function {
			return files.Position(f.Pos()).Offset, files.Position(f.End()).Offset, true, nil
		}
	}
	return 0, 0, false, nil
}

// nameOf returns the name of a function, with that of its receiver in front.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr: // a type parameter
			receiver = t.X
		case *ast.Ident:
			return t.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}
