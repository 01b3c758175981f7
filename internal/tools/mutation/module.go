package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// module is what the list of faults refers to: the declarations in files written by hand, the
// tests, and the generated code.
type module struct {
	declarations []declaration
	tests        map[string][]string // the folders that have a test of this name
	generated    []string            // by "go generate ./openrtb"
}

// declaration is a function, a constant, a variable or a type in Go, or a symbol in assembly.
type declaration struct {
	name   string // as go doc writes it, with the package: wire.Reader.Int; "" for a whole file
	file   *sourceFile
	offset int
	text   string
}

// sourceFile is a file of Go or assembly.
type sourceFile struct {
	name    string // from the module's root, with slashes
	text    string
	imports []string
	clause  int // the end of the package clause, in Go
}

// is reports whether the declaration has this name. The name may lack the package, or the package
// and the receiver. Upper and lower case are the same, so that a function may be exported.
func (d *declaration) is(name string) bool {
	n := len(d.name) - len(name)
	return d.name != "" && n >= 0 && strings.EqualFold(d.name[n:], name) && (n == 0 || d.name[n-1] == '.')
}

// String returns the name and the place of the declaration.
func (d *declaration) String() string { return d.at("") }

// at is String for the place of the first occurrence of some text in the declaration.
func (d *declaration) at(text string) string {
	before := d.file.text[:d.offset+strings.Index(d.text, text)]
	return strings.TrimSpace(d.name + " " + d.file.name + ":" + strconv.Itoa(1+strings.Count(before, "\n")))
}

// readModule reads the module in the folder root, less the modules and data within it and the
// folder with the list of faults.
func readModule(root string) (*module, error) {
	m := &module{tests: map[string][]string{}}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // somebody works in the tree
		}
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		inside = filepath.ToSlash(inside)
		if entry.IsDir() {
			if skipped(root, inside) {
				return fs.SkipDir
			}
			return nil
		}
		if ext := path.Ext(inside); ext != ".go" && ext != ".s" && ext != ".tmpl" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return m.add(inside, string(text))
	})
	return m, err
}

// skipped reports whether a folder has nothing to plant faults in.
func skipped(root, folder string) bool {
	if folder == "." {
		return false
	}
	base := path.Base(folder)
	if base == "testdata" || base == "mutation" || base[0] == '.' || base[0] == '_' {
		return true
	}
	_, err := os.Stat(filepath.Join(root, folder, "go.mod"))
	return err == nil
}

var testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// add adds a file to the module.
func (m *module) add(name, text string) error {
	folder := path.Dir(name)
	f := &sourceFile{name: name, text: text}
	switch {
	case strings.HasSuffix(name, "_test.go"):
		for _, match := range testFunc.FindAllStringSubmatch(text, -1) {
			if test := match[1]; !slices.Contains(m.tests[test], folder) {
				m.tests[test] = append(m.tests[test], folder)
			}
		}
		return nil
	case strings.HasSuffix(name, ".s"):
		m.addAssembly(f, path.Base(folder))
		return nil
	case strings.HasSuffix(name, ".tmpl"): // of the generator; it declares nothing by name
		m.declarations = append(m.declarations, declaration{"", f, 0, text})
		return nil
	}
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(tree) {
		if head, _, _ := strings.Cut(text, "\npackage "); strings.Contains(head, "Regenerate: go generate ./openrtb\n") {
			m.generated = append(m.generated, name)
		}
		return nil
	}
	offset := func(p token.Pos) int { return files.Position(p).Offset }
	f.clause = offset(tree.Name.End())
	for _, i := range tree.Imports {
		f.imports = append(f.imports, strings.Trim(i.Path.Value, "`\""))
	}
	put := func(name string, node ast.Node) {
		start := offset(node.Pos())
		m.declarations = append(m.declarations, declaration{name, f, start, text[start:offset(node.End())]})
	}
	m.declarations = append(m.declarations, declaration{"", f, 0, text})
	prefix := tree.Name.Name + "."
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			put(prefix+receiver(d)+d.Name.Name, d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					put(prefix+spec.Name.Name, spec)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						put(prefix+name.Name, spec)
					}
				}
			}
		}
	}
	return nil
}

// receiver returns the type of a method's receiver and a dot, or "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "."
		default:
			return ""
		}
	}
}

// symbol finds where a function or the data of a name begins in assembly.
var symbol = regexp.MustCompile(`(?m)^(?:TEXT ·(\w+)\(SB\)|DATA (\w+)<>\+0\(SB\))`)

