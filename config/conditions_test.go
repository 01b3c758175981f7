package config

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/policy"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/scrub"
)

// fakeConditions object to the word "typo", and to lists that are not declared.
type fakeConditions struct{ seen []ConditionOptions }

func (f *fakeConditions) Compile(source string, o ConditionOptions) (rule.Condition, []policy.Issue) {
	f.seen = append(f.seen, o)
	var issues []policy.Issue
	for at, rest := 0, source; ; {
		i := strings.Index(rest, "typo")
		if i < 0 {
			break
		}
		issues = append(issues, policy.Issue{Offset: at + i, Length: len("typo"), Message: "no such field", Suggestion: "type"})
		at, rest = at+i+1, rest[i+1:]
	}
	return compiled(source), issues
}

// compiled is a condition that has been compiled.
type compiled string

func (c compiled) Holds(*rule.Input) (bool, error) { return c == "true", nil }

func TestConditions(t *testing.T) {
	f := &fakeConditions{}
	c, problems := Parse("x.yaml", `
version: 1
rates: {file: x}
lists: {l: {kind: bundle, file: x}}
rules:
  - {name: a, when: "true", severity: off}
  - {name: b, when: other, severity: off, interpreted: true}
scrub: [{when: "true", remove: []}, {remove: []}]
`, Options{Conditions: f})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if len(f.seen) != 3 || f.seen[0].Interpreted || !f.seen[1].Interpreted || !f.seen[0].Rates || f.seen[0].Lists["l"] != lists.Bundle {
		t.Errorf("conditions were compiled with %+v", f.seen)
	}
	rules, scrubs := rule.Configured(&c.Scope), scrub.Configured(&c.Scope)
	if holds, err := rules[0].When.Holds(nil); !holds || err != nil {
		t.Errorf("rule a: %v, %v", holds, err)
	}
	if rules[1].When == nil || scrubs[0].When == nil || scrubs[1].When != nil {
		t.Error("conditions that are not compiled, or one that is not there")
	}
}

// TestConditionIssues finds the places of issues in every style of scalars.
func TestConditionIssues(t *testing.T) {
	_, problems := Parse("x.yaml", `version: 1
rules:
  - {name: a, when: x.typo == 1, severity: off}
  - {name: b, when: 'x == ''y'' && typo', severity: off}
  - {name: c, when: "x == \"\u00e4\" && typo", severity: off}
  - name: d
    when: >
      x == 1 &&
      y.typo
    severity: off
  - name: e
    when: |
      x == 1
        && y.typo
        && typo
    severity: off
partners:
  p:
    rules: [{name: f, when: typo, severity: off}]
    publishers: {u: {scrub: [{when: typo, remove: []}]}}
`, Options{Conditions: &fakeConditions{}})
	want := [][2]int{{3, 23}, {4, 36}, {5, 41}, {9, 9}, {14, 14}, {15, 12}, {19, 29}, {20, 37}}
	if len(problems) != len(want) {
		t.Fatal(problems)
	}
	for i, p := range problems {
		if p.Line != want[i][0] || p.Column != want[i][1] || underlined(t, p) != "typo" || p.Suggestion != "type" {
			t.Errorf("want %v: %s", want[i], p)
		}
	}
}

// FuzzParse reads any text as a configuration. Nothing panics, and there is a configuration or a
// problem with a place.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"mistakes.yaml", "mistakes.json"} {
		text, _ := fileOfMistakes(strings.HasSuffix(name, ".json"))
		for line := range strings.Lines(text) {
			if strings.Contains(line, "-1") {
				f.Add("version: 1\nrules:\n" + line)
			}
		}
	}
	f.Add("version: 1\ninclude: [none.yaml, '[', 'none/*']")
	f.Add("version: 1\nrules: [{name: a, when: \"typo\\u00e4 typo\", severity: off}]")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "include") && strings.ContainsAny(text, "*?[/") {
			return // reads whatever files there are
		}
		c, problems := Parse("x.yaml", text, Options{Conditions: &fakeConditions{}, Environ: []string{"RTBWIRE_SCHEMA_PRESET=" + text}})
		if (c == nil) != (len(problems) > 0) {
			t.Fatalf("%v with %v", c, problems)
		}
		for _, p := range problems {
			if p.Message == "" || p.File == "x.yaml" && p.Line < 1 && !strings.Contains(p.Message, "larger") {
				t.Fatalf("a problem without a place: %+v", p)
			}
		}
	})
}
