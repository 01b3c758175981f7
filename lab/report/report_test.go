package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/report"
)

// results is a run with everything that a run can have.
func results() *report.Results {
	r := &report.Results{
		Taken: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Preset: "full", Rounds: 7, Budget: 50 * time.Millisecond, CPUTime: true,
		Sets: []report.Set{
			{Name: "banner", Docs: 1, Bytes: 804, About: "a banner request, the smallest one"},
			{Name: "app", Docs: 1, LeftOut: 3, Bytes: 4378.25, About: "app | requests"},
		},
		Missing: []report.Missing{{Name: "absent", Module: "example.com/absent", Reason: "does not build"}},
		Machine: report.Machine{
			CPU: "Example 9000", Cores: 2, Features: []string{"avx2", "bmi2"}, OS: "linux", Arch: "amd64", Go: "go1.26.8",
			Flags: []string{"CGO_ENABLED=0", "-ldflags=-s -w"}, Commit: "0123456789ab", Dirty: true, Core: "1", Others: "0.03", Stolen: "0.0012", LoadBefore: 0.82, LoadAfter: 1.9,
		},
	}
	for i, name := range []string{"rtbwire-arena", "gojson", "encoding-json", "odd <one>"} {
		info := measure.Info{
			Name: name, Module: "example.com/" + name[:3], Version: "v1.2.3", Config: `v.Do(a|b, "\n")`, Source: "README.md: a|b", Note: "a note",
			Ops:    map[measure.Op]bool{measure.Decode: true},
			Safety: engine.Safety{Copies: engine.Yes, UTF8: engine.Repairs, CaseSensitive: engine.No},
		}
		if i > 0 {
			info.Laxity = measure.Laxity{Accepted: map[string]int{"cut off": i}, Of: map[string]int{"cut off": 115, "a comma too many": 81}}
		}
		r.Engines = append(r.Engines, info)
		for j, set := range r.Sets {
			for _, g := range []int{1, 2} {
				ns := float64((i*10 + 1) * (j + 1) * 100)
				row := measure.Row{
					Engine: name, Set: set.Name, Op: measure.Decode, Goroutines: g, NS: ns, Lo: ns * 0.98, Hi: ns * 1.02, Wall: ns,
					CPU: g == 1, DocBytes: set.Bytes, Count: 7 + j,
				}
				if g == 1 {
					row.Bytes, row.Allocs, row.Wall = float64(i*100), float64(i)/3, ns*1.01
					row.Times = 21 / float64(i*10+1)
					row.TimesLo, row.TimesHi = row.Times*0.99, row.Times*1.02
				}
				if i == 3 {
					row = measure.Row{Engine: name, Set: set.Name, Op: measure.Decode, Goroutines: g, DocBytes: set.Bytes, Wrong: "reads <something> else"}
				}
				r.Rows = append(r.Rows, row)
			}
		}
		r.Services = append(r.Services, measure.ServiceResult{
			Engine: name, Set: "traffic", Rate: 3977.4, Requests: 31819, P50: 1000, P90: 1234.5, P99: 2000, P999: 56789, Max: 1e6, Busy: 0.123, GCShare: 0.0456,
			GCCycles: 12, Pauses: 24, PauseP50: 1.6e-5, PauseP99: 6.5e-5, PauseMax: 1.3e-4, BytesPerRequest: 4737.4, Behind: i == 2,
			Histogram: append(make([]int, 8+i), 31000, 0, 800, 19-i),
		})
	}
	return r
}

// The page needs no other file, and its pictures are well-formed.
func TestHTML(t *testing.T) {
	var b bytes.Buffer
	if err := results().HTML(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, bad := range []string{"http://", "https://", "<script", "@import", "url(", "<one>", "NaN", "Inf", "ZgotmplZ"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	pictures := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(text, -1)
	if len(pictures) < 4 {
		t.Errorf("%d pictures", len(pictures))
	}
	for _, p := range pictures {
		d := xml.NewDecoder(strings.NewReader(p))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in %s", err, p)
			}
		}
	}
	if !strings.Contains(text, "not timed: reads &lt;something&gt; else") {
		t.Error("what was wrong is not said")
	}
}

