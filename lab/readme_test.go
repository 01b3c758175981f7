package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/report"
)

// shownRuns returns the README, and the files of the runs that it says it shows.
func shownRuns(t *testing.T) (readme, files string) {
	t.Helper()
	text, err := os.ReadFile(readmeFile)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`go run \. readme ([^"]+)"`).FindSubmatch(text)
	if found == nil {
		t.Fatal("README.md does not say which run it shows")
	}
	return string(text), string(found[1])
}

// TestREADME holds the README against the run that it shows: no number in it is typed.
func TestREADME(t *testing.T) {
	text, files := shownRuns(t)
	readme, picture, err := readmeOf(text, strings.Fields(files))
	if err != nil {
		t.Fatal(err)
	}
	if readme != text {
		t.Errorf("README.md does not show %s: run: cd lab && go run . readme %s", files, files)
	}
	shown, err := os.ReadFile(pictureFile)
	if picture == "" {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("docs/decode.svg is shown nowhere (%v): run: cd lab && go run . readme %s", err, files)
		}
	} else if err != nil || string(shown) != picture {
		t.Errorf("docs/decode.svg does not show %s (%v): run: cd lab && go run . readme %s", files, err, files)
	}
}

// TestREADMERuns holds the README to the runs that the page of claims is made of: one set of runs
// for both.
func TestREADMERuns(t *testing.T) {
	_, files := shownRuns(t)
	decode := filepath.Join("results", "claims", "decode.json")
	var want []string
	for _, file := range strings.Fields(files) {
		r, err := report.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, figures.PathOf(decode, r.Taken))
	}
	got, err := filepath.Glob(filepath.Join("results", "claims", "decode.*json"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the README shows the runs whose figures are %q, the claims are held against %q: take all runs that the README shows, and no other", want, got)
	}
}

// readmeRun writes a run with all that the README shows. width is the width of its intervals, as a
// share.
func readmeRun(t *testing.T, width float64) (file string) {
	t.Helper()
	r := report.Results{
		Taken: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Preset: "readme", Rounds: 15, Budget: 50 * time.Millisecond, CPUTime: true,
		Machine: report.Machine{CPU: "Example 9000", Cores: 2, Others: "0.01"},
	}
	for _, s := range report.READMESets {
		r.Sets = append(r.Sets, report.Set{Name: s, About: "a request, from somewhere", Docs: 1, Bytes: 800})
	}
	for i, e := range report.READMEEngines {
		r.Engines = append(r.Engines, measure.Info{Name: e, Ops: map[measure.Op]bool{measure.Decode: true}})
		for _, s := range report.READMESets {
			ns := 1000 * float64(i+1)
			r.Rows = append(r.Rows, measure.Row{
				Engine: e, Set: s, Op: measure.Decode, Goroutines: 1, NS: ns, Lo: ns * (1 - width/2), Hi: ns * (1 + width/2), CPU: true, Count: 15,
				Times: 12 / float64(i+1), TimesLo: 12 / float64(i+1), TimesHi: 12 / float64(i+1),
			})
		}
	}
	text, err := r.Text()
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "run.md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A run fills the section and draws the picture; the next one takes its place.
func TestREADMEShowsARun(t *testing.T) {
	const readme = "# Title\n<!-- lab: old -->\nold numbers\n<!-- /lab -->\nThe end.\n"
	file := readmeRun(t, 0.04)
	text, picture, err := readmeOf(readme, []string{file})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Title\n<!-- lab: written by", "| rtbwire-fast | 6.00 (2.00 µs) |", "<!-- /lab -->\nThe end.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "old numbers") || !strings.Contains(picture, "encoding-json</text>") {
		t.Errorf("%s\n%s", text, picture)
	}
	none, picture, err := readmeOf(text, []string{noRun})
	if err != nil || strings.Contains(none, " ns") || picture != "" || !strings.Contains(none, "make bench") {
		t.Errorf("without a run: %v\n%s", err, none)
	}
	if again, _, err := readmeOf(none, []string{file}); err != nil || again != text {
		t.Errorf("the run shown again: %v\n%s", err, again)
	}
}

// A preliminary run is refused, with the reason.
func TestREADMERefusesAPreliminaryRun(t *testing.T) {
	const readme = "<!-- lab: old -->\n<!-- /lab -->\n"
	text, picture, err := readmeOf(readme, []string{readmeRun(t, 0.3)})
	if err == nil || !strings.Contains(err.Error(), "no preliminary run. Preliminary: 135 of 135 intervals are wider than 20%") || text+picture != "" {
		t.Errorf("%v\n%s", err, text)
	}
	if _, _, err := readmeOf("# Title\n", []string{readmeRun(t, 0.04)}); err == nil {
		t.Error("a README without a place for results is written")
	}
}
