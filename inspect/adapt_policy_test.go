package inspect

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/rule"
)

// condition makes a function a condition.
type condition func(in *rule.Input) (bool, error)

func (c condition) Holds(in *rule.Input) (bool, error) { return c(in) }

var errNoValue = errors.New("no value")

var (
	always  = condition(func(*rule.Input) (bool, error) { return true, nil })
	never   = condition(func(*rule.Input) (bool, error) { return false, nil })
	failing = condition(func(*rule.Input) (bool, error) { return false, errNoValue })
)

// hashed is a condition that holds for one in n requests.
func hashed(n uint64) condition {
	return func(in *rule.Input) (bool, error) { return hash(in.Body)%n == 0, nil }
}

// objection makes a rule with the default severity, or the one given.
func objection(name string, when rule.Condition, severity ...Severity) Rule {
	r := Rule{Name: name, When: when}
	if len(severity) > 0 {
		r.Severity = &severity[0]
	}
	return r
}

// ruled is a layer with rules, and with settings: "policy.a=warn".
func ruled(settings string, rules ...Rule) Layer {
	l := Layer{Rules: rules}
	for s := range strings.FieldsSeq(settings) {
		reasons, word, _ := strings.Cut(s, "=")
		severity, err := ParseSeverity(word)
		if err != nil {
			panic(err)
		}
		l.Severities = append(l.Severities, Setting{reasons, severity})
	}
	return l
}

// found lists the findings of rules and the decision: "a=warn b=refuse -> policy.b".
func found(v *Verdict) string {
	var list []string
	for _, f := range v.Findings {
		if name, ok := strings.CutPrefix(f.ID, policyPrefix); ok {
			list = append(list, name+"="+f.Severity.String())
		}
	}
	if v.Reason != "" {
		list = append(list, "-> "+v.Reason)
	}
	return strings.Join(list, " ")
}

