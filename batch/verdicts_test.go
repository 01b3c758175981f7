package batch

import (
	"bytes"
	"errors"
	"maps"
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
	engine, err := inspect.New(inspect.Config{Global: inspect.Layer{Fraud: inspect.FraudSettings{Threshold: 20}, Rules: []inspect.Rule{
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
	for _, doc := range docs {
		v := worker.Inspect(doc, inspect.Facts{})
		want.add(&v)
		want.score(worker, &v)
		invalid += int64(btoi(v.Action == inspect.ActionRefuse))
	}
	if want.Suspicious == 0 || len(want.Refused) < 10 || refusals(want.Refused, "policy.video") == 0 || refusals(want.Shadow, "policy.trial") == 0 || want.Errors["policy.trial"] == 0 {
		t.Fatalf("the test has little to count: %+v", want)
	}
	for _, jobs := range []int{1, 4} {
		var got Verdicts
		var tally schema.Tally
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
		if !maps.Equal(got.Refused, want.Refused) || !maps.Equal(got.Shadow, want.Shadow) || !maps.Equal(got.Errors, want.Errors) || !maps.Equal(got.Findings, want.Findings) || got.Scores != want.Scores || got.Suspicious != want.Suspicious {
			t.Errorf("%d jobs: counted %+v, want %+v", jobs, got, *want)
		}
		if !ids["policy.video"] || !ids["Imp.media"] || len(tally.Rules()) != 0 {
			t.Errorf("%d jobs: findings of %v, tally of %v", jobs, ids, tally.Rules())
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
	var tally schema.Tally
	counts, err := Check(t.Context(), new(schema.Engine), []Input{From("x", bytes.NewReader([]byte(text)))},
		Options{MaxDocument: 100, Judging: Judging{Engine: engine}}, Handler{Verdicts: &got, Tally: &tally})
	if err != nil || counts.Requests != 1 || counts.Responses != 1 || counts.Invalid != 2 {
		t.Errorf("%+v, %v", counts, err)
	}
	if refusals(got.Refused, "limit.size") != 1 || len(got.Refused) != 1 || len(tally.Rules()) == 0 {
		t.Errorf("refused %v, rules of responses %v", got.Refused, tally.Rules())
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