// Labels at the ends of lines keep the order of the ends and a distance, even if there are many.
func TestLabels(t *testing.T) {
	r := results()
	r.Engines = nil
	r.Rows = nil
	for i := range 20 {
		name := fmt.Sprintf("engine%02d", i)
		r.Engines = append(r.Engines, measure.Info{Name: name})
		for j, set := range r.Sets {
			ns := 1000*float64(j+1) + float64(20-i)
			r.Rows = append(r.Rows, measure.Row{Engine: name, Set: set.Name, Op: measure.Decode, Goroutines: 1, NS: ns, Lo: ns, Hi: ns, Wall: ns})
		}
	}
	var b bytes.Buffer
	if err := r.HTML(&b); err != nil {
		t.Fatal(err)
	}
	last, n := 0.0, 0
	picture := b.String()[strings.Index(b.String(), `id="size"`):]
	picture = picture[:strings.Index(picture, "</svg>")]
	for _, m := range regexp.MustCompile(`<text class="name [^"]*" x="[^"]*" y="([^"]*)">engine(\d\d)`).FindAllStringSubmatch(picture, -1) {
		y, err := strconv.ParseFloat(m[1], 64)
		if err != nil || m[2] != fmt.Sprintf("%02d", n) || y < last+11.9 {
			t.Errorf("label %s at %v after %v, %v", m[2], y, last, err)
		}
		last = y
		n++
	}
	if n != 20 {
		t.Errorf("%d labels", n)
	}
}

func TestTargets(t *testing.T) {
	r := results()
	want := map[string]string{
		"ParseFastArena, banner, against the best of goccy/go-json and sonic": "yes",  // 11 times
		"ParseFastArena, the same, indented":                                  "open", // no such set
		"ParseFast, banner":                                                   "open", // no such engine
	}
	for _, target := range r.Targets() {
		if mark, ok := want[target.What]; ok && mark != target.Mark() {
			t.Errorf("%s: %s (%s), want %s", target.What, target.Mark(), target.Got, mark)
		}
		delete(want, target.What)
	}
	if len(want) > 0 {
		t.Errorf("no targets %v", want)
	}
}

// The file of a run has everything that the report shows, and is the same after it was read.
func TestFile(t *testing.T) {
	text, err := results().Text()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "run.md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := report.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.Text()
	if err != nil || again != text {
		t.Errorf("%v; after reading:\n%s\nbefore:\n%s", err, again, text)
	}
	for _, line := range []string{
		"| rtbwire-arena | 100.0 ns [98.0, 102.0] | 200.0 ns [196.0, 204.0] |",
		"| gojson | 1100 ns [1078, 1122] | 2200 ns [2156, 2244] |",
		"| gojson | 1.91 [1.89, 1.95] | 1.91 [1.89, 1.95] |",
		"| rounds | 7 | 8 |",
		"| below | rtbwire-arena | gojson | encoding-json | odd \\<one> |",
		"| 1334 ns | 0 | 31000 | 0 | 0 |", // the buckets of gojson's histogram begin here
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}

	// What is read is what was measured, rounded.
	want := results()
	same := func(what string, a, b any) {
		t.Helper()
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %+v was read, want %+v", what, a, b)
		}
	}
	same("machine", r.Machine, want.Machine)
	same("missing", r.Missing, want.Missing)
	same("services", len(r.Services), len(want.Services))
	near(t, r.Services[2], want.Services[2])
	same("rows", len(r.Rows), len(want.Rows))
	for i := range want.Engines {
		if want.Engines[i].Laxity.Of == nil {
			want.Engines[i].Laxity = measure.Laxity{Accepted: map[string]int{}, Of: map[string]int{}}
		}
	}
	same("engines", r.Engines, want.Engines)
	for _, w := range want.Rows {
		i := slices.IndexFunc(r.Rows, func(g measure.Row) bool {
			return g.Engine == w.Engine && g.Set == w.Set && g.Goroutines == w.Goroutines
		})
		if i < 0 {
			t.Errorf("no row %+v", w)
			continue
		}
		got := r.Rows[i]
		for _, v := range []struct{ got, want float64 }{{got.NS, w.NS}, {got.Lo, w.Lo}, {got.Hi, w.Hi}, {got.Wall, w.Wall}, {got.Bytes, w.Bytes}, {got.Allocs, w.Allocs},
			{got.Times, w.Times}, {got.TimesLo, w.TimesLo}, {got.TimesHi, w.TimesHi}} {
			if math.Abs(v.got-v.want) > 0.006*v.want {
				t.Errorf("read %+v, want %+v", got, w)
				break
			}
		}
		if got.Wrong != w.Wrong || got.CPU != w.CPU || got.Count != w.Count {
			t.Errorf("read %+v, want %+v", got, w)
		}
	}
}

