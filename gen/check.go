package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// compile type-checks the package with src in it. What a user declares may have a name that the
// generated code uses: a type named len, a package-level name that an import has, a method of a
// root. An error here is better than a file that does not compile.
func compile(c Config, src []byte) error {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fmt.Errorf("gen: %w", err)
	}
	path := filepath.Join(dir, c.Output)
	pkgs, err := packages.Load(&packages.Config{
		Mode:    packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedImports | packages.NeedFiles | packages.NeedExportFile,
		Dir:     dir,
		Overlay: map[string][]byte{path: src},
	}, ".")
	if err != nil {
		return fmt.Errorf("gen: checking the generated code: %w", err)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			// Errors elsewhere are the user's, and an import that is missing is added by go mod
			// tidy.
			at, inOutput := strings.CutPrefix(e.Pos, path+":")
			if !inOutput && strings.Contains(e.Msg, path) { // declared again in another file
				inOutput, at = true, ""
			}
			if !inOutput || e.Kind != packages.TypeError || strings.HasPrefix(e.Msg, "could not import") {
				continue
			}
			return fmt.Errorf("gen: the generated code would not compile in package %s: %s\n%s"+
				"the package probably declares a name that the generated code uses too: rename it, or move the types to a package of their own",
				p.Name, e.Msg, lineAt(src, at))
		}
	}
	return nil
}

// lineAt returns the line of src at a position like 12:5.
func lineAt(src []byte, at string) string {
	var line int
	if _, err := fmt.Sscanf(at, "%d", &line); err != nil { // no position in src
		return ""
	}
	lines := strings.Split(string(src), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return fmt.Sprintf("\t%d: %s\n", line, strings.TrimSpace(lines[line-1]))
}

// conflict reports a name of the generated file that the package uses for something else.
func (m *model) conflict(c Config, src []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("gen: %w", err)
	}
	for _, name := range declared(file) {
		at, taken := m.taken[name.Name]
		if !taken {
			continue
		}
		if base := filepath.Base(at.Filename); m.generated[base] && prefixOf(base) == prefixOf(c.Output) {
			return fmt.Errorf("gen: the unexported names in %s and %s would be the same; choose an output name that differs in more than the words codec and gen",
				c.Output, base)
		}
		return fmt.Errorf("gen: %s:%d: the package declares %s, a name that the generated file needs; rename it",
			filepath.Base(at.Filename), at.Line, name.Name)
	}
	return doubled(file, c.local("codec"))
}

// doubled reports a name that the types would give to two fields or methods of the codec, such
// as the slab of a type called String and the slab of strings.
func doubled(file *ast.File, codec string) error {
	seen := map[string]bool{}
	for _, d := range file.Decls {
		var names []*ast.Ident
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && receiver(d) == codec {
				names = append(names, d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				t, ok := s.(*ast.TypeSpec)
				if !ok || t.Name.Name != codec {
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

// receiver is the type that f is a method of.
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