// TestRules asks which rules count for whom, and how. Each case has the layers from the outside in,
// and the answers for a stranger, for the partner, for its publisher, and for another partner.
func TestRules(t *testing.T) {
	a, b, c, d := objection("a", always), objection("b", always), objection("c", always), objection("d", always)
	for _, test := range []struct {
		name                                      string
		global, partner, publisher, other         Layer
		forStranger, forPartner, forPub, forOther string
	}{
		{
			name: "each layer has its own", global: ruled("", a), partner: ruled("", b), publisher: ruled("", c), other: ruled("", d),
			forStranger: "a=refuse -> policy.a", forPartner: "a=refuse b=refuse -> policy.a",
			forPub: "a=refuse b=refuse c=refuse -> policy.a", forOther: "a=refuse d=refuse -> policy.a",
		},
		{
			name: "only the publisher", publisher: ruled("", c),
			forPub: "c=refuse -> policy.c",
		},
		{
			name: "the severity of the rule", global: ruled("", objection("a", always, Observe), objection("b", always, Warn), objection("c", always, Off), objection("d", always, Refuse)),
			forStranger: "a=observe b=warn d=refuse -> policy.d", forPartner: "a=observe b=warn d=refuse -> policy.d",
			forPub: "a=observe b=warn d=refuse -> policy.d", forOther: "a=observe b=warn d=refuse -> policy.d",
		},
		{
			name: "settings of the rule's layer", global: ruled("policy.a=warn", a, b), partner: ruled("policy.*=observe", c),
			forStranger: "a=warn b=refuse -> policy.b", forPartner: "a=observe b=observe c=observe",
			forPub: "a=observe b=observe c=observe", forOther: "a=warn b=refuse -> policy.b",
		},
		{
			name: "settings of an outer layer are not about inner rules", global: ruled("policy.*=observe", a), partner: ruled("*=warn", b), publisher: ruled("", c),
			other: ruled("", d), forStranger: "a=observe", forPartner: "a=warn b=warn", forPub: "a=warn b=warn c=refuse -> policy.c",
			forOther: "a=observe d=refuse -> policy.d",
		},
		{
			name: "later settings win", global: ruled("policy.*=off policy.a=warn", a, b), publisher: ruled("policy.a=refuse policy.*=observe"),
			forStranger: "a=warn", forPartner: "a=warn", forPub: "a=observe b=observe", forOther: "a=warn",
		},
		{
			name: "off, and on for one publisher", global: ruled("", objection("a", always, Off)), publisher: ruled("policy.a=refuse"),
			forPub: "a=refuse -> policy.a",
		},
		{
			name: "two partners have a rule of the same name", partner: ruled("policy.b=observe", b), other: ruled("", objection("b", always, Warn)),
			forPartner: "b=observe", forPub: "b=observe", forOther: "b=warn",
		},
		{
			name: "a setting switches nothing of another partner on", partner: ruled("", objection("b", always, Off)), other: ruled("policy.*=refuse", objection("d", never)),
		},
		{
			name: "in shadow", global: ruled("", a), partner: Layer{Shadow: true, Rules: []Rule{b}, Severities: []Setting{{"policy.a", Off}}}, publisher: ruled("", c),
			forStranger: "a=refuse -> policy.a", forPartner: "a=refuse -> policy.a | b=refuse -> policy.b",
			forPub: "a=refuse -> policy.a | b=refuse c=refuse -> policy.b", forOther: "a=refuse -> policy.a",
		},
		{
			name: "not sampled", global: Layer{Sample: 1e-9, Rules: []Rule{a}}, partner: ruled("", b), publisher: Layer{Sample: 1e-9, Rules: []Rule{c}},
			forPartner: "b=refuse -> policy.b", forPub: "b=refuse -> policy.b",
		},
		{
			name: "conditions that do not hold", global: ruled("", objection("a", never), b, objection("c", failing)),
			forStranger: "b=refuse -> policy.b", forPartner: "b=refuse -> policy.b", forPub: "b=refuse -> policy.b", forOther: "b=refuse -> policy.b",
		},
	} {
		config := layered(test.global, test.partner, test.publisher)
		config.Partners["q"] = Partner{Layer: test.other}
		w := mustNew(t, config).NewWorker()
		for i, want := range []string{test.forStranger, test.forPartner, test.forPub, test.forOther} {
			facts := []Facts{{}, {Partner: "p", Publisher: "none"}, {Partner: "p", Publisher: "pub"}, {Partner: "q", Publisher: "pub"}}[i]
			v := w.Inspect([]byte(good), facts)
			got := found(&v)
			if v.Shadow != nil {
				got += " | " + found(v.Shadow)
			}
			if got != want {
				t.Errorf("%s: for %+v got %q, want %q", test.name, facts, got, want)
			}
		}
	}
}

// TestRuleFinding checks what a finding of a rule says, and where it is among the others.
func TestRuleFinding(t *testing.T) {
	full := Rule{Name: "blocked", When: always, NBR: adcom.NoBidReasonBlockedPublisher, Message: "the site is blocked"}
	w := mustNew(t, Config{Global: ruled("Imp.id.required=warn", objection("plain", always, Warn), full, objection("off", failing, Off))}).NewWorker()
	v := w.Inspect([]byte(noImpID), Facts{})
	want := []Finding{
		{Inspector: InspectorSchema, ID: impID, Severity: Warn, Path: "/imp/0/id", Offset: 17, Message: "required field id is missing or empty"},
		{Inspector: InspectorPolicy, ID: "policy.plain", Severity: Warn, Offset: -1, Message: "plain"},
		{Inspector: InspectorPolicy, ID: "policy.blocked", Severity: Refuse, Offset: -1, Message: "the site is blocked"},
	}
	if !slices.Equal(v.Findings, want) || v.Decision != (Decision{ActionRefuse, "policy.blocked", adcom.NoBidReasonBlockedPublisher}) || len(v.Errors) > 0 {
		t.Errorf("got %s", lasting(v))
	}
	if v := w.Inspect([]byte("{"), Facts{}); len(v.Findings) != 1 || v.Reason != "json.truncated" {
		t.Errorf("of an undecodable request: %s", lasting(v))
	}
	w = mustNew(t, Config{Global: ruled("", full)}).NewWorker()
	if v := w.Inspect([]byte(noImpID), Facts{}); v.Reason != impID || len(v.Findings) != 2 {
		t.Errorf("the specification comes first: %s", lasting(v))
	}
}

