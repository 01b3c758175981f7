package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFaultsApply checks that the text of every fault still is in its file, once, so that the list does not rot between
// the runs of "make mutation".
func TestFaultsApply(t *testing.T) {
	names := map[string]bool{}
	for _, f := range faults {
		if names[f.name] {
			t.Errorf("two faults are called %q", f.name)
		}
		names[f.name] = true
		text, err := os.ReadFile(filepath.Join("../../..", filepath.FromSlash(f.file)))
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		if changed, err := f.apply(string(text)); err != nil {
			t.Errorf("%s: %v: change the list in internal/tools/mutation/faults.go with the code", f.name, err)
		} else if changed == string(text) {
			t.Errorf("%s changes nothing", f.name)
		}
		if len(f.tests) == 0 {
			t.Errorf("%s: say which tests are expected to catch it", f.name)
		}
		for _, test := range f.tests {
			pkg, name, ok := strings.Cut(test, ":")
			if !ok || !strings.HasPrefix(name, "Test") {
				t.Errorf("%s: %q is no \"./package:TestName\"", f.name, test)
				continue
			}
			if !hasTest(t, pkg, name) {
				t.Errorf("%s: %s has no %s", f.name, pkg, name)
			}
		}
	}
}

// hasTest looks for a test's function in the files of a package.
func hasTest(t *testing.T, pkg, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../..", pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}

func TestApply(t *testing.T) {
	f := fault{file: "x", old: "a", new: "b", also: []edit{{"c", "d"}}}
	for _, c := range []struct{ in, want string }{{"xax c", "xbx d"}, {"xx c", ""}, {"aa c", ""}, {"a", ""}, {"a cc", ""}} {
		got, err := f.apply(c.in)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("apply(%q) = %q, %v, want %q", c.in, got, err, c.want)
		}
	}
}
