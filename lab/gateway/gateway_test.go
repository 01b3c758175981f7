package gateway

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/pprof/profile"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/report"
	"github.com/rtbwire/rtbwire/openrtb"
)

// measured returns results as a run leaves them, of a gateway that meets its targets.
func measured(t *testing.T) *Results {
	t.Helper()
	r, err := Load(filepath.Join(t.TempDir(), "none.json"))
	if err != nil {
		t.Fatal(err)
	}
	r.Bodies = []BodyInfo{{bannerBody, "a banner", 800}, {mixBody, "the corpus", 1000}}
	for _, c := range append([]*contestant{direct}, contestants...) {
		r.Contestants = append(r.Contestants, Info{Name: c.name, About: c.about})
	}
	costs := map[string]float64{ownFull: 22, ownOff: 20.5, ownPassthrough: 19, bareName: 20, "nginx": 18, "haproxy": 17, reverse: 80, goJSON: 100, stdJSON: 150}
	for round := range roundsMin {
		for _, b := range r.Bodies {
			for name, cost := range costs {
				noise, rate := 1+0.001*float64(round%3), hundreds(utilisation*1e6/cost)
				r.Samples = append(r.Samples,
					Sample{Part: "cost", Contestant: name, Body: b.Name, Round: round, Answered: 1e6 / cost, CPU: cost * noise, Sink: 9, Mallocs: cost, Allocated: cost * 10, Collector: 0.05},
					Sample{Part: "latency direct", Contestant: name, Body: b.Name, Round: round, Offered: rate, Answered: rate, Windows: 4, WindowP50: 0.04, WindowP99: 0.2},
					Sample{Part: "latency", Contestant: name, Body: b.Name, Round: round, Offered: rate, Answered: rate, Windows: 4, WindowP50: 0.05 + cost/1000, WindowP99: 0.4 + cost/1000, Slow: 0.25, Core: cost * 1.2, Sink: 12})
			}
		}
	}
	for name := range costs {
		r.Samples = append(r.Samples,
			Sample{Part: "memory", Contestant: name, Body: bannerBody, Offered: 8000, Answered: 8000, Resident: 50, Peak: 60, Goroutines: 1010})
	}
	for _, kind := range []string{overloadUpstream, overloadGateway} {
		r.Samples = append(r.Samples,
			Sample{Part: "overload " + kind + " peak", Contestant: ownFull, Body: bannerBody, Answered: 4000},
			Sample{Part: "overload " + kind, Contestant: ownFull, Body: bannerBody, Offered: 12_000, Answered: 3900, Other: 8000, NaiveP99: 9, Invalid: "late"})
	}
	for _, name := range []string{ownFull, goJSON, stdJSON} {
		r.Samples = append(r.Samples,
			Sample{Part: "scaling", Contestant: name, Body: mixBody, Cores: 1, Answered: 1e6 / costs[name], CPU: costs[name]},
			Sample{Part: "scaling", Contestant: name, Body: mixBody, Cores: 4, Answered: 3.6e6 / costs[name], CPU: costs[name]},
			Sample{Part: "scaling", Contestant: name, Body: mixBody, Cores: 4, Offered: 50_000, Answered: 50_000, WindowP50: 0.12, WindowP99: 0.34},
			Sample{Part: "scaling", Contestant: name, Body: mixBody, Cores: 4, Offered: 100_000, Answered: 90_000, WindowP50: 1, WindowP99: 9})
		r.Shares = append(r.Shares, Share{name, mixBody, "decode", 0.25})
	}
	r.Soak = &Soak{Contestant: ownFull, Body: mixBody, Rate: 20_000, Seconds: 1800, Answered: 36e6, P50: 0.1, P99: 0.4}
	for i := range soakPoints {
		r.Soak.Points = append(r.Soak.Points, SoakPoint{float64(i) * 7.5, 60 + float64(i%2), 80})
		r.Soak.Intervals = append(r.Soak.Intervals, SoakInterval{float64(i) * 7.5, 20_000, 0.4})
	}
	for _, p := range parts {
		r.note(p.name, Part{Taken: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), Seconds: 600, MaxLagMs: 1, Others: 0.05, Machine: report.Machine{CPU: "Example 9000", Cores: 2}})
	}
	return r
}

