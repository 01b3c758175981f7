package housekeeping

import (
	"path"
	"regexp"
	"slices"
	"testing"
)

// mapLine is a line of a package comment's map of files: the name and what is in the file.
var mapLine = regexp.MustCompile(`(?m)^//\t([a-z0-9_]+\.go)\s`)

// wholeMaps are the packages whose map has every file. Other maps leave files out, those of one
// platform for instance.
var wholeMaps = []string{
	"cmd/rtbwire/internal/serve", "cmd/rtbwire/internal/service", "gateway", "gateway/capture", "gen", "inspect", "inspect/payload", "inspect/scrub",
	"inspect/vendor", "internal/lines", "internal/oracle", "stream", "stream/kafka", "wire", "wire/splice",
}

// templates are the packages whose map stands for those of others.
var templates = []string{"internal/simd"}

// TestMapsOfFiles compares the maps in package comments with the folders: they list no other file,
// and those of wholeMaps every one but tests and the one with the map.
func TestMapsOfFiles(t *testing.T) {
	code, all := map[string][]string{}, map[string][]string{} // folder -> names
	for _, f := range goFiles(t) {
		all[f.folder()] = append(all[f.folder()], path.Base(f.name))
		if !f.isTest() {
			code[f.folder()] = append(code[f.folder()], path.Base(f.name))
		}
	}
	found := map[string]bool{}
	for _, f := range goFiles(t) {
		listed := mapOf(f)
		if len(listed) == 0 || slices.Contains(templates, f.folder()) {
			continue
		}
		found[f.folder()] = true
		for _, name := range listed {
			if !slices.Contains(all[f.folder()], name) {
				t.Errorf("%s: the map has %s, which is not in the folder", f.name, name)
			}
		}
		if !slices.Contains(wholeMaps, f.folder()) {
			continue
		}
		for _, name := range code[f.folder()] {
			if name != path.Base(f.name) && !slices.Contains(listed, name) {
				t.Errorf("%s: the map lacks %s", f.name, name)
			}
		}
	}
	for _, folder := range wholeMaps {
		if !found[folder] {
			t.Errorf("package %s has no map of its files in its comment", folder)
		}
	}
}

// mapOf returns the files that the package comment in a file lists, if it is a map: at least two.
func mapOf(f goFile) (listed []string) {
	if f.ast.Doc == nil || f.isTest() {
		return nil
	}
	for _, c := range f.ast.Doc.List {
		if m := mapLine.FindStringSubmatch(c.Text + " "); m != nil {
			listed = append(listed, m[1])
		}
	}
	if len(listed) < 2 {
		return nil
	}
	return listed
}