// TestRuleInput checks what conditions see.
func TestRuleInput(t *testing.T) {
	facts := Facts{Partner: "p", Headers: []Header{{Name: "X-A", Value: "1"}}}
	seen := 0
	sees := condition(func(in *rule.Input) (bool, error) {
		seen++
		if string(in.Body) != good || in.Request.ID != "1" || in.Facts.Partner != "p" || in.Facts.Header("x-a") != "1" || in.Facts.Header("x") != "" {
			t.Errorf("the condition sees %+v", in)
		}
		return false, nil
	})
	w := mustNew(t, Config{Global: ruled("", objection("a", sees))}).NewWorker()
	if w.Inspect([]byte(good), facts); seen != 1 {
		t.Errorf("the condition was asked %d times", seen)
	}
	if w.Release(); w.in.Body != nil || w.in.Facts != nil {
		t.Error("the worker keeps the request")
	}
}

// TestRuleErrors: a condition without a value is reported by the rule's id, and refuses where the
// rule says so, with the severity that the rule has.
func TestRuleErrors(t *testing.T) {
	closed := func(name string, s Severity) Rule {
		r := objection(name, failing, s)
		r.OnError = rule.ObjectOnError
		return r
	}
	for _, test := range []struct {
		rules  []Rule
		want   string
		errors string
	}{
		{[]Rule{objection("a", failing)}, "", "policy.a"},
		{[]Rule{closed("a", Refuse)}, "a=refuse -> policy.a", "policy.a"},
		{[]Rule{closed("a", Observe), closed("b", Warn), closed("c", Off)}, "a=observe b=warn", "policy.a policy.b"},
		{[]Rule{objection("a", failing), closed("b", Refuse), objection("c", always)}, "b=refuse c=refuse -> policy.b", "policy.a policy.b"},
	} {
		for _, shadow := range []bool{false, true} {
			w := mustNew(t, layered(Layer{}, Layer{Rules: test.rules, Shadow: shadow}, Layer{})).NewWorker()
			for range 2 {
				v := w.Inspect([]byte(good), Facts{Partner: "p"})
				if shadow {
					if found(&v) != "" || len(v.Errors) > 0 {
						t.Errorf("%s in shadow: %s", test.want, lasting(v))
					}
					v = *v.Shadow
				}
				var ids []string
				for _, e := range v.Errors {
					if ids = append(ids, e.ID); !errors.Is(e.Err, errNoValue) {
						t.Errorf("%s: the error is %v", e.ID, e.Err)
					}
				}
				if got := strings.Join(ids, " "); found(&v) != test.want || got != test.errors {
					t.Errorf("got %q with errors %q, want %q with %q", found(&v), got, test.want, test.errors)
				}
				for _, f := range v.Findings {
					if f.ID != "policy.c" && f.Message != withoutValue {
						t.Errorf("%s says %q", f.ID, f.Message)
					}
				}
			}
		}
	}
}

