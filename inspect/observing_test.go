package inspect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestObserving holds what observing means: nothing that is observed refuses, what would be is in
// Observed, scrubs are applied, and the rest is as without it.
func TestObserving(t *testing.T) {
	c := layered(Layer{Rules: []Rule{objection("a", hashed(3)), objection("b", hashed(2)), objection("failing", failing)}, Scrubs: []Scrub{{"user", nil, removes("/user")}}},
		Layer{Shadow: true, Rules: []Rule{objection("c", hashed(5))}}, Layer{})
	c.Payload = ownPayload
	engine := mustNew(t, c)
	plain, w := engine.NewWorker(), engine.NewWorker()
	docs := documents(t)
	testkit.Rand(2).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	spared := 0
	for _, doc := range docs[:len(docs)/testkit.Scale(t, 8, 4, 1)] {
		for _, partner := range []string{"", "p"} {
			facts := Facts{Partner: partner}
			want := plain.Inspect(doc, facts)
			for _, o := range []*Observing{nil, {}, {All: true}, {Reasons: map[string]bool{want.Reason: true}}, {Reasons: map[string]bool{"policy.a": true, "policy.scrub": true}}} {
				_ = w.Decode(doc)
				v := w.JudgeObserving(facts, o)
				checkVerdict(t, engine, v, doc, MaxFindingsDefault)
				if none := o == nil || !o.All && len(o.Reasons) == 0; none {
					if got, want := lasting(v), lasting(want); got != want {
						t.Fatalf("%+v: got %s\nwant %s", o, got, want)
					}
					continue
				}
				if v.Observed == nil || v.Observed.Decision != want.Decision || v.Observed.Refusals != o.All {
					t.Fatalf("%+v: observed %+v, want %+v", o, v.Observed, want.Decision)
				}
				decoded := w.Request() != nil
				if v.Action == ActionRefuse && decoded && (o.All || o.Reasons[v.Reason] && v.Dropped == 0) || v.Action == ActionForward && !decoded {
					t.Fatalf("%+v: %s", o, lasting(v))
				}
				if want.Action == ActionRefuse && v.Action == ActionForward {
					if len(v.Scrubs) != 1 || v.WouldRefuse() != want.Decision {
						t.Fatalf("%+v: not scrubbed, or not what would be: %s", o, lasting(v))
					}
					spared++
				}
				if want.Dropped == 0 {
					v.Decision, v.Observed, v.Scrubs, v.Edits = want.Decision, nil, want.Scrubs, want.Edits
					if got, want := lasting(v), lasting(want); got != want {
						t.Fatalf("%+v: got %s\nwant %s", o, got, want)
					}
				}
			}
		}
	}
	if spared < 100 {
		t.Errorf("only %d requests would have been refused", spared)
	}
}

// TestObservingOneRule refuses for another reason, and says what the observed one would do.
func TestObservingOneRule(t *testing.T) {
	w := mustNew(t, Config{Global: ruled("", objection("a", always), objection("b", always))}).NewWorker()
	_ = w.Decode([]byte(private))
	v := w.JudgeObserving(Facts{}, &Observing{Reasons: map[string]bool{"policy.a": true}})
	if v.Reason != "policy.b" || v.Observed.Reason != "policy.a" || v.Counts[Refuse] != 2 || v.WouldRefuse() != (Decision{}) {
		t.Errorf("got %s", lasting(v))
	}
	if v = w.JudgeObserving(Facts{}, &Observing{Reasons: map[string]bool{"policy.a": true, "policy.b": true}}); v.Action != ActionForward || v.WouldRefuse().Reason != "policy.a" {
		t.Errorf("got %s", lasting(v))
	}
	if v = w.Judge(Facts{}); v.Reason != "policy.a" || v.Observed != nil {
		t.Errorf("the next one: %s", lasting(v))
	}
}