// TestTargets meets every target with the results above, and none with a gateway that is slow,
// large and sheds too much.
func TestTargets(t *testing.T) {
	r := measured(t)
	if w := r.Warning(); w != "" {
		t.Error(w)
	}
	list := r.targets()
	const want = 9
	if len(list) != want {
		t.Errorf("%d targets, want %d", len(list), want)
	}
	for _, got := range list {
		if !got.met {
			t.Errorf("not met: %+v", got)
		}
	}
	for i := range r.Samples {
		s := &r.Samples[i]
		if s.Contestant == ownFull {
			s.CPU, s.WindowP50, s.WindowP99, s.Peak = 10*s.CPU, 10*s.WindowP50, 10*s.WindowP99, 10*s.Peak
			if strings.HasPrefix(s.Part, "overload") && s.Offered > 0 {
				s.Answered /= 2
			}
		}
	}
	for i := range r.Soak.Points {
		r.Soak.Points[i].Resident += float64(i)
	}
	for _, got := range r.targets() {
		if got.met {
			t.Errorf("met: %+v", got)
		}
	}
}

// TestWarning says why results are preliminary.
func TestWarning(t *testing.T) {
	for _, tt := range []struct {
		want   string
		change func(r *Results)
	}{
		{"cost was measured with --quick", func(r *Results) { p := r.Parts["cost"]; p.Quick = true; r.Parts["cost"] = p }},
		{"cost: the generator was allowed to be 5 ms late", func(r *Results) { p := r.Parts["cost"]; p.MaxLagMs = 5; r.Parts["cost"] = p }},
		{"memory: other virtual machines took 2.0% of the processors", func(r *Results) { p := r.Parts["memory"]; p.Stolen = 0.02; r.Parts["memory"] = p }},
		{"soak: other processes kept 0.50 of 2 cores busy", func(r *Results) { p := r.Parts["soak"]; p.Others = 0.5; r.Parts["soak"] = p }},
		{"measurements do not count", func(r *Results) {
			for i := range r.Samples {
				r.Samples[i].Invalid = "late"
			}
		}},
		{"there were 3 rounds, not 10", func(r *Results) {
			for i := range r.Samples {
				r.Samples[i].Round %= 3
			}
		}},
	} {
		r := measured(t)
		tt.change(r)
		if got := r.Warning(); !strings.HasPrefix(got, "Preliminary: ") || !strings.Contains(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestFile reads what was written.
func TestFile(t *testing.T) {
	r, file := measured(t), filepath.Join(t.TempDir(), "results", "gateway.json")
	if err := r.Save(file); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || figures.CheckSeal(text) != nil {
		t.Errorf("%v, %v", err, figures.CheckSeal(text))
	}
	again, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r, again, cmpopts.IgnoreUnexported(Results{})); d != "" {
		t.Error(d)
	}
	again.drop("overload")
	again.drop("soak")
	for _, s := range again.Samples {
		if strings.HasPrefix(s.Part, "overload") {
			t.Errorf("%+v is still there", s)
		}
	}
	if again.Soak != nil || len(again.Parts) != len(parts)-2 {
		t.Error("the soak is still there")
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file); err == nil {
		t.Error("half a file was read")
	}
}

// TestPage has every section and every contestant, and no NaN.
func TestPage(t *testing.T) {
	r := measured(t)
	page := r.Page()
	for _, p := range parts {
		if !strings.Contains(page, "go run . gateway --only "+p.name+"\n") {
			t.Errorf("the page does not say how %s is measured", p.name)
		}
	}
	for _, want := range []string{
		"| `rtbwire` | 22.0 | 1.10 |", "| banner 1.10, mix 1.10 |", "| `rtbwire` | 27,200 | 72% | 32 | 222 | 25% | 12.0 (1.3 times) | 2 | 4 | 8 |  |",
		"| 4 | `rtbwire` | 163,636 | 22.0 | 90% | 0.12, 0.34 | not carried | - |",
		"| the upstream | `rtbwire` | 4,000 | 12,000 | 3,900 | 0.97 | 8,000 | 0 | 9.0 ms |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, picture := range []string{page, r.cpuBars(), r.latencyBars(), r.soakPlot()} {
		if picture == "" || strings.Contains(picture, "NaN") || strings.Contains(picture, "Inf") {
			t.Errorf("not a number in %.200s", picture)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
}

// TestCommitted holds what is committed to the committed results: nothing is typed by hand.
func TestCommitted(t *testing.T) {
	r, err := LoadAll("../" + ResultsFile)
	if err != nil {
		t.Fatal(err)
	}
	if w := r.Warning(); w != "" {
		t.Error(w)
	}
	files := r.pictures()
	files[filepath.Base(pageFile)] = r.Page()
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", pageFolder, name))
		if err != nil && (want != "" || !os.IsNotExist(err)) {
			t.Error(err)
		}
		if string(got) != want {
			t.Errorf("%s is not what the results say: go run . gateway page", name)
		}
	}
}

// TestRuns compares runs, and says where the machine was slow and not the contestant.
func TestRuns(t *testing.T) {
	folder := t.TempDir()
	r := measured(t)
	if err := r.Save(filepath.Join(folder, "gateway.json")); err != nil {
		t.Fatal(err)
	}
	for i := range r.Samples {
		r.Samples[i].CPU *= 1.5
		if s := &r.Samples[i]; s.Part == "latency" {
			s.Sink = 50
		}
	}
	if err := r.Save(filepath.Join(folder, "gateway-2.json")); err != nil {
		t.Fatal(err)
	}
	both, err := LoadAll(filepath.Join(folder, "gateway.json"))
	if err != nil {
		t.Fatal(err)
	}
	if page := both.Page(); !strings.Contains(page, "| `rtbwire` | 22.0, 1.10 | 33.0, 1.10 | 50% | 0% |") || !strings.Contains(page, "times by up to 50%, ratios by up to 0%.") || strings.Contains(page, "| "+machineRow+" |") {
		t.Error(page)
	}
	if page := r.Page(); !strings.Contains(page, "| 50.0 (5.6 times) | 3 | 6 | 11 | "+machineRow+" |") {
		t.Error(page)
	}
}

// TestWindows leaves out the first and the last window, which are not whole.
func TestWindows(t *testing.T) {
	s := Sample{}
	s.lookAtWindows([]interval{{OK: 1, P50: 100, P99: 100}, {OK: 9, P50: 1, P99: 2}, {OK: 9, P50: 3, P99: 8}, {OK: 9, P50: 2, P99: 4}, {OK: 9, P50: 2, P99: 3}, {OK: 1, P50: 100, P99: 100}})
	if s.Windows != 4 || s.WindowP50 != 2 || s.WindowP99 != 3.5 || s.Slow != 0.25 {
		t.Errorf("%+v", s)
	}
	if s = (Sample{}); s.Windows != 0 {
		t.Errorf("%+v", s)
	}
}

// TestDifferent makes requests that differ, and stay what they were otherwise.
func TestDifferent(t *testing.T) {
	const doc = `{"id":"ab12cd34ef56","imp":[{"id":"1","banner":{"w":300,"h":250}}],"device":{"ip":"192.0.2.1","ifa":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","ua":"x"},"n":1}`
	random, seen := rand.New(rand.NewPCG(1, 2)), map[string]bool{}
	for range 1000 {
		out, err := different([]byte(doc), random)
		if err != nil {
			t.Fatal(err)
		}
		r, err := openrtb.Parse(out)
		if err != nil || len(r.Imp) != 1 || r.Device.UA != "x" {
			t.Fatal(err, string(out))
		}
		key := fmt.Sprint(r.ID, r.Device.IFA, r.Device.IP)
		if seen[key] || r.Device.IFA == "" || len(r.ID) != len("ab12cd34ef56") || len(r.Device.IFA) != 36 {
			t.Fatalf("%s", out)
		}
		seen[key] = true
	}
}

// TestShares sorts samples by what is on their stacks, the collector first.
func TestShares(t *testing.T) {
	for want, stack := range map[string][]string{
		"collector":    {"runtime.scanobject", "runtime.gcBgMarkWorker"},
		"decode":       {"runtime.mallocgc", "encoding/json.(*decodeState).object", "encoding/json.Unmarshal", "main.handler"},
		"decide":       {"x.Score", "github.com/rtbwire/rtbwire/inspect.(*Worker).Judge"},
		"system calls": {"internal/runtime/syscall/linux.Syscall6", "syscall.write", "net.(*conn).Write"},
		"allocation":   {"runtime.mallocgc", "net/http.readRequest"},
		otherShare:     {"net/textproto.canonicalMIMEHeaderKey", "net/http.readRequest"},
	} {
		s := &profile.Sample{Value: []int64{1, 10}}
		for _, f := range stack {
			s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: f}}}})
		}
		if got := shareOf(s); got != want {
			t.Errorf("%v is %s, want %s", stack, got, want)
		}
	}
}

// TestUsage refuses what can't be measured.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"--only", "weather"}, {"nonsense"}, {"--flag"}, {"--server-core", "0", "--load-core", "0"}, {"--only", "scaling", "--server-cores", "1,x"}, {"--only", "scaling", "--server-cores", "100000"}} {
		if err := Main(args, &strings.Builder{}, &strings.Builder{}); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}
