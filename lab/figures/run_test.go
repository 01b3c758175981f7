package figures

import (
	"path/filepath"
	"testing"
)

func TestRun(t *testing.T) {
	r := Begin("go run .")
	a, b := []float64{10, 30, 20, 40, 60, 50, 70}, []float64{5, 15, 10, 20, 30, 25}
	r.Over("a/over-b", a, b)
	r.Median("a/ns", a, "ns")
	r.Median("b/ns", nil, "ns")
	r.Preliminarily("short")
	path := filepath.Join(t.TempDir(), "a.json")
	if err := r.End(path); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if v := f.Figures["a/over-b"]; v.Value != 2 || v.Lo != 2 || v.Hi != 2 || v.Rounds != 6 {
		t.Errorf("%+v", v)
	}
	if v := f.Figures["a/ns"]; v.Value != 40 || v.Lo > 20 || v.Hi < 60 || v.Unit != "ns" || v.Rounds != 7 {
		t.Errorf("%+v", v)
	}
	if _, ok := f.Figures["b/ns"]; ok || f.Preliminary[0] != "short" || f.Command != "go run ." || f.Machine.Cores == 0 {
		t.Errorf("%+v", f)
	}
	if got, want := Name("ablation", "app_indented", "byte loop"), "ablation/app-indented/byte-loop"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
