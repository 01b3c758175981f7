package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/published/openrtb"
	"github.com/rtbwire/rtbwire/lab/report"
)

func repository(t *testing.T) string {
	t.Helper()
	root, err := data.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(root)
}

func kept(t *testing.T) figures.All {
	t.Helper()
	all, err := figures.ReadFolder(filepath.Join(repository(t), "lab", "results", "claims"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func pageOf(t *testing.T, list []Source, all figures.All) *Page {
	t.Helper()
	p, err := newPage(list, all)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// notYet has the figures that programs compute since the last run whose figures are kept. Each
// leaves the list when it is measured.
var notYet []string

// notRun has the programs that have not run for the page yet. Each leaves the list with its first
// run.
var notRun []string

// notUsed has the ends of names that the kept run of the lab has and that no row asks for now. A
// new run leaves them out.
var notUsed = []string{"/over-jsoniter", "/over-sonic-fastest", "jsoniter/allocs-over-encoding-json"}

// elsewhere has the parts whose figures other pages show, too.
var elsewhere = map[string]string{
	"ablation": "lab/docs/performance.md", "parallel": "lab/docs/performance.md", "service": "lab/docs/performance.md",
	"cpp": "cpp/README.md", "playbook": "lab/docs/playbook.md", "published": "what make bench-published prints",
}

func TestEveryFigureIsThereAndUsed(t *testing.T) {
	all, used := kept(t), names(sources())
	for _, name := range used {
		part, _, _ := strings.Cut(name, "/")
		switch later := slices.Contains(notYet, name) || slices.Contains(notRun, part); {
		case all[name] == nil && !later:
			t.Errorf("figure %s is in no file of lab/results/claims", name)
		case all[name] != nil && later:
			t.Errorf("figure %s has been measured: take it, or its program, from the list of those that have not", name)
		}
	}
	for _, name := range notYet {
		if !slices.Contains(used, name) {
			t.Errorf("no row uses figure %s, which is to be measured", name)
		}
	}
	for name := range all {
		old := slices.ContainsFunc(notUsed, func(end string) bool { return strings.HasSuffix(name, end) })
		if part, _, _ := strings.Cut(name, "/"); !slices.Contains(used, name) && elsewhere[part] == "" && !old {
			t.Errorf("no row uses figure %s", name)
		}
	}
}

func TestPageIsCurrent(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repository(t), "lab", "docs", "claims.md"))
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != pageOf(t, sources(), kept(t)).Markdown() {
		t.Error(`lab/docs/claims.md is not what the figures say: write it with "cd lab && go run ./claims --write"`)
	}
}

func TestRowsAreComplete(t *testing.T) {
	list, count := sources(), 0
	p := pageOf(t, list, kept(t))
	for i, s := range list {
		if s.Name == "" || !strings.HasPrefix(s.URL, "https://") || s.Machine == "" || !strings.HasSuffix(s.About, ".") {
			t.Errorf("source %q lacks a name, an address, a machine or a sentence about it", s.Name)
		}
		seen := map[string]bool{}
		for j, r := range s.Rows {
			count++
			at := s.Name + ", " + r.ID
			if r.ID == "" || seen[r.ID] || r.Said == "" || r.Section == "" || (len(r.Tests) == 0) != (r.Untested != "") || len(r.Why) == 0 && r.Untested == "" {
				t.Errorf("%s: lacks something, comes twice, or has tests and a reason why there are none", at)
			}
			if r.Untested != "" && !strings.HasSuffix(r.Untested, ".") {
				t.Errorf("%s: why there is no test is a sentence", at)
			}
			seen[r.ID] = true
			for _, test := range r.Tests {
				if (test.For == "") != (len(r.Tests) == 1) || test.Rule.text == "" {
					t.Errorf("%s: tests have conditions if there are several, and rules", at)
				}
			}
			for _, why := range r.Why {
				if len(why.Explains) == 0 || !strings.HasSuffix(why.Text, ".") {
					t.Errorf("%s: a reason explains verdicts, in sentences", at)
				}
			}
			if a := p.Sections[i].Answers[j]; len(r.Tests) > 0 && !strings.HasPrefix(a.Command, "cd lab && go run ") && !strings.HasPrefix(a.Command, "make ") && !strings.HasPrefix(a.Command, "scripts/") {
				t.Errorf("%s: %q is not a command for the root of the repository", at, a.Command)
			}
		}
	}
	if count < 40 {
		t.Errorf("%d statements, want 40 and more", count)
	}
}

// What the page says of rows is what their figures say.
func TestConclusion(t *testing.T) {
	file := &figures.File{Program: "decode", Command: "make bench ARGS=full", Preliminary: []string{"short"}, Figures: map[string]figures.Figure{
		"two": figure(2, 1.9, 2.1), "half": figure(0.5, 0.4, 0.6), "unused": {},
	}}
	source := Source{Name: "A", URL: "https://a.example", Machine: "a machine", About: "All of it.", Rows: []Row{
		{ID: "1", Section: "1", Said: "twice | as fast", Tests: []Test{{"", "two", About(2, 0.25)}}, Beside: []Beside{{"slower", "half", Times}}},
		{ID: "2", Section: "2", Said: "three times as fast", Tests: []Test{{"", "two", About(3, 0.1)}}},
		{ID: "3", Section: "3", Said: "twice as fast", Tests: []Test{{"", "half", About(2, 0.25)}}},
		{ID: "4", Section: "x", Said: "faster", Tests: []Test{{"a", "two", Above(1)}, {"b", "half", Above(1)}}},
		{ID: "5", Section: "x", Said: "who knows", Tests: []Test{{"", "none", Above(1)}}},
	}}
	p := pageOf(t, []Source{source}, figures.All{"two": file, "half": file, "unused": file})
	text := p.Markdown()
	for _, want := range []string{
		"Of 5 published statements 1 holds, 1 holds under a condition, 2 do not hold and 1 is not measured yet.",
		"is faster in 2 of 3 comparisons of time, and by as much as was said in 1.",
		`| 1.1 section 1 | twice \| as fast<br>*2× within 25%: 1.6× to 2.5×* | 2× [1.9, 2.1]<br>(slower: 0.5× [0.4, 0.6])<br>*1 run of decode* \* | **holds** | ` + "`make bench ARGS=full` |",
		"| a: 2× [1.9, 2.1]<br>b: 0.5× [0.4, 0.6]<br>*1 run of decode* \\* | **holds for a; does not hold for b** |",
		"| not measured | **not measured** |",
		"**Preliminary:", "- `make bench ARGS=full`: short\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	if terminal := p.Terminal(); !strings.Contains(terminal, "1.4   HOLDS FOR A; DOES NOT HOLD FOR B") {
		t.Errorf("the terminal shows\n%s", terminal)
	}
	if rows := p.forPrograms(); len(rows) != 5 || rows[0].Tests[0].Value.Value != 2 || rows[4].Tests[0].Value != nil {
		t.Errorf("programs get %+v", rows)
	}
}

func TestTake(t *testing.T) {
	row := func(engine string, ns float64, allocs float64, rounds ...float64) measure.Row {
		return measure.Row{Engine: engine, Set: "banner", Op: measure.Decode, Goroutines: 1, NS: ns, Lo: ns, Hi: ns, Allocs: allocs, Rounds: rounds, Count: len(rounds)}
	}
	r := &report.Results{Budget: 6e6, Rows: []measure.Row{
		row("gojson", 10, 23, 10, 20, 30), row("encoding-json", 40, 49, 40, 60, 120), row("gojson-pool", 9, 22, 9), row("easyjson", 0, 0),
	}}
	for name, want := range map[string]figures.Figure{
		"decode/banner/encoding-json/over-gojson":        {Value: 4, Lo: 3, Hi: 4, Rounds: 3},
		"decode/banner/gojson/ns":                        {Value: 10, Lo: 10, Hi: 10, Unit: "ns", Rounds: 3},
		"decode/banner/gojson/allocs":                    figures.Exactly(23, "allocs"),
		"decode/banner/gojson/allocs-beyond-gojson-pool": figures.Exactly(1, "allocs"),
		"decode/banner/gojson/allocs-over-encoding-json": figures.Exactly(23.0/49, ""),
		"arithmetic/50000/7700ns":                        figures.Exactly(385, "ms/s"),
		"arithmetic/50000/encoding-json":                 {Value: 2, Lo: 2, Hi: 2, Unit: "ms/s", Rounds: 3},
	} {
		if got, err := figureOf(r, name); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, want)
		}
	}
	for _, name := range []string{
		"decode/banner/sonic/over-gojson", "decode/banner/gojson/over-sonic", "decode/app/gojson/ns", "decode/banner/gojson/over-gojson-pool",
		"decode/banner/gojson/times", "decode/banner", "arithmetic/50000/sonic",
	} {
		if got, err := figureOf(r, name); err == nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	folder := t.TempDir()
	results := filepath.Join(folder, "results.json")
	if err := r.WriteJSON(results); err != nil {
		t.Fatal(err)
	}
	if err := take(results, folder, io.Discard); err != nil {
		t.Fatal(err)
	}
	f, err := figures.ReadProgram(folder, "decode")
	if err != nil || f.Preliminary == nil || f.Figures["decode/banner/encoding-json/over-gojson"].Value != 4 {
		t.Errorf("%+v, %v", f, err)
	}
}

// Every name that a run of the lab is asked for has a meaning.
func TestNamesOfARun(t *testing.T) {
	form := regexp.MustCompile(`^((decode|partial|encode)/[a-z_]+/[a-z0-9-]+/(ns|allocs|bytes|((allocs|bytes)-)?over-[a-z0-9-]+|allocs-beyond-[a-z0-9-]+)|arithmetic/50000/[a-z0-9-]+)$`)
	for _, name := range names(sources()) {
		if ofRun(name) && !form.MatchString(name) {
			t.Errorf("%s", name)
		}
	}
}

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		want    string
		figures []string
	}{
		{"cd lab && go run . --ops decode --sets banner,app --engines '^(encoding-json|gojson)$'", []string{"decode/banner/encoding-json/over-gojson", "decode/app/encoding-json/over-gojson"}},
		{"cd lab && go run . --ops decode --sets banner --engines '^(gojson|gojson-pool)$'", []string{"decode/banner/gojson/allocs-beyond-gojson-pool"}},
		{"cd lab && go run . --ops decode --sets banner --engines '^(gojson)$'", []string{"decode/banner/gojson/ns"}},
		{"cd lab && go run ./playbook 7", []string{"playbook/7/strict-decoder/over-unmarshal"}},
		{"make cpp ARGS=bench", []string{"cpp/packets/x/heap-calls"}},
		{"make bench-published", []string{"published/banner/gojson/allocs", "published/banner/encoding-json/allocs"}},
		{"", []string{"arithmetic/50000/7700ns"}},
	} {
		var tests []Test
		for _, f := range c.figures {
			tests = append(tests, Test{Figure: f})
		}
		if got := commandOf(tests); got != c.want {
			t.Errorf("%v: got %q, want %q", c.figures, got, c.want)
		}
	}
}

