package inspect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestObserving holds what observing means: the verdict that would be is the one without it,
// nothing that is observed refuses, and scrubs are applied.
func TestObserving(t *testing.T) {
	c := layered(Layer{Rules: []Rule{objection("a", hashed(3)), objection("b", hashed(2)), objection("failing", failing)}, Scrubs: []Scrub{{"user", nil, removes("/user")}}},
		Layer{Shadow: true, Rules: []Rule{objection("c", hashed(5))}}, Layer{})
	c.Payload = ownPayload
	engine := mustNew(t, c)
	plain, w := engine.NewWorker(), engine.NewWorker()
	docs := documents(t)
	testkit.Rand(2).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	scrubbed := 0
	for _, doc := range docs[:len(docs)/testkit.Scale(t, 8, 4, 1)] {
		for _, partner := range []string{"", "p"} {
			facts := Facts{Partner: partner}
			want := plain.Inspect(doc, facts)
			would := want
			if want.Shadow != nil {
				would = *want.Shadow
			}
			for _, o := range []*Observing{{}, {All: true}, {Reasons: map[string]bool{want.Reason: true}}, {Reasons: map[string]bool{"policy.a": true, "policy.scrub": true}}} {
				_ = w.Decode(doc)
				v := w.JudgeObserving(facts, o)
				checkVerdict(t, engine, v, doc, MaxFindingsDefault)
				if got, want := lasting(*v.Shadow), lasting(withoutEdits(would)); strings.Replace(got, "shadow: none", "", 1) != strings.Replace(want, "shadow: "+shadowOf(would), "", 1) {
					t.Fatalf("%+v: the verdict that would be is %s\nwithout observing it is %s", o, got, want)
				}
				if v.Action == ActionRefuse && (o.All && v.Reason != scrubFailed || o.Reasons[v.Reason] && v.Findings[len(v.Findings)-1].Message != beyond && v.Reason != scrubFailed) {
					t.Fatalf("%+v: refused: %s", o, lasting(v))
				}
				if want.Action == ActionForward && v.Action == ActionRefuse {
					t.Fatalf("%+v: observing refuses: %s", o, lasting(v))
				}
				if want.Action == ActionRefuse && v.Action == ActionForward && w.Request() != nil {
					if len(v.Scrubs) != 1 {
						t.Fatalf("%+v: not scrubbed: %s", o, lasting(v))
					}
					scrubbed++
				}
			}
		}
	}
	if scrubbed < 100 {
		t.Errorf("only %d requests would have been refused", scrubbed)
	}
}

// shadowOf is the text of the shadow of a verdict, which that of a shadow lacks.
func shadowOf(v Verdict) string {
	if v.Shadow == nil {
		return "none"
	}
	return lasting(*v.Shadow)
}

// TestObservingOneRule refuses for another reason, and counts the observed one.
func TestObservingOneRule(t *testing.T) {
	w := mustNew(t, Config{Global: ruled("", objection("a", always), objection("b", always))}).NewWorker()
	_ = w.Decode([]byte(private))
	v := w.JudgeObserving(Facts{}, &Observing{Reasons: map[string]bool{"policy.a": true}})
	if v.Reason != "policy.b" || v.Findings[0].Severity != Observe || v.Shadow.Reason != "policy.a" || v.Counts != [Refuse + 1]int{Observe: 1, Refuse: 1} {
		t.Errorf("got %s", lasting(v))
	}
	if v = w.Judge(Facts{}); v.Reason != "policy.a" || v.Shadow != nil {
		t.Errorf("the next one: %s", lasting(v))
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