// TestObservingWorkOfARule refuses nothing because an observed rule takes too much work.
func TestObservingWorkOfARule(t *testing.T) {
	limited := condition(func(*rule.Input) (bool, error) { return false, rule.ErrLimit })
	w := mustNew(t, Config{Global: ruled("", objection("a", limited))}).NewWorker()
	_ = w.Decode([]byte(private))
	if v := w.JudgeObserving(Facts{}, &Observing{Reasons: map[string]bool{"policy.a": true}}); v.Action != ActionForward || v.WouldRefuse().Reason != ruleLimit {
		t.Errorf("got %s", lasting(v))
	}
}

// TestObservingPayloads keeps the one pattern that is not observed, of more than fit.
func TestObservingPayloads(t *testing.T) {
	c := Config{MaxFindings: 1}
	const body = `{"id":"<script>","imp":[{"id":"1","tagid":"' OR '1'='1","banner":{"w":1,"h":1}}],"site":{"id":"s"}}`
	w := mustNew(t, c).NewWorker()
	all := mustNew(t, Config{}).NewWorker().Inspect([]byte(body), Facts{})
	var ids []string
	for _, f := range all.Findings {
		if f.Inspector == InspectorPayload && f.Severity == Refuse {
			ids = append(ids, f.ID)
		}
	}
	if len(ids) < 2 {
		t.Fatalf("%d payloads: %s", len(ids), lasting(all))
	}
	_ = w.Decode([]byte(body))
	if v := w.JudgeObserving(Facts{}, &Observing{Reasons: map[string]bool{ids[0]: true}}); v.Reason == ids[0] || v.Action != ActionRefuse {
		t.Errorf("one is observed: %s", lasting(v))
	}
	reasons := map[string]bool{}
	for _, id := range ids {
		reasons[id] = true
	}
	if v := w.JudgeObserving(Facts{}, &Observing{Reasons: reasons}); v.Action != ActionForward || v.Dropped == 0 {
		t.Errorf("all are observed: %s", lasting(v))
	}
}

// TestObservingBeyondTheLimit hides a finding behind as many of an observed rule as are kept.
func TestObservingBeyondTheLimit(t *testing.T) {
	c := Config{MaxFindings: 3, Global: Layer{Severities: []Setting{{"Imp.id.required", Refuse}}}}
	doc := func(imps string) []byte { return fmt.Appendf(nil, `{"id":"1","imp":[%s],"site":{"id":"s"}}`, imps) }
	const noID = `{"banner":{"w":1,"h":1}}`
	w := mustNew(t, c).NewWorker()
	for _, tt := range []struct {
		imps    string
		observe *Observing
		want    Action
	}{
		{strings.Repeat(noID+",", 2) + noID, &Observing{Reasons: map[string]bool{"schema.Imp.id.required": true}}, ActionForward},
		{strings.Repeat(noID+",", 3) + noID, &Observing{Reasons: map[string]bool{"schema.Imp.id.required": true}}, ActionRefuse},
		{strings.Repeat(noID+",", 3) + noID, &Observing{All: true}, ActionForward},
		{strings.Repeat(noID+",", 3) + noID, &Observing{Reasons: map[string]bool{"policy.other": true}}, ActionRefuse},
	} {
		body := doc(tt.imps)
		_ = w.Decode(body)
		v := w.JudgeObserving(Facts{}, tt.observe)
		checkVerdict(t, w.engine, v, body, 3)
		if v.Action != tt.want {
			t.Errorf("%s, %+v: %s", tt.imps, tt.observe, lasting(v))
		}
	}
}

// TestBlockedNow keeps the reason of operators out of configurations.
func TestBlockedNow(t *testing.T) {
	for want, c := range map[string]Config{
		`"blocked-now" is taken`:               {Global: ruled("", objection("blocked-now", always))},
		"policy.blocked-now has no severity":   {Global: ruled("policy.blocked-now=warn")},
		"no reason matches \"policy.blocked-n": {Global: ruled("policy.blocked-no=warn")},
	} {
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
