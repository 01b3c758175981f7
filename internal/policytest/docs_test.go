package policytest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect/lists"
)

// runPage runs what a page shows: its cases against the configuration before them. It returns how
// many there are, and the page.
func runPage(t *testing.T, name string) (ran int, page string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var setup *config.Setup
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		switch {
		case strings.HasPrefix(block[1], "version:"):
			c, problems := config.Parse(name, block[1], config.Options{Conditions: &config.CEL{}})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if setup, problems = c.Open(config.OpenOptions{}); len(problems) > 0 {
				t.Fatal(problems)
			}
		case strings.HasPrefix(block[1], "cases:"):
			list, problems := Parse(name, block[1], setup)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			for i := range list {
				ran++
				for _, d := range list[i].Run(setup.Engine.NewWorker()) {
					t.Errorf("%s: %s: %+v", name, list[i].Name, d)
				}
			}
		}
	}
	return ran, string(text)
}

// TestFraudPage runs the cases of docs/fraud.md.
func TestFraudPage(t *testing.T) {
	if ran, _ := runPage(t, "fraud.md"); ran < 6 {
		t.Errorf("only %d cases were run", ran)
	}
}

// TestPage runs the cases of docs/policy.md, and every condition of its table through the compiler.
func TestPage(t *testing.T) {
	ran, text := runPage(t, "policy.md")
	if ran < 3 {
		t.Errorf("only %d cases were run", ran)
	}
	_, table, _ := strings.Cut(text, "| condition | holds for |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	if len(rows) < 10 {
		t.Fatalf("found %d conditions", len(rows))
	}
	options := config.ConditionOptions{Lists: map[string]lists.Kind{"blocked_domains": lists.Domain, "offices": lists.Prefix}, Rates: true}
	var cel config.CEL
	for _, row := range rows {
		condition := strings.Split(row, "`")[1]
		if _, issues := cel.Compile(condition, options); issues != nil {
			t.Errorf("%s: %+v", condition, issues)
		}
	}
}
