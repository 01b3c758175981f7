package gen

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// This file runs the tests of packages whose codecs are not committed.

// TestKinds generates the codec of testdata/kinds and runs the tests there, with the build tags of
// this run.
func TestKinds(t *testing.T) {
	t.Parallel()
	c := Config{
		Dir: "testdata/kinds", Types: []string{"Root"},
		Bundle: map[string][]BundleSlot{"Root": {{"Scalars", 1}, {"Small", 2}, {"Tree", 3}, {"int", 4}, {"float64", 1}, {"string", 2}}},
	}
	src, err := Generate(c)
	if err != nil {
		t.Fatal(err)
	}
	noJSONMethods(t, src)
	goTest(t, c.Dir, src)
}

// goTest runs the tests of a package with src in the place of its generated file, which is not
// there.
func goTest(t *testing.T, dir string, src []byte) {
	t.Helper()
	temp := t.TempDir()
	file, err := filepath.Abs(filepath.Join(dir, OutputDefault))
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: filepath.Join(temp, OutputDefault)}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{OutputDefault: src, "overlay.json": overlay} {
		if err := os.WriteFile(filepath.Join(temp, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{"test", "-overlay", filepath.Join(temp, "overlay.json")}, buildFlags()...)
	if testing.Short() {
		args = append(args, "-short")
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", cmd.Args, err, out)
	}
}

// buildFlags are those that this test was built with.
func buildFlags() (flags []string) {
	if testkit.Race {
		flags = append(flags, "-race")
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-tags" {
				flags = append(flags, "-tags", s.Value)
			}
		}
	}
	return flags
}
