package check

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/lab/data"
)

// TestTables measures for a moment and looks at the tables.
func TestTables(t *testing.T) {
	sets, err := data.Load("")
	if err != nil {
		t.Fatal(err)
	}
	presets, err := presetRows(sets)
	if err != nil {
		t.Fatal(err)
	}
	inspectors, err := inspectorRows(sets)
	if err != nil {
		t.Fatal(err)
	}
	var contests []*contest
	for _, r := range presets {
		contests = append(contests, &r.contest)
	}
	for _, r := range inspectors {
		contests = append(contests, &r.contest)
	}
	if err := run(contests, 2, time.Microsecond); err != nil {
		t.Skip(err)
	}
	text := presetTable(presets)
	for _, p := range schema.Presets() {
		for _, want := range []string{" | banner | 1 |", " | app | 1 |", " | corpus, with findings |"} {
			if !strings.Contains(text, "| "+string(p)+want) {
				t.Errorf("no row %s%s in\n%s", p, want, text)
			}
		}
	}
	for _, r := range presets {
		if x := r.ratio(whole, inAll, decode); !(x > 0.2 && x < 1000) {
			t.Errorf("%s, %s: a check takes %v of decoding", r.preset, r.name, x)
		}
	}
	all := inspectorTable(inspectors)
	for _, want := range []string{"| banner | 1 |", "| app | 1 |", "| corpus |", "| corpus, forwarded |", " fraud | all | all, to go-json | with GeoIP | with supply files |"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in\n%s", want, all)
		}
	}
	for _, r := range inspectors {
		if x := r.ratio(inspectAll, inAll, inspectDecode); !(x > 0.2 && x < 1000) {
			t.Errorf("%s: a verdict takes %v of decoding", r.name, x)
		}
	}
	if text += all; strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Error(text)
	}
}

func TestInsert(t *testing.T) {
	page := []byte("a\n" + begin("x") + "old\n" + end + "\nb\n" + begin("y") + end)
	got, err := insert(page, "x", "new\n")
	if want := "a\n" + begin("x") + "\nnew\n\n" + end + "\nb\n" + begin("y") + end; err != nil || string(got) != want {
		t.Errorf("%v, got %q, want %q", err, got, want)
	}
	if again, err := insert(got, "x", "new\n"); err != nil || !bytes.Equal(again, got) {
		t.Errorf("%v, got %q", err, again)
	}
	if _, err := insert([]byte("a"), "x", ""); err == nil {
		t.Error("a page without a place was accepted")
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"x"}, {"--rounds", "0"}, {"--time", "0"}, {"--nothing"}} {
		var out, errs bytes.Buffer
		if err := Main(args, &out, &errs); err != ErrUsage || errs.Len() == 0 {
			t.Errorf("%v: %v, %q", args, err, errs.String())
		}
	}
}

// The times of a verdict are those of the table that the package writes.
func TestVerdictTimes(t *testing.T) {
	page := []byte("before\n" + begin(partInspectors) + "\nAMD, go1.26\n\n| requests | documents | decode | schema | all | with GeoIP |\n| --- | --- | --- | --- | --- | --- |\n" +
		"| banner | 1 | 400 ns | 0.90 | 4.00 | +0.03 |\n| app | 1 | 3000 ns | 0.25 | 1.50 | +0.00 |\n\n" + end + "\nafter\n")
	banner, app, err := VerdictTimes(page)
	if err != nil || banner != 2*time.Microsecond || app != 7500*time.Nanosecond {
		t.Errorf("%v, %v, %v: want 2µs and 7.5µs", banner, app, err)
	}
	for _, spoil := range []string{begin(partInspectors), "400 ns", "| 1.50 |", "| app "} {
		if _, _, err := VerdictTimes(bytes.ReplaceAll(page, []byte(spoil), nil)); err == nil {
			t.Errorf("no error without %q", spoil)
		}
	}
}
