package policytest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/scrub"
)

// casesMin is how many cases an example has at least.
const casesMin = 8

// TestExamples runs the cases of examples/policy. Every rule and every scrub must hold in one of
// them, and not in another.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/policy/*.cases.yaml")
	if err != nil || len(files) != 4 {
		t.Fatalf("found %v, %v", files, err)
	}
	for _, file := range files {
		s, problems := config.Open(strings.TrimSuffix(file, ".cases.yaml")+".yaml", config.OpenOptions{
			Environ: []string{"USER_ID_KEY=a key for tests only", "EXCHANGE_B_TOKEN=x", "SSP_TWO_TOKEN=x"},
		})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		list, problems := Load(file, s)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if len(list) < casesMin {
			t.Errorf("%s has %d cases", file, len(list))
		}
		answers := map[string]map[config.Answer]bool{}
		worker := s.Engine.NewWorker()
		for i := range list {
			c := &list[i]
			for _, d := range c.Run(worker) {
				t.Errorf("%s:%d: %s: %s: expected %s, found %s", c.File, c.Line, c.Name, d.What, d.Expected, d.Found)
			}
			trace, err := s.Trace(c.Request, c.Facts)
			if err != nil {
				t.Fatal(err)
			}
			note := func(id string, a config.Answer) {
				if answers[id] == nil {
					answers[id] = map[config.Answer]bool{}
				}
				answers[id][a] = true
			}
			for _, r := range trace.Rules {
				note(r.ID, r.Answer)
			}
			for i := range trace.Scrubs {
				if trace.Scrubs[i].Condition.Source != "" {
					note(trace.Scrubs[i].Name, trace.Scrubs[i].Answer)
				}
			}
		}
		want := len(conditions(s.Config))
		if len(answers) != want {
			t.Errorf("%s: %d of %d conditions were asked", file, len(answers), want)
		}
		for id, seen := range answers {
			if !seen[config.Holds] || !seen[config.HoldsNot] {
				t.Errorf("%s: no case in which %s holds, or none in which it does not", file, id)
			}
		}
	}
}

// conditions returns the sources of all conditions.
func conditions(c *config.Config) (list []string) {
	for _, layer := range c.Scope.Layers() {
		for _, own := range rule.Configured(layer) {
			list = append(list, own.Source.Text)
		}
		for _, own := range scrub.Configured(layer) {
			if own.Source.Text != "" {
				list = append(list, own.Source.Text)
			}
		}
	}
	return list
}
