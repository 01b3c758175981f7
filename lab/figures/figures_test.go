package figures

import (
	"math"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

func TestFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "claims")
	f := &File{Taken: time.Unix(1, 0).UTC(), Command: "go run .", Figures: map[string]Figure{
		"a/b": {Value: 2, Lo: 1, Hi: 3, Unit: "ns", Rounds: 10}, "c": Exactly(4, "allocs"),
	}}
	if err := f.Write(filepath.Join(folder, "one.json")); err != nil {
		t.Fatal(err)
	}
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
