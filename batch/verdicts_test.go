package batch

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// holdsFor makes a function a condition.
var errNoTMax = errors.New("no tmax")

type holdsFor func(in *rule.Input) (bool, error)

func (h holdsFor) Holds(in *rule.Input) (bool, error) { return h(in) }

// TestJudging checks the corpus with a configuration. The counts are of verdicts that are asked for
// one by one.
func TestJudging(t *testing.T) {
	most := 0.9
	engine, err := inspect.New(inspect.Config{Global: inspect.Layer{Enforce: &most, Fraud: inspect.FraudSettings{Threshold: 20}, Rules: []inspect.Rule{
		{Name: "video", When: holdsFor(func(in *rule.Input) (bool, error) {
			return len(in.Request.Imp) > 0 && in.Request.Imp[0].Video != nil, nil
		})},
		{Name: "trial", When: holdsFor(func(in *rule.Input) (bool, error) {
			if in.Request.TMax == nil {
				return false, errNoTMax
			}
			return true, nil
		}), Shadow: true},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	docs := testkit.Requests(t)
	want, worker := newVerdicts(), engine.NewWorker()
	var invalid int64
	findings := map[reasonSeverity]reasonCount{}
	for _, doc := range docs {
		v := worker.Inspect(doc, inspect.Facts{})
		want.add(&v)
		want.score(worker, &v)
		invalid += int64(btoi(v.Counts[inspect.Refuse] > 0)) // observed or not
		seen := map[reasonSeverity]bool{}
		for _, f := range v.Findings {
			key := reasonSeverity{RuleID(f.ID), f.Severity}
			findings[key] = reasonCount{findings[key].findings + 1, findings[key].documents + int64(btoi(!seen[key]))}
			seen[key] = true
		}
	}
	if want.Suspicious == 0 || len(want.Refused) < 10 || refusals(want.Refused, "policy.video") == 0 || len(want.Observed) == 0 || refusals(want.Shadow, "policy.trial") == 0 || want.Errors["policy.trial"] == 0 {
		t.Fatalf("the test has little to count: %+v", want)
	}
	for _, jobs := range []int{1, 4} {
		var got Verdicts
		var tally Tally
		ids := map[string]bool{}
		counts, err := Check(t.Context(), new(schema.Engine), []Input{From("x", bytes.NewReader(bytes.Join(docs, []byte("\n"))))},
			Options{Jobs: jobs, ChunkSize: 16 << 10, Type: Requests, Layout: LayoutValues, Judging: Judging{Engine: engine}},
			Handler{Verdicts: &got, Tally: &tally, Result: func(r *Result) error {
				for _, f := range r.Findings {
					ids[f.ID] = true
				}
				return nil
			}})
		if err != nil || counts.Invalid != invalid || counts.Requests != int64(len(docs)) {
			t.Errorf("%d jobs: %+v, %v; want %d invalid requests", jobs, counts, err, invalid)
		}
		if !maps.Equal(got.Refused, want.Refused) || !maps.Equal(got.Shadow, want.Shadow) || !maps.Equal(got.Observed, want.Observed) || !maps.Equal(got.Errors, want.Errors) || got.Scores != want.Scores || got.Suspicious != want.Suspicious {
			t.Errorf("%d jobs: counted %+v, want %+v", jobs, got, *want)
		}
		counted := map[reasonSeverity]reasonCount{}
		for _, c := range tally.Rules() {
			counted[reasonSeverity{c.ID, c.Severity}] = reasonCount{c.Findings, c.Reports}
		}
		if !ids["policy.video"] || !ids["Imp.media"] || !maps.Equal(counted, findings) {
			t.Errorf("%d jobs: findings of %v, tally of %v, want %v", jobs, ids, counted, findings)
		}
	}
}

// TestJudgingTooLarge: a request beyond the limit is refused without being read, and responses are
// checked as ever.
func TestJudgingTooLarge(t *testing.T) {
	engine, err := inspect.New(inspect.Config{})
	if err != nil {
		t.Fatal(err)
	}
	text := `{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],"site":{"id":"1","name":"` + string(bytes.Repeat([]byte("x"), 200)) + `"}}` + "\n" +
		`{"id":"1","seatbid":[{"bid":[{"id":"1"}]}]}` + "\n"
	var got Verdicts
	var tally Tally
	counts, err := Check(t.Context(), new(schema.Engine), []Input{From("x", bytes.NewReader([]byte(text)))},
		Options{MaxDocument: 100, Judging: Judging{Engine: engine}}, Handler{Verdicts: &got, Tally: &tally})
	if err != nil || counts.Requests != 1 || counts.Responses != 1 || counts.Invalid != 2 {
		t.Errorf("%+v, %v", counts, err)
	}
	rules := map[string]int64{}
	for _, c := range tally.Rules() {
		rules[c.ID] = c.Findings
	}
	if refusals(got.Refused, "limit.size") != 1 || len(got.Refused) != 1 || rules["limit.size"] != 1 || rules["Bid.impid.required"] != 1 {
		t.Errorf("refused %v, findings %v", got.Refused, rules)
	}
}

// TestTallyOfBoth counts a rule that a request and a response break once, although two engines
// report it.
func TestTallyOfBoth(t *testing.T) {
	engine, err := inspect.New(inspect.Config{})
	if err != nil {
		t.Fatal(err)
	}
	own, err := schema.New(schema.WithPreset(schema.Admission))
	if err != nil {
		t.Fatal(err)
	}
	const text = `{"id":"1","id":"2","imp":[{"id":"1","banner":{"w":1,"h":1}}],"site":{"id":"1"}}
{"id":"1","id":"2","seatbid":[{"bid":[{"id":"1","impid":"1","price":1}]}]}
`
	var tally Tally
	_, err = Check(t.Context(), own, []Input{From("x", strings.NewReader(text))}, Options{Judging: Judging{Engine: engine}}, Handler{Tally: &tally})
	if err != nil {
		t.Fatal(err)
	}
	var got []schema.RuleCount
	for _, c := range tally.Rules() {
		if c.ID == "any.duplicate-key" {
			got = append(got, c)
		}
	}
	if want := []schema.RuleCount{{ID: "any.duplicate-key", Severity: schema.Error, Findings: 2, Reports: 2}}; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestScores counts scores: with layers in shadow, against the threshold of each request's layers,
// and only of requests that can be decoded.
func TestScores(t *testing.T) {
	engine, err := inspect.New(inspect.Config{
		Partners: map[string]inspect.Partner{"a": {
			Layer:      inspect.Layer{Shadow: true, Fraud: inspect.FraudSettings{Weights: map[string]int{"economics.tmax": 50}}},
			Publishers: map[string]inspect.Layer{"p": {Fraud: inspect.FraudSettings{Threshold: 50}}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := `{"id":"1","tmax":5,"imp":[{"id":"1"}],"site":{"publisher":{"id":"p"}}}` + "\n" + `{"id":"2","tmax":5,"imp":[{"id":"1"}],"site":{}}` + "\n" +
		`{"id":"3","imp":[{"id":"1"}],"site":{}}` + "\n" + `{"id":"4","imp":0}` + "\n"
	var got Verdicts
	_, err = Check(t.Context(), new(schema.Engine), []Input{From("x", bytes.NewReader([]byte(text)))},
		Options{Type: Requests, Judging: Judging{Engine: engine, Facts: inspect.Facts{Partner: "a"}}}, Handler{Verdicts: &got})
	want := [fraud.ScoreMax + 1]int64{0: 1, 50: 2}
	if err != nil || got.Scores != want || got.Suspicious != 1 {
		t.Errorf("%v, %d suspicious, %v", got.Scores, got.Suspicious, err)
	}
}

// refusals counts the decisions for a reason.
func refusals(counts map[inspect.Decision]int64, reason string) (n int64) {
	for d, requests := range counts {
		if d.Reason == reason {
			n += requests
		}
	}
	return n
}
