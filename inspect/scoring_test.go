package inspect

import (
	"testing"

	"github.com/rtbwire/rtbwire/inspect/fraud"
)

// TestScoring explains the score of every request of the corpus: the families' shares add up to it,
// under the weights of each layer, and in shadow.
func TestScoring(t *testing.T) {
	e := mustNew(t, Config{
		Global: Layer{Severities: []Setting{{"fraud.identifier.missing", Warn}, {"fraud.privacy.flags", Off}}},
		Partners: map[string]Partner{
			"a":      {Layer: Layer{Fraud: FraudSettings{Threshold: 10, Weights: map[string]int{"identifier.form": 70, "economics.tmax": 100}}}},
			"shadow": {Layer: Layer{Shadow: true, Fraud: FraudSettings{Threshold: 5, Weights: map[string]int{"identifier.missing": 50}}}},
			"off":    {Layer: Layer{Severities: []Setting{{"fraud.*", Off}}}},
		},
	})
	w := e.NewWorker()
	capped, suspicious, differs := 0, 0, 0
	check := func(v *Verdict, threshold int) {
		t.Helper()
		s := w.Scoring(v)
		sum, points := 0, 0
		for _, f := range s.Families {
			if f.Counts > f.Points || f.Counts <= 0 {
				t.Fatalf("%+v", f)
			}
			sum += f.Counts
			points += f.Points
			if f.Counts < f.Points {
				capped++
			}
		}
		if s.Score != v.Score || min(sum, fraud.ScoreMax) != v.Score || s.Threshold != threshold || len(s.Signals) != len(v.Signals) {
			t.Fatalf("score %d with the threshold %d, explained by %+v", v.Score, threshold, s)
		}
		for i, signal := range s.Signals {
			points -= signal.Points
			want := Observe
			if signal.Signal.ID == "identifier.missing" {
				want = Warn
			}
			if signal.Path != v.Signals[i].Path || signal.Severity != want || signal.Signal.ID == "privacy.flags" {
				t.Fatalf("%+v", signal)
			}
		}
		if points != 0 {
			t.Fatalf("the families have %d points that no signal has", points)
		}
		reported := false
		for i := range v.Findings {
			reported = reported || v.Findings[i].ID == "fraud.score"
		}
		if got := w.Suspicious(v); got != reported || got != (v.Score > 0 && v.Score >= threshold) {
			t.Fatalf("score %d with the threshold %d: suspicious %v, reported %v", v.Score, threshold, got, reported)
		} else if got {
			suspicious++
		}
	}
	capping := []byte(`{"id":"1","imp":[{"id":"1"}],"site":{"id":"1"},"device":{"ip":"10.0.0.1","ipv6":"ff02::1"}}`)
	for _, body := range append(documents(t), capping) {
		for partner, thresholds := range map[string][2]int{"": {60, 60}, "a": {10, 10}, "shadow": {60, 5}, "off": {0, 0}} {
			v := w.Inspect(body, Facts{Partner: partner})
			if w.Request() == nil {
				if s := w.Scoring(&v); s.Threshold != 0 || w.Suspicious(&v) {
					t.Fatalf("a request that can't be decoded: %+v", s)
				}
				continue
			}
			check(&v, thresholds[0])
			if v.Shadow != nil {
				check(v.Shadow, thresholds[1])
				if v.Shadow.Score != v.Score {
					differs++
				}
			}
		}
	}
	if capped == 0 || suspicious == 0 || differs == 0 {
		t.Errorf("too little was seen: %d caps, %d suspicious requests, %d with another score in shadow", capped, suspicious, differs)
	}
}
