package housekeeping

import (
	"go/ast"
	"go/doc"
	"slices"
	"strings"
	"testing"
)

// entryPackages are what users import first; each shows at least one way in that runs.
var entryPackages = []string{
	"adcom",
	"batch",
	"config",
	"examples/gen",
	"internal/serving/guard",
	"gen",
	"inspect",
	"inspect/fraud",
	"inspect/geoip",
	"inspect/lists",
	"inspect/lookup",
	"inspect/payload",
	"inspect/policy",
	"inspect/rates",
	"internal/filewatch",
	"inspect/schema",
	"inspect/scrub",
	"inspect/supply",
	"internal/useragent",
	"inspect/vendor",
	"inspect/window",
	"openrtb",
	"openrtb/native",
	"spec",
	"stream/files",
	"stream/kafka",
	"stream/upstream",
	"internal/traffic/simulate",
	"internal/traffic/simulate/judge",
	"wire",
	"wire/splice",
}

func TestEntryPackagesHaveExamples(t *testing.T) {
	tests := map[string][]*ast.File{}
	for _, f := range goFiles(t) {
		if f.isTest() {
			tests[f.folder()] = append(tests[f.folder()], f.ast)
		}
	}
	for _, folder := range entryPackages {
		runs := 0
		for _, example := range doc.Examples(tests[folder]...) {
			if example.Output != "" || example.EmptyOutput {
				runs++
			}
		}
		if runs == 0 {
			t.Errorf("package %s has no example that runs: add func Example... with an \"// Output:\" comment to %s/example_test.go",
				folder, strings.TrimSuffix(folder, "/"))
		}
	}
}

// shownPackages are those that programs call all day: an example shows how to call everything.
var shownPackages = []string{"batch", "inspect/schema", "openrtb", "wire", "wire/splice"}

// implicit are methods that other packages call: fmt, errors.
var implicit = []string{"Error", "Is", "String", "Unwrap"}

// TestEverythingIsShown wants each exported function and method to occur in an example that runs.
func TestEverythingIsShown(t *testing.T) {
	shown := map[string]map[string]bool{} // folder -> names in its examples
	for _, folder := range shownPackages {
		var tests []*ast.File
		for _, f := range goFiles(t) {
			if f.isTest() && f.folder() == folder {
				tests = append(tests, f.ast)
			}
		}
		shown[folder] = map[string]bool{}
		for _, example := range doc.Examples(tests...) {
			if example.Output == "" && !example.EmptyOutput {
				continue
			}
			ast.Inspect(example.Code, func(n ast.Node) bool {
				if name, is := n.(*ast.Ident); is {
					shown[folder][name.Name] = true
				}
				return true
			})
		}
	}
	for _, f := range goFiles(t) {
		names := shown[f.folder()]
		if names == nil || f.isTest() {
			continue
		}
		for _, decl := range f.ast.Decls {
			d, is := decl.(*ast.FuncDecl)
			if !is || !d.Name.IsExported() || d.Recv != nil && (!receiverIsExported(d) || slices.Contains(implicit, d.Name.Name)) {
				continue
			}
			if !names[d.Name.Name] {
				t.Errorf("%s: no example of package %s calls %s: add one that runs", fileSet.Position(d.Pos()), f.folder(), d.Name.Name)
			}
		}
	}
}

func receiverIsExported(d *ast.FuncDecl) bool {
	t := d.Recv.List[0].Type
	if p, is := t.(*ast.StarExpr); is {
		t = p.X
	}
	name, is := t.(*ast.Ident)
	return is && name.IsExported()
}
