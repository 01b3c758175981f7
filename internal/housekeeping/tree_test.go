package housekeeping

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/rtbwire/rtbwire"

// root is the repository's root as seen from this package, where go test runs.
const root = "../.."

// goFile is one Go file of the root module, for whatever platform and build tags: the
// rules hold for all of them, so the files are read as text and not through go list.
type goFile struct {
	name string // from the root, with slashes
	ast  *ast.File
}

func (f goFile) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// folder is the package's path below the module.
func (f goFile) folder() string { return path.Dir(f.name) }

func (f goFile) imports() []string {
	var paths []string
	for _, spec := range f.ast.Imports {
		paths = append(paths, strings.Trim(spec.Path.Value, "`\""))
	}
	return paths
}

var fileSet = token.NewFileSet()

var parsed = sync.OnceValues(func() ([]goFile, error) {
	var files []goFile
	err := walk(func(name string) error {
		if !strings.HasSuffix(name, ".go") || !inRootModule(name) {
			return nil
		}
		file, err := parser.ParseFile(fileSet, filepath.Join(root, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, goFile{name, file})
		return nil
	})
	return files, err
})

// built are the folders that builds write to, and kept the folders of results that are committed:
// others are of a run on this machine. Git ignores them, and so do the rules.
var (
	built = map[string]bool{"bin": true, "cpp/build": true, "dist": true}
	kept  = map[string]bool{"lab/results/claims": true, "lab/results/published": true}
)

// goFiles returns the Go files of the root module, tests among them.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	skipVariant(t)
	files, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("found no Go file: the walk looks in the wrong place")
	}
	return files
}

// skipVariant leaves the rules to the full run: the tree is the same under the race
// detector and on other platforms, only slower to read.
func skipVariant(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("the tree is checked by the run without -short")
	}
}

// walk calls do for every file of the repository, with its name from the root.
func walk(do func(name string) error) error {
	return filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // somebody works in the tree
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			if name == ".git" || built[name] || path.Dir(name) == "lab/results" && !kept[name] {
				return fs.SkipDir
			}
			return nil
		}
		if name == ".git" { // of a worktree
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		return do(name)
	})
}

// inRootModule says whether "go build ./..." of the root may look at a file: not in test
// data, not in folders that the go command skips, not in a module of their own.
func inRootModule(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		base := path.Base(dir)
		if base == "testdata" || base[0] == '_' || base[0] == '.' {
			return false
		}
		if _, err := os.Stat(filepath.Join(root, dir, "go.mod")); err == nil {
			return false
		}
	}
	return true
}
