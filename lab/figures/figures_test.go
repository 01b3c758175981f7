package figures

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/lab/data"
)

func TestFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "claims")
	f := &File{Taken: time.Unix(1, 0).UTC(), Command: "go run .", Figures: map[string]Figure{
		"a/b": {Value: 2, Lo: 1, Hi: 3, Unit: "ns", Rounds: 10}, "c": Exactly(4, "allocs"),
	}}
	if err := f.Write(filepath.Join(folder, "one.json")); err != nil {
		t.Fatal(err)
	}
	f.Program = "one"
	all, err := ReadFolder(folder)
	if err != nil || len(all) != 2 || !reflect.DeepEqual(all["a/b"], f) {
		t.Fatalf("%v, %v", all, err)
	}
	if err := (&File{Figures: map[string]Figure{"c": {}}}).Write(filepath.Join(folder, "two.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFolder(folder); err == nil {
		t.Error("a name in two files is accepted")
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, v := range []Figure{{Value: math.NaN()}, {Value: 1, Lo: 2, Hi: 3}, {Value: 1, Lo: 0, Hi: math.Inf(1)}, {Value: 4, Lo: 2, Hi: 3}} {
		f := &File{Figures: map[string]Figure{"a": v}}
		if err := f.Write(filepath.Join(t.TempDir(), "x.json")); err == nil {
			t.Errorf("%v is accepted", v)
		}
	}
}

// A file that was changed after the run is known by its checksum.
func TestSeal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "one.json")
	f := &File{Command: "go run .", Figures: map[string]Figure{"a/ns": {Value: 2, Lo: 1, Hi: 3, Unit: "ns", Rounds: 10}}}
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckSeal(text); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{{`"value": 2`, `"value": 3`}, {`"rounds": 10`, `"rounds": 90`}, {`"command": "go run ."`, `"command": ""`}} {
		changed := bytes.Replace(text, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(changed, text) || CheckSeal(changed) == nil {
			t.Errorf("a file with %s instead of %s is accepted", change[1], change[0])
		}
	}
	if err := CheckSeal([]byte("{\n \"figures\": {}\n}\n")); err == nil {
		t.Error("a file without a checksum is accepted")
	}
	if _, err := Seal([]byte("[]\n")); err == nil {
		t.Error("a list gets a checksum")
	}
}

// before has the files that were measured before files had checksums. Each leaves the list when it
// is measured again.
var before = []string{
	"claims/ablation.json", "claims/parallel.json", "claims/service.json",
}

// TestResultsAreAsMeasured holds the committed results against their checksums.
func TestResultsAreAsMeasured(t *testing.T) {
	root, err := data.Root()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(filepath.Dir(root), "lab", "results")
	var paths []string
	for _, pattern := range []string{"*.json", "claims/*.json"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		t.Fatalf("%s has no results", folder)
	}
	seen := map[string]bool{}
	for _, path := range paths {
		name, err := filepath.Rel(folder, path)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.ToSlash(name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		seen[name] = true
		sealed := bytes.Contains(text, sealLine)
		switch err := CheckSeal(text); {
		case slices.Contains(before, name) && sealed:
			t.Errorf("%s has a checksum: take it from the list of those that have none", name)
		case slices.Contains(before, name):
		case err != nil:
			t.Errorf("lab/results/%s: %v", name, err)
		}
	}
	for _, name := range before {
		if !seen[name] {
			t.Errorf("%s is no longer there: take it from the list of those without a checksum", name)
		}
	}
}
