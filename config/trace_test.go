package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
)

// traced is a configuration of three layers; %[1]v, %[2]v and %[3]v are whether they are in shadow.
const traced = `{version: 1, max_findings: 100000, shadow: %[1]v, lists: {l: {kind: domain, entries: [example.com, www.foobar.com]}},
severities: {"*": observe, policy.b: warn, "policy.of*": off},
rules: [
  {name: a, when: "site.domain in lists.l || has(app)", severity: refuse},
  {name: b, when: "imp.exists(i, i.bidfloor > 0.0)", severity: refuse, shadow: true},
  {name: c, when: "1 / at == 1 && has(device)", severity: refuse, on_error: refuse},
  {name: d, when: "imp[1].id != ''", severity: warn, sample: 40%%},
  {name: off, when: "true", severity: refuse}],
scrub: [{name: coarse, truncate: [/device/ip, /device/geo]}, {name: kids, when: "1 / tmax == 0 || regs.coppa == 1", remove: [/user/id, /device/ifa]}],
partners: {p: {shadow: %[2]v, sample: 70%%, severities: {policy.a: refuse}, match: {from: [192.0.2.1]},
  rules: [{name: e, when: "user.id == ''", severity: warn}],
  publishers: {
    "1": {shadow: %[3]v, severities: {"policy.*": refuse, policy.c: off}, rules: [{name: f, when: "has(site) && has(site.page)", severity: observe}], scrub: [{remove: [/ext, /device/ua]}]},
    "2": {shadow: %[3]v, sample: 50%%, severities: {policy.e: refuse}, scrub: [{when: has(app), remove: [/device]}]}}}}}`

// TestTrace holds traces to the verdicts of the engine: what decided there is what a trace says.
func TestTrace(t *testing.T) {
	text, err := os.ReadFile("../testdata/corpus/requests.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	lines = append(lines[:30:30], []byte(`{"id":`))
	states, answers, applied, scored := map[State]int{}, map[Answer]int{}, 0, 0
	for shadows := range 8 {
		c := mustParse(t, fmt.Sprintf(traced, shadows&1 > 0, shadows&2 > 0, shadows&4 > 0))
		s, problems := c.Open(OpenOptions{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for n, body := range lines {
			facts := inspect.Facts{Partner: []string{"", "p", "p"}[n%3], Publisher: []string{"", "2"}[n/3%2]}
			trace, err := s.Trace(body, facts)
			if err != nil {
				t.Fatal(err)
			}
			v := s.Engine.NewWorker().Inspect(body, facts)
			if !reflect.DeepEqual(v, trace.Verdict) {
				t.Fatalf("request %d: the verdicts differ", n)
			}
			for _, r := range trace.Rules {
				states[r.State]++
				answers[r.Answer]++
			}
			scored += len(trace.Score.Signals)
			if trace.Score.Score != v.Score || (trace.Shadow == nil) != (v.Shadow == nil) || trace.Shadow != nil && trace.Shadow.Score != v.Shadow.Score {
				t.Errorf("request %d: the score %d is traced as %+v, in shadow %+v", n, v.Score, trace.Score, trace.Shadow)
			}
			if problem := agrees(trace); problem != "" {
				t.Errorf("request %d, shadows %d: %s", n, shadows, problem)
			}
			applied += len(v.Scrubs)
		}
	}
	if len(states) != 4 || len(answers) != 4 || applied == 0 || scored == 0 {
		t.Errorf("too little was seen: %v, %v, %d scrubs, %d signals", states, answers, applied, scored)
	}
}

// agrees says where a trace contradicts its verdict.
func agrees(trace *Trace) string {
	var want, scrubs, paths []string
	v := &trace.Verdict
	for _, r := range trace.Rules {
		objects := r.Answer == Holds || r.Answer == HasNoValue && r.ID == "policy.c"
		finding := fmt.Sprintf("%s %v", r.ID, r.Severity)
		switch {
		case objects && r.State == StateLive:
			want = append(want, finding)
		case r.State == StateShadow && (v.Shadow == nil || objects != slices.Contains(policyFindings(v.Shadow), finding)):
			return fmt.Sprintf("%+v: %v", r, v.Shadow)
		}
	}
	if got := policyFindings(v); !slices.Equal(got, want) {
		return fmt.Sprintf("findings %v, the trace says %v", got, want)
	}
	for _, s := range trace.Scrubs {
		if s.Applied {
			scrubs = append(scrubs, s.Name)
			for _, e := range s.Edits {
				paths = append(paths, e.Path)
			}
		}
	}
	if !slices.Equal(v.Scrubs, scrubs) {
		return fmt.Sprintf("scrubs %v, the trace says %v", v.Scrubs, scrubs)
	}
	for _, e := range v.Edits {
		if !slices.Contains(paths, e.Path) {
			return fmt.Sprintf("an edit of %s, the trace has %v", e.Path, paths)
		}
	}
	return ""
}

func policyFindings(v *inspect.Verdict) (list []string) {
	for _, f := range v.Findings {
		if f.Inspector == inspect.InspectorPolicy {
			list = append(list, fmt.Sprintf("%s %v", f.ID, f.Severity))
		}
	}
	return list
}

// TestTraceParts wants the parts of a condition with their answers.
func TestTraceParts(t *testing.T) {
	c := mustParse(t, `{version: 1, rules: [{name: a, when: "has(site) && (tmax < 5 || 1 / at == 1)", severity: refuse}]}`)
	s, problems := c.Open(OpenOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	trace, err := s.Trace([]byte(`{"id":"1","site":{},"tmax":9,"imp":[{"id":"1"}]}`), inspect.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	p := trace.Rules[0].Condition
	if p.Operator != "&&" || p.Answer != HasNoValue || len(p.Parts) != 2 || p.Parts[0].Answer != Holds ||
		p.Parts[1].Parts[0].Answer != HoldsNot || p.Parts[1].Parts[1].Answer != HasNoValue {
		t.Errorf("%+v", p)
	}
}

// TestReview wants a warning for each thing that is probably not meant.
func TestReview(t *testing.T) {
	dir := write(t, `
-- empty.txt --
# nothing
-- x.yaml --
version: 1
lists: {e: {kind: string, file: empty.txt}, used: {kind: string, entries: [x]}}
severities: {policy.scrub: warn}
rules: [{name: a, when: "id in lists.used && imp.exists(i, usd(i.bidfloor, i.bidfloorcur) > 1.0)", severity: off}]
partners:
  open: {match: {path: /open, header: {X: y}}}
  closed: {match: {from: [192.0.2.0/24]}}
`)
	s, problems := Open(filepath.Join(dir, "x.yaml"), OpenOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, w := range s.Review() {
		if w.Place.Line == 0 || !strings.HasPrefix(w.Summary(), s.Config.Files[0]+":") {
			t.Errorf("no place: %+v", w)
		}
		got = append(got, w.Message)
	}
	want := []string{
		"the list e is empty", "nothing uses the list e", "requests that can't be scrubbed are forwarded with what was to be removed",
		"usd() without rates: no currency but USD has a value",
		"anybody can be the partner open: its match has none of mtls, from and a token",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