// TestRuleCauses asks what becomes of a request by the cause of the error, the severity of the rule
// and its on_error. docs/policy.md has the table.
func TestRuleCauses(t *testing.T) {
	causes := map[string]condition{
		"request": failing,
		"data":    func(*rule.Input) (bool, error) { return false, fmt.Errorf("no list: %w", rule.ErrNotLoaded) },
		"readers": func(*rule.Input) (bool, error) { return false, fmt.Errorf("two: %w", rule.ErrAmbiguous) },
		"limit":   func(*rule.Input) (bool, error) { return false, fmt.Errorf("much work: %w", rule.ErrLimit) },
	}
	objections := map[string]map[rule.OnError]string{
		"request": {rule.ObjectOnError: "policy.a"},
		"data":    {rule.ByCause: "policy.a", rule.ObjectOnError: "policy.a"},
		"readers": {rule.ByCause: "policy.a", rule.ObjectOnError: "policy.a"},
		"limit":   {rule.ByCause: ruleLimit, rule.PassOnError: ruleLimit, rule.ObjectOnError: ruleLimit},
	}
	for cause, when := range causes {
		for onError := rule.ByCause; onError <= rule.ObjectOnError; onError++ {
			for severity := Observe; severity <= Refuse; severity++ {
				own := objection("a", when, severity)
				own.OnError = onError
				want := Decision{}
				id := objections[cause][onError]
				if id != "" && severity == Refuse {
					want = Decision{ActionRefuse, id, map[string]adcom.NoBidReason{"policy.a": NBRPolicy, ruleLimit: NBRLimit}[id]}
				}
				v := mustNew(t, Config{Global: ruled("*.deprecated=off limit.*=off", own)}).NewWorker().Inspect([]byte(good), Facts{})
				if v.Decision != want || len(v.Errors) != 1 || v.Errors[0].ID != "policy.a" {
					t.Errorf("%s, on error %d, %v: %s", cause, onError, severity, lasting(v))
				}
				switch {
				case id == "" && len(v.Findings) > 0, id != "" && (len(v.Findings) != 1 || v.Findings[0].ID != id || v.Findings[0].Severity != severity):
					t.Errorf("%s, on error %d, %v: %+v", cause, onError, severity, v.Findings)
				case id == ruleLimit && v.Findings[0].Message != "policy.a: much work: beyond a limit of work":
					t.Errorf("the finding says %q", v.Findings[0].Message)
				}
			}
		}
	}
}

// TestRuleLimit: a rule that may not refuse lets an expensive request pass: one in shadow, one that
// is not sampled, and one whose limit an operator has named.
func TestRuleLimit(t *testing.T) {
	much := condition(func(*rule.Input) (bool, error) { return false, rule.ErrLimit })
	shadow, sampled := objection("a", much), objection("a", much)
	shadow.Shadow, sampled.Sample = true, 1e-9
	for _, test := range []struct {
		name         string
		layer        Layer
		live, shadow string // reasons
		severity     Severity
	}{
		{"live", ruled("", objection("a", much)), ruleLimit, "", Refuse},
		{"a rule in shadow", ruled("", shadow), "", ruleLimit, Off},
		{"a layer in shadow", Layer{Shadow: true, Rules: []Rule{objection("a", much)}}, "", ruleLimit, Off},
		{"not sampled", ruled("", sampled), "", "", Off},
		{"off", ruled("", objection("a", much, Off)), "", "", Off},
		{"patterns", ruled("*=off policy.a=refuse", objection("a", much)), ruleLimit, "", Refuse},
		{"named", ruled("limit.rule=warn", objection("a", much)), "", "", Warn},
		{"named, of a rule that observes", ruled("limit.rule=warn", objection("a", much, Observe)), "", "", Observe},
	} {
		v := mustNew(t, layered(Layer{}, test.layer, Layer{})).NewWorker().Inspect([]byte(good), Facts{Partner: "p"})
		got, inside := Off, ""
		for _, f := range v.Findings {
			got = f.Severity
		}
		if v.Shadow != nil {
			inside = v.Shadow.Reason
		}
		if v.Reason != test.live || got != test.severity || inside != test.shadow {
			t.Errorf("%s: %s", test.name, lasting(v))
		}
	}
	global := Layer{Sample: 1e-9}
	if v := mustNew(t, layered(global, ruled("", objection("a", much)), Layer{})).NewWorker().Inspect([]byte(good), Facts{Partner: "p"}); v.Reason != ruleLimit {
		t.Errorf("where the preset does not count: %s", lasting(v))
	}
}

