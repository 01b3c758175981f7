package gateway

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLayers checks the layers of the package comment: they have every file once, and no file uses
// a name that a later layer declares.
func TestLayers(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files, list := token.NewFileSet(), []*ast.File{}
	doc := ""
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if name == "doc.go" {
			doc = file.Doc.Text()
			continue
		}
		list = append(list, file)
	}
	layer, layers := map[string]int{}, []string{}
	for line := range strings.Lines(doc) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			layers = append(layers, strings.TrimSpace(title))
		} else if m := regexp.MustCompile(`^\t(\w+\.go) `).FindStringSubmatch(line); m != nil {
			if _, twice := layer[m[1]]; twice {
				t.Errorf("%s is in two layers", m[1])
			}
			layer[m[1]] = len(layers) - 1
		}
	}
	if len(layers) < 2 {
		t.Fatalf("the package comment has the layers %q", layers)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	// Without the packages that it imports the package has errors. Names of its own are found.
	config := types.Config{Importer: nothing{}, Error: func(error) {}}
	_, _ = config.Check("gateway", files, list, info)
	arrows := map[string]bool{}
	found := 0
	for use, object := range info.Uses {
		if !object.Pos().IsValid() {
			continue
		}
		from, to := files.Position(use.Pos()).Filename, files.Position(object.Pos()).Filename
		if from != to {
			found++
		}
		if layer[from] < layer[to] {
			arrows[from+" ("+layers[layer[from]]+") uses "+object.Name()+" of "+to+" ("+layers[layer[to]]+")"] = true
		}
	}
	for arrow := range arrows {
		t.Error(arrow)
	}
	if found < 1000 {
		t.Errorf("%d uses of names of other files were found, want more", found)
	}
	for _, file := range list {
		name := files.Position(file.Package).Filename
		if _, ok := layer[name]; !ok {
			t.Errorf("%s is in no layer of the package comment", name)
		}
		delete(layer, name)
	}
	for name := range layer {
		if !slices.Contains(names, name) {
			t.Errorf("the package comment has %s, which does not exist", name)
		}
	}
}

// nothing imports empty packages.
type nothing struct{}

// Import implements [types.Importer].
func (nothing) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}
