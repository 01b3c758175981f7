package runbook

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// intro is the beginning of the page.
const intro = `# Runbook

What gateways and streams show of a fault, and what to do then. An alert leads to its [name](#by-alert), a line of the log or a
banner to the fault: search this page for its text.

Every line but "what to do" was observed: the tests of ` + "[internal/e2e/runbook](../internal/e2e/runbook/doc.go)" + ` start the real program, make the fault, and fail
where nothing shows. Alerts are those of [deploy/prometheus](../deploy/README.md), whose expressions Prometheus's engine evaluates over the metrics of
the process; the fault is taken to last for 30 minutes. ` + "`TIME`, `ADDRESS`, `PARTNER`, `N` and `NO CONNECTION`" + ` stand for what differs. Names of metrics have their namespace.
A gateway is ready (` + "`/readyz`" + `) as long as it takes requests, whatever else is wrong: with no-bids it answers better than nobody. A stream is ready while it
can read.
`

// TestPage compares the page with what was observed and what the tests say.
func TestPage(t *testing.T) {
	if *update {
		t.Skip("it is written")
	}
	known := readObserved(t)
	text, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != page(t, known) {
		t.Errorf("%s is not what the tests make: RTBWIRE_E2E=1 go -C internal/e2e/runbook test -update", pageFile)
	}
}

// TestRunbookURLs wants each alert to lead to its section of the page.
func TestRunbookURLs(t *testing.T) {
	for _, r := range rules(t) {
		if got, want := r.Annotations["runbook_url"], "https://github.com/rtbwire/rtbwire/blob/main/"+pageFile+"#"+strings.ToLower(r.Alert); got != want {
			t.Errorf("%s leads to %q, want %q", r.Alert, got, want)
		}
	}
}

func writePage(t *testing.T, known map[string]observation) {
	t.Helper()
	if err := os.WriteFile(pageFile, []byte(page(t, known)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// page is docs/runbook.md.
func page(t *testing.T, known map[string]observation) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(intro)
	raised := map[string][]string{}
	for _, c := range chapters() {
		fmt.Fprintf(&b, "\n## %s\n", c.title)
		for i := range c.faults {
			f := &c.faults[i]
			o, there := known[f.title]
			if !there {
				t.Errorf("%s was never observed: run the tests with -update", f.title)
				continue
			}
			for _, a := range o.Alerts {
				name, _, _ := strings.Cut(a, " ")
				raised[name] = append(raised[name], f.title)
			}
			b.WriteString(f.section(&o))
		}
	}
	b.WriteString("\n## By alert\n")
	for _, r := range rules(t) {
		fmt.Fprintf(&b, "\n### %s\n\n%s. %s\n", r.Alert, readable(r.Annotations["summary"]), readable(r.Annotations["description"]))
		for i, title := range raised[r.Alert] {
			if i == 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(&b, "- [%s](#%s)\n", title, anchor(title))
		}
	}
	return b.String()
}

// section is what the page has about a fault.
func (f *fault) section(o *observation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n| | |\n| --- | --- |\n", f.title)
	row := func(name string, list []string) {
		fmt.Fprintf(&b, "| %s | %s |\n", name, strings.Join(list, "<br>"))
	}
	row("log", each(o.Log, code))
	row("metrics", each(o.Metrics, cell))
	row("page", each(o.Page, cell))
	row("`/readyz`", []string{o.Ready})
	alerts := each(o.Alerts, func(a string) string {
		name, severity, _ := strings.Cut(a, " ")
		return fmt.Sprintf("[%s](#%s) %s", name, strings.ToLower(name), severity)
	})
	if len(alerts) == 0 {
		alerts = []string{"none: " + f.quiet}
	}
	row("alert", alerts)
	row("what to do", []string{f.then})
	return b.String()
}

func each(list []string, form func(string) string) (out []string) {
	for _, text := range list {
		out = append(out, form(text))
	}
	return out
}

// cell is a text in a table. What looks like markup is not.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(text)
}

// code is a line of the log in a table.
func code(text string) string {
	return "`` " + strings.NewReplacer("|", `\|`, "\n", " ").Replace(text) + " ``"
}

var (
	template = regexp.MustCompile(`\{\{\s*\$(?:labels\.)?(\w+)[^}]*\}\}`)
	unspoken = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
)

// readable is an annotation with the names of its labels.
func readable(text string) string {
	return template.ReplaceAllStringFunc(text, func(m string) string {
		name := template.FindStringSubmatch(m)[1]
		if name == "value" {
			return "N"
		}
		return "_" + name + "_"
	})
}

// anchor is that of a heading, as GitHub makes it.
func anchor(title string) string {
	return strings.ReplaceAll(unspoken.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}

// TestTitles wants faults to have titles of their own, and something to do.
func TestTitles(t *testing.T) {
	var titles []string
	for _, c := range chapters() {
		for i := range c.faults {
			titles = append(titles, c.faults[i].title)
			if c.faults[i].then == "" {
				t.Errorf("%s: nobody says what to do then", c.faults[i].title)
			}
		}
	}
	slices.Sort(titles)
	if n := len(slices.Compact(slices.Clone(titles))); n != len(titles) || n < 25 {
		t.Errorf("%d faults, %d of them different", len(titles), n)
	}
}
