package figures

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/lab/report"
)

// at is a run that started so many minutes after the first one.
func at(minutes, cores int, of map[string]Figure) *File {
	return &File{
		Taken: time.Unix(0, 0).UTC().Add(time.Duration(minutes) * time.Minute), Command: "go run .",
		Machine: report.Machine{Cores: cores}, Figures: of,
	}
}

func TestCombine(t *testing.T) {
	ns := func(v, lo, hi float64) map[string]Figure {
		return map[string]Figure{"a/ns": {Value: v, Lo: lo, Hi: hi, Unit: "ns", Rounds: 10}}
	}
	for name, c := range map[string]struct {
		runs []*File
		want Figure
	}{
		"one run is as it was":              {[]*File{at(0, 2, ns(5, 4, 6))}, Figure{5, 4, 6, "ns", 10}},
		"two: the union of their intervals": {[]*File{at(0, 2, ns(5, 4, 6)), at(60, 2, ns(8, 7.5, 9))}, Figure{6.5, 4, 9, "ns", 20}},
		"three: from the least run to the largest": {
			[]*File{at(120, 2, ns(8, 1, 90)), at(0, 2, ns(5, 4, 6)), at(60, 2, ns(6, 2, 7))}, Figure{6, 5, 8, "ns", 30},
		},
		"three that started together are not three": {
			[]*File{at(0, 2, ns(5, 4, 6)), at(20, 2, ns(6, 2, 7)), at(70, 2, ns(8, 1, 90))}, Figure{6, 1, 90, "ns", 30},
		},
	} {
		f, err := Combine(c.runs)
		if err != nil || f.Figures["a/ns"] != c.want {
			t.Errorf("%s: got %+v, %v, want %+v", name, f.Figures["a/ns"], err, c.want)
		}
	}
	if _, err := Combine([]*File{at(0, 2, ns(5, 4, 6)), at(60, 2, map[string]Figure{"a/ns": Exactly(1, "B")})}); err == nil {
		t.Error("runs with different units are combined")
	}
}

func TestRuns(t *testing.T) {
	folder := t.TempDir()
	first := at(0, 2, map[string]Figure{"a": Exactly(1, "allocs"), "b": Exactly(3, "")})
	second := at(90, 8, map[string]Figure{"a": Exactly(2, "allocs")})
	second.Preliminary = []string{"short"}
	for _, r := range []*File{first, second} {
		if err := r.Write(PathOf(filepath.Join(folder, "decode.json"), r.Taken)); err != nil {
			t.Fatal(err)
		}
	}
	if err := at(0, 2, map[string]Figure{"c": {}}).Write(filepath.Join(folder, "decoder.json")); err != nil {
		t.Fatal(err)
	}
	all, err := ReadFolder(folder)
	if err != nil || len(all) != 3 {
		t.Fatalf("%v, %v", all, err)
	}
	f := all["a"]
	if got := f.Figures["a"]; got != (Figure{1.5, 1, 2, "allocs", 0}) || f.Figures["b"] != Exactly(3, "") {
		t.Errorf("%+v", f.Figures)
	}
	if len(f.All()) != 2 || len(f.Having("a")) != 2 || len(f.Having("b")) != 1 || len(f.Having("c")) != 0 || f.Preliminary[0] != "short" || f.Program != "decode" {
		t.Errorf("%+v", f)
	}
	for cores, want := range map[int]int{0: 2, 2: 2, 3: 1, 8: 1} {
		if some, err := f.OnCores(cores); err != nil || len(some.All()) != want {
			t.Errorf("%d cores: %+v, %v, want %d runs", cores, some, err, want)
		}
	}
	if some, err := f.OnCores(96); some != nil || err != nil {
		t.Errorf("96 cores: %+v, %v", some, err)
	}
	if one, err := ReadProgram(folder, "decode"); err != nil || len(one.All()) != 2 || one.Figures["a"].Value != 1.5 {
		t.Errorf("%+v, %v", one, err)
	}
	if _, err := ReadProgram(folder, "none"); err == nil {
		t.Error("a program without runs is read")
	}
}

func TestQuotient(t *testing.T) {
	f := at(0, 2, map[string]Figure{
		"a": {Value: 8, Lo: 6, Hi: 10, Unit: "ns", Rounds: 9}, "b": {Value: 4, Lo: 2, Hi: 5, Unit: "ns", Rounds: 7},
		"c": Exactly(3, "allocs"), "d": Exactly(6, "allocs"), "none": {},
	})
	for _, c := range []struct {
		name, over string
		want       Figure
		ok         bool
	}{
		{"a", "b", Figure{2, 1.2, 5, "", 7}, true},
		{"c", "d", Exactly(0.5, ""), true},
		{"a", "none", Figure{}, false},
		{"a", "x", Figure{}, false},
	} {
		if got, ok := f.Quotient(c.name, c.over); got != c.want || ok != c.ok {
			t.Errorf("%s over %s: got %+v, %v, want %+v, %v", c.name, c.over, got, ok, c.want, c.ok)
		}
	}
	both, err := Combine([]*File{f, at(60, 2, map[string]Figure{"c": Exactly(3, "allocs"), "d": Exactly(3, "allocs")})})
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := both.Quotient("c", "d"); !ok || got != (Figure{Value: 0.75, Lo: 0.5, Hi: 1}) {
		t.Errorf("two runs: %+v, %v", got, ok)
	}
}
