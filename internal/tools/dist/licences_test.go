package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folderWith makes a folder with files, whose text is their name.
func folderWith(t *testing.T, names ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range names {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// linkedOf is a package of a module.
func linkedOf(module, version, folder, below string) linked {
	l := linked{ImportPath: module + "/" + below, Dir: filepath.Join(folder, filepath.FromSlash(below))}
	l.Module = &struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path, Version string }
	}{Path: module, Version: version, Dir: folder}
	return l
}

func TestCollect(t *testing.T) {
	goRoot := folderWith(t, "LICENSE", "PATENTS", "README.md", "src/fmt/print.go")
	a := folderWith(t, "LICENSE.md", "NOTICE", "license.go", "a.go", "fork/COPYING", "fork/deep/a.go", "unused/LICENSE", "unused/a.go")
	b := folderWith(t, "UNLICENSE", "b.go")
	files, err := collect([]linked{
		{ImportPath: "fmt", Dir: filepath.Join(goRoot, "src/fmt"), Standard: true},
		linkedOf("example.com/a", "v1.2.3", a, "."),
		linkedOf("example.com/a", "v1.2.3", a, "fork/deep"),
		linkedOf("example.com/b", "v0.1.0", b, "."),
		{ImportPath: "own", Module: &struct {
			Path, Version, Dir string
			Main               bool
			Replace            *struct{ Path, Version string }
		}{Main: true}},
	}, goRoot)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.name)
		if !strings.HasSuffix(f.name, string(f.data)[strings.LastIndexByte(string(f.data), '/')+1:]) {
			t.Errorf("%s has the text of %s", f.name, f.data)
		}
	}
	slices.Sort(got)
	want := []string{
		"licenses/example.com/a@v1.2.3/LICENSE.md", "licenses/example.com/a@v1.2.3/NOTICE", "licenses/example.com/a@v1.2.3/fork/COPYING",
		"licenses/example.com/b@v0.1.0/UNLICENSE", "licenses/go/LICENSE", "licenses/go/PATENTS",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCollectRefuses: what has no licence, or belongs nowhere, is not shipped.
func TestCollectRefuses(t *testing.T) {
	bare := folderWith(t, "a.go", "NOTICE", "license.go")
	outside := linkedOf("example.com/o", "v1.0.0", folderWith(t, "LICENSE"), ".")
	outside.Dir = t.TempDir()
	for _, tt := range []struct {
		name string
		l    linked
		want string
	}{
		{"no licence", linkedOf("example.com/bare", "v1.0.0", bare, "."), "example.com/bare@v1.0.0 has no file with a licence"},
		{"no module", linked{ImportPath: "lost"}, "package lost belongs to no module"},
		{"outside", outside, "outside of its module's folder"},
		{"no licence of Go", linked{ImportPath: "fmt", Standard: true}, "go has no file with a licence"},
	} {
		if _, err := collect([]linked{tt.l}, bare); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