// near compares structs, numbers with a point to three digits.
func near(t *testing.T, got, want any) {
	t.Helper()
	a, b := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range a.NumField() {
		x, y := a.Field(i), b.Field(i)
		if x.CanFloat() && math.Abs(x.Float()-y.Float()) > 0.006*math.Abs(y.Float()) || !x.CanFloat() && !reflect.DeepEqual(x.Interface(), y.Interface()) {
			t.Errorf("%s: %v was read, want %v", a.Type().Field(i).Name, x, y)
		}
	}
}

// A file that was cut or edited is refused.
func TestFileErrors(t *testing.T) {
	text, err := results().Text()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "run.md")
	for _, c := range []struct{ old, new string }{
		{"## Run", "## Walk"},
		{"| taken | 2026-01-02T03:04:05Z |", "| taken | yesterday |"},
		{"| 1100 ns [1078, 1122] |", "| 1100 parsec [1078, 1122] |"},
		{"| 1100 ns [1078, 1122] |", "| 1100 ns [1078, 1122] | 7 |"},
		{"| rounds | 7 | 8 |", ""},
		{"| decode | odd \\<one> | app | reads \\<something> else |", ""},
		{"| documents |", "| papers |"},
	} {
		if strings.Count(text, c.old) == 0 {
			t.Errorf("%q is not in the file", c.old)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(text, c.old, c.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := report.Read(file); err == nil {
			t.Errorf("a file with %q for %q is read", c.new, c.old)
		}
	}
}

// The last committed runs are as the program would write them: no number in them is typed.
func TestCommittedRuns(t *testing.T) {
	files, err := filepath.Glob("../results/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no runs, %v", err)
	}
	for _, file := range append(files, sample) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := report.Read(file)
		if err != nil {
			t.Error(err)
			continue
		}
		again, err := r.Text()
		if err != nil || again != string(text) {
			t.Errorf("%s: %v, or it was changed by hand: run: cd lab && go run . report results/%s", file, err, filepath.Base(file))
		}
		if err := r.HTML(io.Discard); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// sample is a short run of some engines on a busy machine, with a service.
const sample = "testdata/sample.md"

// The page of a run has what a reader looks for, in this order: the conclusion, each engine in the
// overview, and the distribution of the service's times.
func TestSample(t *testing.T) {
	r, err := report.Read(sample)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.HTML(&b); err != nil {
		t.Fatal(err)
	}
	text, at := b.String(), 0
	want := []string{"Preliminary: ", `class="answer"`, "If you use <b>encoding/json</b> in a bidder, move to", "What it costs: ", `class="over"`}
	for range r.Engines {
		want = append(want, `class="who"`)
	}
	for _, w := range append(want, `id="service"`, "<rect ", "<svg class=\"narrow\"", `id="decode"`, `id="engines"`, `id="run"`) {
		next := strings.Index(text[at:], w)
		if next < 0 {
			t.Fatalf("no %s after byte %d", w, at)
		}
		at += next + len(w)
	}
	if strings.Contains(text, "at least 9 times") {
		t.Error("the page has targets of the design")
	}
	// Every request of a service is in its histogram.
	for _, s := range r.Services {
		sum := 0
		for _, n := range s.Histogram {
			sum += n
		}
		if sum != s.Requests {
			t.Errorf("%s: %d requests in the histogram, want %d", s.Engine, sum, s.Requests)
		}
	}
}

// quiet is a run that the README may show.
func quiet() *report.Results {
	r := results()
	r.Engines, r.Sets, r.Rows, r.Services = nil, nil, nil, nil
	for i, e := range report.READMEEngines {
		safety := engine.Safety{Copies: engine.Yes, UTF8: engine.Repairs}
		if e == "sonic-fastest" {
			safety.UTF8 = engine.No
		}
		r.Engines = append(r.Engines, measure.Info{
			Name: e, Module: "github.com/other/" + e, Config: e + ".Do(data)", Ops: map[measure.Op]bool{measure.Decode: true}, Safety: safety,
		})
		for _, s := range report.READMESets {
			ns, times := 1000*float64(i+1), 12/float64(i+1)
			r.Rows = append(r.Rows, measure.Row{
				Engine: e, Set: s, Op: measure.Decode, Goroutines: 1, NS: ns, Lo: ns * 0.99, Hi: ns * 1.01, Count: 7 + i,
				Times: times, TimesLo: times, TimesHi: times,
			})
		}
	}
	for _, s := range report.READMESets {
		r.Sets = append(r.Sets, report.Set{Name: s, Docs: 1, Bytes: 804})
	}
	return r
}

func TestWarning(t *testing.T) {
	if w := quiet().Warning(); w != "" {
		t.Errorf("a quiet run: %s", w)
	}
	widen := func(r *report.Results, n int) {
		for i := range n {
			r.Rows[i].Hi = r.Rows[i].NS * 1.3
		}
	}
	rows := len(quiet().Rows)
	for want, disturb := range map[string]func(r *report.Results){
		"":                            func(r *report.Results) { widen(r, rows/5) },
		"intervals are wider than 20": func(r *report.Results) { widen(r, rows/5+1) },
		// Engines that are not timed have no interval.
		"17 of 62": func(r *report.Results) {
			widen(r, 17)
			for i := 17; i < 17+rows-62; i++ {
				r.Rows[i].NS, r.Rows[i].Wrong = 0, "reads something else"
			}
		},
		"kept 0.21 of 2 cores busy": func(r *report.Results) { r.Machine.Others, r.LeastOf = "0.21", 4 },
		"machines took 1.2% of the": func(r *report.Results) { r.Machine.SetStolen(0.012) },
		"6ms are shorter":           func(r *report.Results) { r.Budget = 6 * time.Millisecond },
	} {
		r := quiet()
		disturb(r)
		if w := r.Warning(); !strings.Contains(w, want) || (w == "") != (want == "") {
			t.Errorf("warning %q, want %q", w, want)
		}
	}

	// Enough rounds for each that counts make up for other processes, and the file says so.
	r := quiet()
	r.Machine.Others, r.LeastOf = "0.90", 5
	text, err := r.Text()
	if w := r.Warning(); w != "" || err != nil || !strings.Contains(text, "So 5 rounds in a row count as one") || !strings.Contains(text, "| least of | 5 |") {
		t.Errorf("%q, %v in\n%.1000s", w, err, text)
	}
}

// TestCombine has the medians of runs, and intervals that reach over all of them.
func TestCombine(t *testing.T) {
	runs := []*report.Results{quiet(), quiet(), quiet()}
	for i, r := range runs {
		r.Taken = r.Taken.Add(time.Duration(2-i) * 2 * time.Hour)
		w := &r.Rows[0]
		w.NS, w.Lo, w.Hi = w.NS+float64(100*i), w.Lo+float64(100*i), w.Hi+float64(100*i)
		w.Times, w.TimesLo, w.TimesHi = w.Times+float64(i), w.TimesLo+float64(i), w.TimesHi+float64(i)
	}
	first, last := runs[0].Rows[0], runs[2].Rows[0]
	runs[1].Rows = slices.DeleteFunc(runs[1].Rows, func(w measure.Row) bool { return w.Engine == "gojson-unsafe" && w.Set == "ctv" })
	all, err := report.Combine(runs)
	if err != nil {
		t.Fatal(err)
	}
	w := all.Rows[0]
	if w.NS != first.NS+100 || w.Lo != first.Lo || w.Hi != last.Hi || w.Times != first.Times+1 || w.TimesLo != first.TimesLo || w.TimesHi != last.TimesHi || w.Count != 3*first.Count {
		t.Errorf("%+v", w)
	}
	if len(all.Rows) != len(runs[0].Rows)-1 || !all.Taken.Equal(runs[0].Taken) || all.Runs[0] != runs[2] {
		t.Errorf("%d rows, taken %v", len(all.Rows), all.Taken)
	}
	section, err := all.README("x.md", "y.md", "z.md")
	if err != nil || !strings.Contains(section, "of 3 runs of 7 rounds or more (2026-01-02 03:04, ") || !strings.Contains(section, "| rtbwire-arena | 13.0 ±8% (1.10 µs) |") {
		t.Errorf("%v\n%s", err, section)
	}
	far := []*report.Results{quiet(), quiet()}
	for i := range far[1].Rows {
		w := &far[1].Rows[i]
		w.NS, w.Lo, w.Hi = 2*w.NS, 2*w.Lo, 2*w.Hi
	}
	if all, err = report.Combine(far); err != nil {
		t.Fatal(err)
	}
	if section, err := all.README("x.md", "y.md"); err != nil {
		t.Errorf("runs that differ are not shown: %v\n%s", err, section)
	}
	runs[1].Machine.Others = "1.50"
	if _, err := report.Combine(runs); err == nil {
		t.Error("a preliminary run is combined with others")
	}
}

func TestREADME(t *testing.T) {
	section, err := quiet().README("lab/results/x.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"(lab/results/x.md)", "7 to 21 rounds", "docs/decode.svg",
		"| rtbwire-arena | 12.0 (1.00 µs) | 12.0 (1.00 µs) | 12.0 (1.00 µs) | arena |  |\n",
		"| encoding-json | 1.00 (12.0 µs) |", "| sonic-fastest | 1.33 (9.00 µs) | 1.33 (9.00 µs) | 1.33 (9.00 µs) |  | UTF-8 |\n",
	} {
		if !strings.Contains(section, want) {
			t.Errorf("no %q in\n%s", want, section)
		}
	}
	for line := range strings.Lines(section) {
		if len(line) > 140 && !strings.HasPrefix(line, "|") {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
	if strings.Contains(section, "±") {
		t.Errorf("an interval is called wide in\n%s", section)
	}
	r := quiet()
	r.Rows[0].TimesHi = r.Rows[0].Times * 1.25
	section, err = r.README("x.md")
	if want := "| rtbwire-arena | 12.0 ±25% (1.00 µs) |"; err != nil || !strings.Contains(section, want) {
		t.Errorf("%v: no %q in\n%s", err, want, section)
	}
	for want, spoil := range map[string]func(r *report.Results){
		"no preliminary run. Preliminary: other processes kept 1.5": func(r *report.Results) { r.Machine.Others = "1.50" },
		"shows easyjson, which is not":                              func(r *report.Results) { r.Engines[9].Name = "hardjson" },
		"the set video, which is not":                               func(r *report.Results) { rename(r, "video", "radio") },
	} {
		r := quiet()
		spoil(r)
		if section, err := r.README("x.md"); err == nil || !strings.Contains(err.Error(), want) || section != "" {
			t.Errorf("%s: %v\n%s", want, err, section)
		}
	}
	// Engines of later runs are left out.
	r = quiet()
	i := slices.IndexFunc(r.Engines, func(e measure.Info) bool { return e.Name == "handwritten-fast" })
	r.Engines = slices.Delete(r.Engines, i, i+1)
	r.Rows = slices.DeleteFunc(r.Rows, func(w measure.Row) bool { return w.Engine == "handwritten-fast" })
	if section, err := r.README("x.md"); err != nil || strings.Contains(section, "handwritten-fast") {
		t.Errorf("%v: an engine that did not take part, in\n%s", err, section)
	}
}

func rename(r *report.Results, from, to string) {
	for i := range r.Rows {
		if r.Rows[i].Set == from {
			r.Rows[i].Set = to
		}
	}
}

// The conclusion follows from the numbers, and names no engine that skips a check.
func TestConclusion(t *testing.T) {
	row := func(r *report.Results, engine string) {
		for i := range r.Rows {
			if w := &r.Rows[i]; w.Engine == engine {
				w.NS, w.Times = 500, 24
			}
		}
	}
	info := func(r *report.Results, name string) *measure.Info {
		return &r.Engines[slices.IndexFunc(r.Engines, func(e measure.Info) bool { return e.Name == name })]
	}
	for _, c := range []struct {
		name      string
		change    func(r *report.Results)
		want, not []string
	}{
		{"as it is", func(*report.Results) {}, []string{
			"`rtbwire-arena` where values are released (12.0 times as fast as `encoding/json`)", "`gojson` with the functions of `encoding/json` (2.00 times)",
			"move to `rtbwire-arena` (rtbwire-arena.Do), or to `gojson` (other/gojson) if it has to be the same functions and your types",
			"decodes 500,000 or 83,300 instead of 41,700 requests a second",
			"`gojson` takes another import", "a call that releases the value", "skip checks: `sonic-fastest`.",
		}, []string{"percentile", "to encode"}},
		{"a drop-in that is fastest", func(r *report.Results) { row(r, "gojson") }, []string{"move to `gojson` (other/gojson): half of the time of a core then decodes 1,000,000 instead of 41,700 requests"}, []string{"or to", "rtbwire-arena"}},
		{"one that skips a check is fastest", func(r *report.Results) { row(r, "sonic-fastest") }, []string{"move to `rtbwire-arena`"}, nil},
		{"one that accepts broken requests is fastest", func(r *report.Results) {
			row(r, "gojson")
			info(r, "gojson").Laxity = measure.Laxity{Accepted: map[string]int{"cut off": 1}, Of: map[string]int{"cut off": 9}}
		}, []string{"move to `rtbwire-arena`", "skip checks: `gojson` and `sonic-fastest`"}, nil},
		{"a service", func(r *report.Results) {
			for i, e := range []string{"rtbwire-arena", "gojson", "encoding-json"} {
				r.Services = append(r.Services, measure.ServiceResult{Engine: e, Rate: 1000, P99: 1e5 * float64(i+1), GCShare: 0.1 * float64(i), Behind: i == 2})
			}
		}, []string{"the 99th percentile is 100 µs or 200 µs instead of that of a queue that grows", "takes 0.0% or 10.0% instead of 20.0%"}, nil},
		{"another operation", func(r *report.Results) {
			for _, e := range []string{"rtbwire-arena", "gojson"} {
				r.Rows = append(r.Rows, measure.Row{Engine: e, Set: "banner", Op: measure.Encode, Goroutines: 1, NS: float64(len(e)), Times: 3})
			}
		}, []string{"; to encode, `gojson` (3.00 times, the banner request)."}, nil},
	} {
		r := quiet()
		c.change(r)
		text := strings.Join(r.Conclusion(), " ")
		if len(r.Conclusion()) != 3 {
			t.Errorf("%s: %d sentences", c.name, len(r.Conclusion()))
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, text)
			}
		}
		for _, not := range c.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: %q in\n%s", c.name, not, text)
			}
		}
	}
	r := quiet()
	r.Rows = slices.DeleteFunc(r.Rows, func(w measure.Row) bool { return w.Engine == report.Base })
	if c := r.Conclusion(); c != nil {
		t.Errorf("without encoding/json: %q", c)
	}
}
