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

// TestRooms checks the rooms of the package comment: they have every file once, and no file uses a
// name that a later room declares.
func TestRooms(t *testing.T) {
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
	room, rooms := map[string]int{}, []string{}
	for line := range strings.Lines(doc) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			rooms = append(rooms, strings.TrimSpace(title))
		} else if m := regexp.MustCompile(`^\t(\w+\.go) `).FindStringSubmatch(line); m != nil {
			if _, twice := room[m[1]]; twice {
				t.Errorf("%s is in two rooms", m[1])
			}
			room[m[1]] = len(rooms) - 1
		}
	}
	if len(rooms) < 2 {
		t.Fatalf("the package comment has the rooms %q", rooms)
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
		if room[from] < room[to] {
			arrows[from+" ("+rooms[room[from]]+") uses "+object.Name()+" of "+to+" ("+rooms[room[to]]+")"] = true
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
		if _, ok := room[name]; !ok {
			t.Errorf("%s is in no room of the package comment", name)
		}
		delete(room, name)
	}
	for name := range room {
		if !slices.Contains(names, name) {
			t.Errorf("the package comment has %s, which is no file", name)
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