func TestRuleConfigErrors(t *testing.T) {
	one := func(r Rule) Config { return Config{Global: Layer{Rules: []Rule{r}}} }
	a := objection("a", always)
	for want, c := range map[string]Config{
		`the global layer: rule 1: no name`:                                                one(objection("", always)),
		`rule 1: a has no condition`:                                                       one(objection("a", nil)),
		`a has the no-bid reason 18, which OpenRTB does not have`:                          one(Rule{Name: "a", When: always, NBR: 18}),
		`a has the invalid severity Severity(4)`:                                           one(objection("a", always, Refuse+1)),
		`the name "a b" has other characters`:                                              one(objection("a b", always)),
		`a name of 101 bytes (want at most 100)`:                                           one(objection(strings.Repeat("x", 101), always)),
		`the name "scrub" is taken: policy.scrub is about scrubs`:                          one(objection("scrub", always)),
		`rule 2: the name "a" is there twice`:                                              {Global: ruled("", a, a)},
		`partner "p": rule 1: the name "a" is there twice`:                                 layered(ruled("", a), ruled("", a), Layer{}),
		`publisher "pub": rule 1: the name "a" is there twice`:                             layered(ruled("", a), Layer{}, ruled("", a)),
		`partner "p", publisher "pub": rule 1: the name "a"`:                               layered(Layer{}, ruled("", a), ruled("", a)),
		`the global layer: no reason matches "policy.a"`:                                   layered(ruled("policy.a=off"), ruled("", a), Layer{}),
		`partner "p": no reason matches "policy.a"`:                                        layered(Layer{}, ruled("policy.a=off"), ruled("", a)),
		`partner "p": no reason matches "policy.aa"`:                                       layered(ruled("", a), ruled("policy.aa=off"), Layer{}),
		`no reason matches "a"; docs/reference/reasons.md lists all but those of the conf`: {Global: ruled("a=off", a)},
		`scrub 1: no program`:                                                              {Global: Layer{Scrubs: []Scrub{{}}}},
		`scrub 1: the name "ü" has`:                                                        {Global: Layer{Scrubs: []Scrub{{Name: "ü"}}}},
	} {
		e, err := New(c)
		if e != nil || err == nil || !strings.HasPrefix(err.Error(), "inspect: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, c := range []Config{
		layered(ruled("policy.*=off"), ruled("", a), ruled("policy.a=off", objection("b", always))),
		{Global: ruled("policy.scrub=warn")},
	} {
		mustNew(t, c)
	}
}

// TestEngineReasons checks that an engine's reasons are the common ones and its own.
func TestEngineReasons(t *testing.T) {
	config := layered(ruled("", objection("a", always, Warn)), ruled("", objection("b", always)), ruled("", Rule{Name: "c", When: always, NBR: 7, Message: "text"}))
	config.Partners["q"] = Partner{Layer: ruled("", objection("b", always, Off))}
	e := mustNew(t, config)
	var own []Reason
	last := false
	for _, r := range e.Reasons() {
		fixed, isFixed := ReasonByID(r.ID)
		if isFixed != (r.Layer == "") || isFixed && fixed != r {
			t.Errorf("%+v is fixed: %v, %+v", r, isFixed, fixed)
		}
		if !isFixed {
			own = append(own, r)
		}
		if r.Inspector == InspectorScrub || r.Inspector == InspectorResponse {
			last = true
		} else if last {
			t.Errorf("%s is out of order", r.ID)
		}
		if got, ok := e.ReasonByID(r.ID); !ok || got != r && r.Layer != `partner "q"` {
			t.Errorf("ReasonByID(%s) = %+v, %v", r.ID, got, ok)
		}
	}
	want := []Reason{
		{"policy.a", InspectorPolicy, NBRPolicy, Warn, "a", "the global layer"},
		{"policy.b", InspectorPolicy, NBRPolicy, Refuse, "b", `partner "p"`},
		{"policy.c", InspectorPolicy, adcom.NoBidReasonBlockedPublisher, Refuse, "text", `partner "p", publisher "pub"`},
		{"policy.b", InspectorPolicy, NBRPolicy, Off, "b", `partner "q"`},
	}
	if !slices.Equal(own, want) || len(e.Reasons()) != len(Reasons())+len(want) {
		t.Errorf("got %+v", own)
	}
	if _, ok := e.ReasonByID("policy.d"); ok {
		t.Error("there is a reason policy.d")
	}
	if got := (*Engine)(nil).Reasons(); !slices.Equal(got, Reasons()) {
		t.Errorf("no engine has %d reasons", len(got))
	}
}

// manyPublishers is a configuration of a global layer and a partner with rules, and of so many
// publishers: each has settings, and every other one a rule and a scrub of its own.
func manyPublishers(count int) Config {
	var global, partner Layer
	for i := range 20 {
		global.Rules = append(global.Rules, objection(fmt.Sprintf("global-%d", i), never))
		partner.Rules = append(partner.Rules, objection(fmt.Sprintf("partner-%d", i), never))
	}
	c := layered(global, partner, Layer{})
	for i := range count {
		l := ruled(fmt.Sprintf("policy.global-%d=warn *.deprecated=%v", i%20, Severity(i%2)))
		if i%2 == 0 {
			l.Rules = []Rule{objection("own", never)}
			l.Scrubs = []Scrub{{Program: removes("/user")}}
		}
		c.Partners["p"].Publishers[fmt.Sprint(i)] = l
	}
	return c
}

// TestTablesWithRules checks what thousands of publishers share: the severities and the engines of
// the specification, and everything if they have no rules of their own.
func TestTablesWithRules(t *testing.T) {
	e := mustNew(t, manyPublishers(1000))
	policies, specifications, severities := map[*resolvedPolicy]bool{}, map[judge]bool{}, map[*Severity]bool{}
	for _, p := range e.partners["p"].publishers {
		for _, own := range []*resolvedPolicy{p.at(0).live, p.at(0).all} {
			policies[own], severities[&own.severities[0]] = true, true
			specifications[own.judges[0]] = true
		}
	}
	// The publisher without anything, 20 combinations of those without rules, and one each for the
	// rest.
	if len(policies) > 1+20+500 || len(specifications) > 3 || len(severities) > 3 {
		t.Errorf("%d policies, %d engines of the specification, %d severities", len(policies), len(specifications), len(severities))
	}
}

// TestRuleShadowAndSample: a rule in shadow is in the shadow verdict alone, whatever a setting says
// of it, and a rule with a sample is asked about its share alone.
func TestRuleShadowAndSample(t *testing.T) {
	live, shadow, sampled := objection("live", always, Warn), objection("shadow", always), objection("sampled", always, Observe)
	shadow.Shadow, sampled.Sample = true, 0.25
	e := mustNew(t, Config{Global: ruled("policy.shadow=refuse", live, shadow, sampled)})
	w, in := e.NewWorker(), 0
	const requests = 2000
	for i := range requests {
		body := fmt.Appendf(nil, `{"id":"%d","imp":[{"id":"1","banner":{"w":1,"h":1}}],"site":{"id":"1"}}`, i)
		v := w.Inspect(body, Facts{})
		want := "live=warn"
		if SampleOf(w.Request(), body) < sampled.Sample {
			want += " sampled=observe"
			in++
		}
		if got := found(&v); got != want {
			t.Fatalf("request %d: %s, want %s", i, got, want)
		}
		if v.Shadow == nil {
			t.Fatalf("request %d: no shadow verdict", i)
		}
		want = strings.Replace(want, "live=warn", "live=warn shadow=refuse", 1) + " -> policy.shadow"
		if got := found(v.Shadow); got != want {
			t.Fatalf("request %d, in shadow: %s, want %s", i, got, want)
		}
	}
	if in < requests/5 || in > requests*3/10 {
		t.Errorf("the rule was asked about %d of %d requests, want about a quarter", in, requests)
	}
	if _, err := New(Config{Global: ruled("", Rule{Name: "x", When: always, Sample: 2})}); err == nil {
		t.Error("a sample of 2 is accepted")
	}
}
