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

// edit changes the text of one function of a decoder. The function is found by its
// name, whichever file it is in.
type edit struct {
	function string // "Slab.New" is a method of Slab
	old, new string // old occurs once in the function
}

// technique is something that makes a decoder fast or slow, and how to build a decoder with or
// without it.
type technique struct {
	name   string
	edits  []edit
	tags   string // build tags
	engine string // that runs it, if it is not the design's
}

// design is a decoder, and what is changed of it.
type design struct {
	name, base string // the decoder as it is
	about      string
	engine     string
	folder     string // with the functions that are edited, below the root of the repository
	techniques []technique
	sets       []string // that are measured, unless flags say otherwise
}

// Code that "if true" makes unreachable is dropped by the compiler.
var designs = []design{{
	name: "rtbwire", base: "full", engine: "rtbwire-arena", folder: "wire",
	about: "ParseFastArena, without one of its techniques",
	sets:  []string{"banner", "video", "app", "app_indented", "escapes", "mixed"},
	techniques: []technique{
		{name: "no guessed keys", edits: []edit{
			{"Order.Learn", "o.Mask = ^uint8(o.luck >> 7)", ""},
		}},
		{name: "no slabs", edits: []edit{ // for objects and scalars; arrays need them
			{"Slab.New", "n, buf := s.n, s.buf", "if true {\n\t\treturn new(T)\n\t}\n\tn, buf := s.n, s.buf"},
			{"Slab.Put", "if s.n == len(s.buf) {", "if true {\n\t\treturn &v\n\t}\n\tif s.n == len(s.buf) {"},
		}},
		{name: "no unsafe", tags: "nounsafe"},
	},
}, {
	name: "classic", base: "fast", engine: "handwritten-fast", folder: "lab/handwritten",
	about: "the classic decoder by hand, without an arena, with one thing changed",
	sets:  []string{"banner", "banner_indented", "app", "mixed"},
	techniques: []technique{
		{name: "atoi", edits: []edit{ // the digits are found first, and then given to strconv
			{"decoder.integer", "v = v*10 + int(d.b[p]-'0')", ""},
			{"decoder.integer", "d.p = p", "d.p = p\n\tv, _ = strconv.Atoi(string(d.b[start:p]))"},
		}},
		{name: "byte loop", edits: []edit{
			{"decoder.str", "stopbyte.Index(", "stopbyte.IndexRef("},
			{"decoder.escaped", "stopbyte.Index(", "stopbyte.IndexRef("},
			{"decoder.skipString", "stopbyte.Index(", "stopbyte.IndexRef("},
		}},
		{name: "pooled root", engine: "handwritten", edits: []edit{
			{"Parse", "&a.request, a)", "&a.request, nil)"},
			{"Release", "a.reset()", "a.request = openrtb.BidRequest{}"},
		}},
		{name: "arena no slabs", engine: "handwritten", edits: []edit{ // it has the root, the usual objects of the root, and imps
			{"arena.newBanner", "if a == nil", "if true || a == nil"},
			{"arena.newPublisher", "if a == nil", "if true || a == nil"},
			{"arena.newGeo", "if a == nil", "if true || a == nil"},
			{"arena.newInt", "if a == nil", "if true || a == nil"},
			{"arena.newFloat", "if a == nil", "if true || a == nil"},
			{"arena.stringSlab", "if a == nil", "if true || a == nil"},
			{"arena.keepStrings", "if a != nil", "if false && a != nil"},
			{"arena.intSlab", "if a == nil", "if true || a == nil"},
			{"arena.keepInts", "if a != nil", "if false && a != nil"},
			{"arena.reset", "clear(a.texts[:])", ""},
		}},
		{name: "arena", engine: "handwritten"},
		{name: "arena no pool", engine: "handwritten", edits: []edit{
			{"Parse", "arenas.Get().(*arena)", "new(arena)"},
			{"Release", "a.reset()\n\tarenas.Put(a)", "_ = a"},
		}},
	},
}}

// overlay writes patched files of the folder source to a folder, and a file there that tells the go
// command to take them for the ones in the repository. It returns "" for a technique without edits.
func (t *technique) overlay(source, folder string) (file string, err error) {
	if t.edits == nil {
		return "", nil
	}
	patched := map[string][]byte{}
	for _, e := range t.edits {
		if err := e.apply(source, patched); err != nil {
			return "", fmt.Errorf("%s: %w", t.name, err)
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
