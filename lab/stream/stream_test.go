package stream

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/process"
)

// measured are results in which the first contestant is the fastest, and each one after it takes a
// tenth longer.
func measured(t *testing.T) *figures.File {
	t.Helper()
	r := figures.Begin("cd lab && go run . stream")
	all := map[string][]sample{}
	for i, c := range contestants {
		for round := range fullRounds {
			slow := 1 + 0.1*float64(i) + 0.001*float64(round)
			all[c.name] = append(all[c.name], sample{
				rate: 100_000 / slow, cpu: 5 * slow, user: 4 * slow, system: slow, core: 0.5 * slow, broker: 0.9, brokerCPU: 9, peak: 100 * slow, refused: 0.025,
			})
		}
	}
	summarize(r, all)
	(&lab{options: options{rounds: fullRounds, records: fullRecords, partitions: 4}, input: input{1260, 700}, broker: &broker{version: "v4.3"}}).describe(r)
	return &r.File
}

func TestPage(t *testing.T) {
	f := measured(t)
	page := Page(f)
	for _, want := range []string{
		"400,000 records in 4 partitions", "1260 bytes each", "700 on the broker's disk", "2.5% of them are refused",
		"| at least once | at least 0.8 | 0.91 | met |", "| exactly once | at least 0.7 | 0.77 | met |",
		"| `copy` | 99,552 | 1.00 | 125 | 5.02 | 1.00 |", "in transactions too: 0.92",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") || t.Failed() {
		t.Error(page)
	}
	for name, change := range map[string]func(){
		"| at least once | at least 0.8 | 0.50 | **not met** |": func() { f.Figures[Name(ownName, ToCopy)] = figures.Exactly(0.5, "") },
		"Preliminary: too early.**":                             func() { f.Preliminary = []string{"too early"} },
	} {
		if f = measured(t); true {
			change()
			figure := f.Figures[Name(ownName, ToCopy)]
			figure.Rounds = fullRounds
			f.Figures[Name(ownName, ToCopy)] = figure
		}
		if page := Page(f); !strings.Contains(page, name) {
			t.Errorf("the page lacks %q:\n%s", name, page)
		}
	}
	if page := Page(nil); !strings.Contains(page, "No run is kept here yet.") {
		t.Error(page)
	}
}

// TestBetween computes what was used between two looks.
func TestBetween(t *testing.T) {
	first := look{at: time.Unix(100, 0), records: 1000, own: process.Used{CPU: time.Second, User: time.Second}, broker: process.Used{CPU: time.Second}}
	last := look{at: time.Unix(102, 0), records: 201_000, own: process.Used{CPU: 2 * time.Second, User: 1900 * time.Millisecond, System: 100 * time.Millisecond}, broker: process.Used{CPU: 3 * time.Second}}
	if got, want := between(&first, &last), (sample{rate: 100_000, cpu: 5, user: 4.5, system: 0.5, core: 0.5, broker: 1, brokerCPU: 10}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestCommitted holds the page to the committed results.
func TestCommitted(t *testing.T) {
	f, err := Results("../" + ResultsFile)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../" + pageFile)
	if err != nil || string(got) != Page(f) {
		t.Errorf("lab/docs/stream-performance.md is not what the results say: go run . stream page (%v)", err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"--only", "weather"}, {"nonsense"}, {"--flag"}, {"--rounds", "-1"}, {"--records", "1"}, {"--own-core", "0", "--broker-core", "0"}} {
		if err := Main(args, &strings.Builder{}, &strings.Builder{}); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}
