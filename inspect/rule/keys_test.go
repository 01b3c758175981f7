package rule

import (
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/setting/settingtest"
)

func TestConfigured(t *testing.T) {
	c := settingtest.MustParse(t, `
rules:
  - {name: a, when: tmax > 5, severity: info}
  - {name: b, when: tmax < 5, severity: off, nbr: 15, message: short, on_error: refuse, interpreted: true, shadow: true, sample: 5%}
`)
	list := Configured(c)
	if len(list) != 2 {
		t.Fatalf("%d rules", len(list))
	}
	if d := list[0]; *d.Severity != Observe || d.NBR != 0 || d.Sample != 1 || d.OnError != ByCause || d.Shadow || d.Source.Interpreted || d.Message != "" || d.Source.Text != "tmax > 5" || d.When != nil {
		t.Errorf("the defaults are %+v", d)
	}
	if d := list[1]; *d.Severity != Off || d.NBR != 15 || d.Sample != 0.05 || d.OnError != ObjectOnError || !d.Shadow || !d.Source.Interpreted || d.Message != "short" {
		t.Errorf("got %+v", d)
	}
	if d := list[1]; d.Place.Line != 4 || d.Place.Column != 5 || d.Source.Place.Column != 21 {
		t.Errorf("places %+v, %+v", d.Place, d.Source.Place)
	}
	if list := Configured(settingtest.MustParse(t, "{}")); len(list) > 0 {
		t.Errorf("rules of an empty file: %+v", list)
	}
}

// TestSeverityWords: the words of configurations are those that [ParseSeverity] knows.
func TestSeverityWords(t *testing.T) {
	words := Severities().Shape.Words
	if len(words) != 7 {
		t.Errorf("words %q", words)
	}
	for _, word := range words {
		want, err := ParseSeverity(word)
		if err != nil {
			t.Error(err)
		}
		var r setting.Reader
		if got, ok := Severities().Read(&r, setting.NewScalar("x", word)); !ok || got != want {
			t.Errorf("%s is read as %v, %v", word, got, r.Problems())
		}
	}
}

// TestNoBidReasons reads the ends of the ranges.
func TestNoBidReasons(t *testing.T) {
	for text, ok := range map[string]bool{"0": true, "17": true, "18": false, "499": false, "500": true, "-1": false, "x": false} {
		var r setting.Reader
		if _, got := noBidReason.Read(&r, setting.NewScalar("x", text)); got != ok || (len(r.Problems()) == 0) != ok {
			t.Errorf("%s: %v, %v", text, got, r.Problems())
		}
	}
}

// TestNames wants names to be unique among what can be about the same request.
func TestNames(t *testing.T) {
	settingtest.MustParse(t, `
rules: [{name: a, when: "true", severity: off}]
partners:
  p: {rules: [{name: b, when: "true", severity: off}], publishers: {u: {rules: [{name: c, when: "true", severity: off}]}, v: {rules: [{name: c, when: "true", severity: off}]}}}
  q: {rules: [{name: b, when: "true", severity: off}]}
`)
	_, problems := settingtest.Parse(t, `rules: [{name: a, when: "true", severity: off}, {name: a, when: "true", severity: off}]
partners:
  p:
    rules: [{name: b, when: "true", severity: off}, {name: a, when: "true", severity: off}]
    publishers: {u: {rules: [{name: b, when: "true", severity: off}]}}
`)
	want := []string{
		`x.yaml:1:56: another rule is called "a" (x.yaml, line 1)`,
		`x.yaml:4:60: another rule is called "a" (x.yaml, line 1)`,
		`x.yaml:5:37: another rule is called "b" (x.yaml, line 4)`,
	}
	for i, p := range problems {
		if i >= len(want) || p.Summary() != want[i] {
			t.Errorf("got %s", p)
		}
	}
	if len(problems) != len(want) {
		t.Errorf("%d problems, want %d", len(problems), len(want))
	}
}
