package schema

import "testing"

// TestTally counts the findings of the corpus in one tally, in two that are merged, and one by one.
func TestTally(t *testing.T) {
	c := strict(t, WithLenient(true)) // some rules have findings of two severities
	type key struct {
		id       string
		severity Severity
	}
	want := map[key]RuleCount{}
	var all, half, merged Tally
	for i, doc := range corpus(t, "requests") {
		findings := c.Request(doc).Findings
		all.Add(findings)
		if half.Add(findings); i%7 == 0 {
			merged.Merge(&half)
			half.Reset()
		}
		before := map[key]bool{}
		for _, f := range findings {
			k := key{f.ID, f.Severity}
			w := want[k]
			w.ID, w.Severity, w.Findings = f.ID, f.Severity, w.Findings+1
			if !before[k] {
				w.Reports++
			}
			before[k], want[k] = true, w
		}
	}
	merged.Merge(&half)
	for name, tally := range map[string]*Tally{"one": &all, "merged": &merged} {
		got := tally.Rules()
		if len(got) != len(want) {
			t.Errorf("%s: %d rules, want %d", name, len(got), len(want))
		}
		for _, g := range got {
			if w := want[key{g.ID, g.Severity}]; g != w {
				t.Errorf("%s: got %v, want %v", name, g, w)
			}
		}
	}
	if all.Reset(); len(all.Rules()) != 0 {
		t.Errorf("a tally that was reset has %v", all.Rules())
	}
	if again := c.Request([]byte(`{"id":""}`)).Findings; len(again) == 0 {
		t.Fatal("no findings")
	} else if all.Add(again); all.Rules()[0].Reports != 1 {
		t.Errorf("got %v after a reset", all.Rules())
	}
}
