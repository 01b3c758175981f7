package scoring

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/internal/plot"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite the generated parts of docs/fraud.md, and docs/fraud.svg")

// The generated parts of docs/fraud.md are between these lines. All else is written by hand.
var (
	partBegin = "<!-- %s: written by go test ./cmd/rtbwire/internal/scoring -run TestDocument -update -->\n"
	partEnd   = "<!-- /%s -->\n"
)

// TestDocument keeps the tables of docs/fraud.md, and its plot, up to date.
func TestDocument(t *testing.T) {
	c := newCorpus(t)
	page := testkit.Path(t, "docs/fraud.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for name, part := range map[string]string{
		"families": familiesTable(), "signals": signalsTables(), "thresholds": c.thresholdsTable(), "frequent": c.frequentTable(),
	} {
		begin, end := fmt.Sprintf(partBegin, name), fmt.Sprintf(partEnd, name)
		before, rest, found := strings.Cut(want, begin)
		_, after, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("docs/fraud.md has no place for %s: lines %q and %q", name, begin, end)
		}
		want = before + begin + "\n" + part + "\n" + end + after
	}
	for name, want := range map[string]string{"docs/fraud.md": want, "docs/fraud.svg": c.picture()} {
		file := testkit.Path(t, name)
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s is not up to date (%v); go test ./cmd/rtbwire/internal/scoring -run TestDocument -update writes it", name, err)
		}
	}
}

// TestDocumentNames: every signal that the page names exists.
func TestDocumentNames(t *testing.T) {
	text, err := os.ReadFile(testkit.Path(t, "docs/fraud.md"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, s := range fraud.Signals() {
		ids = append(ids, s.ID)
	}
	named := regexp.MustCompile("\\b(?:"+strings.Join(familyNames(), "|")+")\\.[a-z]+\\b").FindAllString(string(text), -1)
	for _, id := range ids {
		if !slices.Contains(named, id) {
			t.Errorf("docs/fraud.md does not name the signal %s", id)
		}
	}
	for _, id := range named {
		if !slices.Contains(ids, id) && !strings.HasSuffix(id, ".md") {
			t.Errorf("docs/fraud.md names the signal %s, which does not exist", id)
		}
	}
}

// corpusScores are the scores of the corpus under the default weights.
type corpusScores struct {
	*report.Scores
	signals map[string]int64 // requests by signal
}

func newCorpus(t *testing.T) *corpusScores {
	t.Helper()
	c, v := &corpusScores{signals: map[string]int64{}}, &batch.Verdicts{}
	worker := new(inspect.Engine).NewWorker()
	table := fraud.Signals()
	text, err := os.ReadFile(testkit.Path(t, "testdata/corpus/requests.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	for body := range bytes.Lines(text) {
		verdict := worker.Inspect(body, inspect.Facts{})
		if worker.Request() == nil {
			continue
		}
		v.Scores[verdict.Score]++
		if worker.Suspicious(&verdict) {
			v.Suspicious++
		}
		for _, hit := range verdict.Signals {
			c.signals[table[hit.Signal].ID]++
		}
	}
	c.Scores = report.NewScores(v)
	return c
}

// familyNames are the families in the order of their signals.
func familyNames() (names []string) {
	for _, s := range fraud.Signals() {
		if !slices.Contains(names, s.Family()) {
			names = append(names, s.Family())
		}
	}
	return names
}

func familiesTable() string {
	var b strings.Builder
	b.WriteString("| family | signals | their weights together | cap |\n| --- | ---: | ---: | ---: |\n")
	caps := fraud.Caps()
	for _, name := range familyNames() {
		count, sum := 0, 0
		for _, s := range fraud.Signals() {
			if s.Family() == name {
				count++
				sum += s.Weight
			}
		}
		fmt.Fprintf(&b, "| [%s](#%[1]s) | %d | %d | %d |\n", name, count, sum, caps[name])
	}
	fmt.Fprintf(&b, "\nThe **score** is the sum of the families, at most %d. From the **threshold** on, %d unless a layer sets another, the request\n"+
		"has the finding `fraud.score`.\n", fraud.ScoreMax, fraud.ThresholdDefault)
	return b.String()
}

func signalsTables() string {
	var b strings.Builder
	for i, name := range familyNames() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "### %s\n\n| signal | weight | nbr | is seen when | catches | hits wrongly | needs |\n| --- | ---: | ---: | --- | --- | --- | --- |\n", name)
		for _, s := range fraud.Signals() {
			if s.Family() != name {
				continue
			}
			needs := s.Needs
			if needs != "" {
				needs = "`" + needs + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %d | %d | %s | %s | %s | %s |\n", s.ID, s.Weight, s.NBR, cell(s.Text), cell(s.Catches), cell(s.Hits), needs)
		}
	}
	return b.String()
}

// cell makes text fit for a cell of a Markdown table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`).Replace(s)
}

// thresholdsTable says which share of the corpus each threshold would catch.
func (c *corpusScores) thresholdsTable() string {
	var b strings.Builder
	b.WriteString("| threshold | requests that reach it | share |\n| ---: | ---: | ---: |\n")
	for threshold := 10; threshold <= fraud.ScoreMax; threshold += 10 {
		n := int64(0)
		for _, m := range c.Exact[threshold:] {
			n += m
		}
		mark := ""
		if threshold == fraud.ThresholdDefault {
			mark = " (default)"
		}
		fmt.Fprintf(&b, "| %d%s | %d | %.2f%% |\n", threshold, mark, n, 100*float64(n)/float64(c.Requests))
	}
	return b.String()
}

// frequentMax is how many signals the table of the most frequent ones has.
const frequentMax = 10

func (c *corpusScores) frequentTable() string {
	table := fraud.Signals()
	slices.SortStableFunc(table, func(a, b fraud.Signal) int { return -cmp.Compare(c.signals[a.ID], c.signals[b.ID]) })
	var b strings.Builder
	b.WriteString("| signal | requests | share | weight |\n| --- | ---: | ---: | ---: |\n")
	for _, s := range table[:frequentMax] {
		fmt.Fprintf(&b, "| `%s` | %d | %.1f%% | %d |\n", s.ID, c.signals[s.ID], 100*float64(c.signals[s.ID])/float64(c.Requests), s.Weight)
	}
	return b.String()
}

// picture draws how many requests have which score: a bar for each range above 0. Those from the
// default threshold on stand out.
func (c *corpusScores) picture() string {
	bars := plot.Bars{Title: fmt.Sprintf("Fraud scores of %d requests: %d have the score 0, %d reach the default threshold, %d",
		c.Requests, c.Ranges[0].Requests, c.Suspicious, fraud.ThresholdDefault)}
	for i := range c.Ranges[1:] {
		r := &c.Ranges[1+i]
		bars.Bars = append(bars.Bars, plot.Bar{
			Name: r.Name(), Value: float64(r.Requests), Text: fmt.Sprintf("%d (%.2f%%)", r.Requests, r.Share), Strong: r.From >= fraud.ThresholdDefault,
		})
	}
	return plot.DrawBars("Fraud scores of the corpus", []plot.Bars{bars})
}