func TestCensus(t *testing.T) {
	all, values := specified("BidRequest", true), specified("BidRequest", false)
	for name, want := range map[string][2]bool{
		"BidRequest.id": {true, true}, "Banner.w": {true, true}, "BidRequest.imp": {true, false}, "BidRequest.site": {true, false},
		"BidRequest.bcat": {true, false}, "BidRequest.ext": {}, "Bid.price": {},
	} {
		if got := [2]bool{all[name], values[name]}; got != want {
			t.Errorf("%s counts as a field, as a value: %v, want %v", name, got, want)
		}
	}
	n, err := populated([]byte(`{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":2}},{"id":"2","banner":{"w":3}}],"ext":{"a":1},"unknown":1}`))
	if err != nil || n != 4 {
		t.Errorf("got %d values, %v, want 4: id, and id, w, h inside imp", n, err)
	}
	if n, err := populated(openrtb.BannerText()); err != nil || n != 29 {
		t.Errorf("the request of the articles has %d values, %v, want 29", n, err)
	}
}

func TestRun(t *testing.T) {
	folder := t.TempDir()
	file := &figures.File{Command: "make bench ARGS=full", Figures: map[string]figures.Figure{"playbook/9/scratch/allocs": figures.Exactly(0, "allocs")}}
	if err := file.Write(filepath.Join(folder, "playbook.json")); err != nil {
		t.Fatal(err)
	}
	o := options{folder: folder, page: filepath.Join(folder, "page.md")}
	for verb, ok := range map[string]bool{"": true, "census": true, "unknown": false} {
		if err := run(&o, verb, nil, io.Discard); (err == nil) != ok {
			t.Errorf("%q: %v", verb, err)
		}
	}
	o.write = true
	if err := run(&o, "", nil, io.Discard); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(o.page); err != nil || !strings.Contains(string(text), "<br>*0 allocs* | 0 allocs<br>*1 run of playbook* | **holds** |") {
		t.Errorf("%s, %v", text, err)
	}
	if err := run(&o, "", []string{"x"}, io.Discard); err == nil {
		t.Error("an unexpected argument is accepted")
	}
}
