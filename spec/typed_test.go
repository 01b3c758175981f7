package spec_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// typed are facts that only this folder may hold: elsewhere they would be out of date after the
// next release.
var typed = []struct {
	what    string
	pattern *regexp.Regexp
	instead string
}{
	{"a release of OpenRTB", regexp.MustCompile(`\b2\.\d-20\d{4}\b`), "use openrtb.SpecVersion, or leave it out"},
	{"a number of rules", regexp.MustCompile(`\b\d{2,} (rules|objects and \d+ fields)\b`), "leave it out, or link to docs/reference/rules.md"},
}

// typedElsewhere are files and folders that may hold them.
var typedElsewhere = []string{
	"spec", "lab/results", "bin", // data, measurements, output
	"CHANGELOG.md", // tells history
}

// TestFactsAreTypedOnce checks that hand-written Go files, documents and scripts do not repeat
// facts of the data. Generated files do.
func TestFactsAreTypedOnce(t *testing.T) {
	const root = ".."
	n := 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case e.IsDir() && (slices.Contains(typedElsewhere, name) || e.Name() == "testdata" || strings.HasPrefix(name, ".") && name != "."):
			return fs.SkipDir
		case e.IsDir() || slices.Contains(typedElsewhere, name) || !slices.Contains([]string{".go", ".md", ".sh", ".txt", ".json"}, filepath.Ext(name)):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		head := text[:min(len(text), 512)]
		if bytes.Contains(head, []byte("DO NOT EDIT")) || bytes.Contains(head, []byte("Do not edit")) {
			return nil
		}
		n++
		for _, fact := range typed {
			if at := fact.pattern.FindIndex(text); at != nil {
				line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
				t.Errorf("%s:%d types %s by hand (%s): %s", name, line, fact.what, text[at[0]:at[1]], fact.instead)
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Errorf("%d files read: %v", n, err)
	}
}