// addAssembly adds the symbols of a file, each of which reaches to the next one.
func (m *module) addAssembly(f *sourceFile, pkg string) {
	starts := symbol.FindAllStringSubmatchIndex(f.text, -1)
	for i, at := range starts {
		end := len(f.text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		name := at[2:4]
		if name[0] < 0 {
			name = at[4:6]
		}
		m.declarations = append(m.declarations,
			declaration{pkg + "." + f.text[name[0]:name[1]], f, at[0], f.text[at[0]:end]})
	}
}

// find returns the one declaration that a fault is in, which has the fault's text once. Without a
// name it is a whole file.
func (m *module) find(f *fault) (*declaration, error) {
	var found *declaration
	var here, called, elsewhere []string
	for i := range m.declarations {
		d := &m.declarations[i]
		n := strings.Count(d.text, f.old)
		named := d.name == "" && f.in == "" || f.in != "" && d.is(f.in)
		switch {
		case named && n > 0:
			found = d
			here = append(here, slices.Repeat([]string{d.at(f.old)}, n)...)
		case named && f.in != "":
			called = append(called, d.String())
		case n > 0 && d.name != "":
			elsewhere = append(elsewhere, d.at(f.old))
		}
	}
	if len(here) == 1 {
		return found, nil
	}
	return nil, fmt.Errorf("%q occurs %d times in %q, want once: %s\n\tdeclarations of this name without it: %s\n\tother declarations with it: %s",
		f.old, len(here), f.in, listed(here), listed(called), listed(elsewhere))
}

// listed joins some candidates for a message.
func listed(candidates []string) string {
	const most = 10
	if len(candidates) == 0 {
		return "none"
	}
	s := strings.Join(candidates[:min(most, len(candidates))], ", ")
	if more := len(candidates) - most; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// test is a test function.
type test struct{ pkg, name string }

// findTest returns the one test of a name, which may have the package's folder before it:
// jsonindex.TestIndex.
func (m *module) findTest(name string) (test, error) {
	folder, function, qualified := strings.Cut(name, ".")
	if !qualified {
		function = name
	}
	var in []string
	for _, f := range m.tests[function] {
		if !qualified || path.Base(f) == folder {
			in = append(in, f)
		}
	}
	if len(in) != 1 {
		return test{}, fmt.Errorf("%d packages have the test %s, want 1: %s; of all folders, those with %s are: %s",
			len(in), name, listed(in), function, listed(m.tests[function]))
	}
	return test{"./" + in[0], function}, nil
}

// tested lists the packages whose tests may catch a fault that the expected ones miss.
func (m *module) tested() []string {
	var packages []string
	for _, folders := range m.tests {
		for _, f := range folders {
			root, rest, _ := strings.Cut(f, "/")
			ours := root == "wire" || root == "gen" || root == "openrtb" ||
				root == "internal" && rest != "housekeeping" && !strings.HasPrefix(rest, "tools/")
			if pkg := "./" + f; ours && !slices.Contains(packages, pkg) {
				packages = append(packages, pkg)
			}
		}
	}
	slices.Sort(packages)
	return packages
}

// planned is a fault with its place and its tests.
type planned struct {
	fault
	in    *declaration
	tests []test
}

// place returns where the text of the fault is.
func (p *planned) place() string { return p.in.at(p.old) }

// plan finds the places and the tests of faults. The error lists all that it can't find.
func (m *module) plan(faults []fault) ([]planned, error) {
	var all []planned
	var problems []error
	for _, f := range faults {
		p := planned{fault: f}
		var err error
		if p.in, err = m.find(&f); err != nil {
			problems = append(problems, fmt.Errorf("fault %q: %w", f.name, err))
		}
		for _, name := range f.tests {
			found, err := m.findTest(name)
			if err != nil {
				problems = append(problems, fmt.Errorf("fault %q: %w", f.name, err))
			}
			p.tests = append(p.tests, found)
		}
		all = append(all, p)
	}
	return all, errors.Join(problems...)
}

// apply returns the text of the file of a declaration with the fault in it.
func (f *fault) apply(d *declaration) string {
	at := d.offset + strings.Index(d.text, f.old)
	text := d.file.text
	text = text[:at] + f.new + text[at+len(f.old):]
	for _, i := range f.imports {
		if !slices.Contains(d.file.imports, i) {
			text = text[:d.file.clause] + "\n\nimport " + strconv.Quote(i) + text[d.file.clause:]
		}
	}
	return text
}
