package housekeeping

import (
	"go/ast"
	"go/doc"
	"strings"
	"testing"
)

// entryPackages are what users import first; each shows at least one way in that runs.
var entryPackages = []string{
	"adcom",
	"batch",
	"examples/gen",
	"gen",
	"inspect",
	"inspect/schema",
	"openrtb",
	"openrtb/native",
	"spec",
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
