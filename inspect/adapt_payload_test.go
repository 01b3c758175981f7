package inspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// ownPayload has every setting: patterns, all layers, JSON in JSON, and a field.
var ownPayload = Payload{
	Patterns: []Pattern{{Pattern: payload.Pattern{ID: "own.probe", Literal: "x-own-probe", Why: "Our penetration test."}}},
	Layers:   payload.AllLayers, Nested: 1,
	Fields: []payload.Field{{Pointer: "/imp/*/tagid", Harmless: []string{"xss.*"}}},
}

// literal is a pattern of the configuration.
func literal(id, literal string, severity ...Severity) Pattern {
	p := Pattern{Pattern: payload.Pattern{ID: id, Literal: literal}}
	if len(severity) > 0 {
		p.Severity = &severity[0]
	}
	return p
}

// with is a good request with more members.
func with(members string) string {
	return strings.Replace(good, `{"id":"1",`, `{"id":"1",`+members+`,`, 1)
}

// signs lists the findings about payloads: "xss.script-tag /site/name 12 refuse".
func signs(v *Verdict) (list []string) {
	for _, f := range v.Findings {
		if id, ok := strings.CutPrefix(f.ID, payloadPrefix); ok {
			list = append(list, fmt.Sprintf("%s %s %d %v", id, f.Path, f.Offset, f.Severity))
		}
	}
	return list
}

func TestPayload(t *testing.T) {
	decoded := Payload{Layers: payload.AllLayers, Nested: 1}
	for _, test := range []struct {
		name    string
		config  Config
		body    string
		want    []string
		reason  string
		message string // of the first
	}{
		{name: "clean", body: good},
		{
			name: "in a value", body: with(`"ext":{"a":"x<ScRipt>"}`),
			want: []string{"xss.script-tag /ext/a 23 refuse"}, reason: "payload.xss.script-tag", message: "payload in a value: Opens a script element.",
		},
		{
			name: "escaped, in a key", body: with(`"ext":{"\u003cscript":1}`),
			want: []string{"xss.script-tag /ext/<script 18 refuse"}, reason: "payload.xss.script-tag", message: "payload in a key: Opens a script element.",
		},
		{
			name: "all of them, in the order of the text", body: with(`"ext":["<iframe","' or 1=1","<iframe <script"]`),
			want:   []string{"xss.iframe-tag /ext/0 18 refuse", "sqli.or-true /ext/1 28 refuse", "xss.script-tag /ext/2 47 refuse"},
			reason: "payload.xss.iframe-tag",
		},
		{name: "not without layers", body: with(`"ext":"%3cscript {\"a\":\"\\u003ciframe\"}"`)},
		{
			name: "layers", config: Config{Payload: decoded}, body: with(`"ext":"%3cscript"`),
			want: []string{"xss.script-tag /ext 17 refuse"}, reason: "payload.xss.script-tag", message: "payload in a value, encoded: Opens a script element.",
		},
		{
			name: "JSON in JSON", config: Config{Payload: Payload{Nested: 1}}, body: with(`"ext":"{\"a\":\"\\u003ciframe\"}"`),
			want: []string{"xss.iframe-tag /ext 26 refuse"}, reason: "payload.xss.iframe-tag", message: "payload in a value with JSON in it: Loads a foreign page.",
		},
		{
			name: "severities", config: Config{Global: ruled("payload.*=observe payload.xss.*=warn payload.xss.iframe-tag=off payload.sqli.or-true=refuse")},
			body: with(`"ext":["<iframe","' or 1=1","<script /etc/passwd"]`),
			want: []string{"sqli.or-true /ext/1 28 refuse", "xss.script-tag /ext/2 39 warn", "command.etc-passwd /ext/2 47 observe"}, reason: "payload.sqli.or-true",
		},
		{name: "off", config: Config{Global: set("payload.*", Off)}, body: with(`"ext":"<script"`)},
		{
			name: "own patterns", config: Config{Payload: Payload{Patterns: []Pattern{literal("own", "X-Probe"), literal("b", "second", Warn), literal("c", "third", Off)}}},
			body: with(`"ext":["third","SECOND","x-probe","<script"]`),
			want: []string{"b /ext/1 26 warn", "own /ext/2 35 refuse", "xss.script-tag /ext/3 45 refuse"}, reason: "payload.own",
			message: "payload in a value: A pattern of the configuration.",
		},
		{
			name: "own patterns have severities like others", config: Config{Payload: Payload{Patterns: []Pattern{literal("own", "x-probe"), literal("off", "x-off", Off)}}, Global: ruled("payload.o*=observe")},
			body: with(`"ext":"x-off x-probe"`), want: []string{"off /ext 17 observe", "own /ext 23 observe"},
		},
		{
			name: "harmless fields", config: Config{Payload: Payload{Fields: []payload.Field{{Pointer: "/ext/*", Harmless: []string{"xss.*"}}}}},
			body: with(`"ext":{"a":"<script","b":["<script"]}`), want: []string{"xss.script-tag /ext/b/0 37 refuse"}, reason: "payload.xss.script-tag",
		},
		{
			name: "after the other inspectors", config: Config{Global: ruled("", objection("a", always))}, body: with(`"ext":"<script"`),
			want: []string{"xss.script-tag /ext 17 refuse"}, reason: "policy.a",
		},
		{
			name: "before scrubs that fail", config: Config{Global: Layer{Scrubs: []Scrub{{Program: impossible}}}}, body: with(`"ext":"<script"`),
			want: []string{"xss.script-tag /ext 17 refuse"}, reason: "payload.xss.script-tag",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.config.Global.Severities = append([]Setting{{"any.ext", Off}}, test.config.Global.Severities...)
			e := mustNew(t, test.config)
			w := e.NewWorker()
			body := []byte(test.body)
			for range 2 {
				v := w.Inspect(body, Facts{})
				checkVerdict(t, e, v, body, MaxFindingsDefault)
				if got := signs(&v); !slices.Equal(got, test.want) || v.Reason != test.reason {
					t.Fatalf("got %q, reason %q; want %q, reason %q", got, v.Reason, test.want, test.reason)
				}
				if first := slices.IndexFunc(v.Findings, func(f Finding) bool { return f.Inspector == InspectorPayload }); test.message != "" && v.Findings[first].Message != test.message {
					t.Errorf("it says %q", v.Findings[first].Message)
				}
				if v := w.Inspect([]byte(good), Facts{}); signs(&v) != nil { // nothing is left of the request before
					t.Fatalf("the next request has %q", signs(&v))
				}
			}
		})
	}
}

// TestPayloadBudget: a request that is not searched to its end does not pass, unless a setting says
// so.
func TestPayloadBudget(t *testing.T) {
	body := []byte(with(`"ext":"` + strings.Repeat("x", 500) + `"`))
	small := Payload{Work: 200}
	for settings, want := range map[string]string{
		"":                                  "payload.budget",
		"payload.budget=warn":               "",
		"payload.xss.*=off":                 "payload.budget",
		"payload.*=off payload.budget=warn": "",
	} {
		e := mustNew(t, Config{Payload: small, Global: ruled("any.ext=off " + settings)})
		v := e.NewWorker().Inspect(body, Facts{})
		checkVerdict(t, e, v, body, MaxFindingsDefault)
		if v.Reason != want || want != "" && v.NBR != NBRLimit {
			t.Errorf("%q: refused for %q, nbr %d; want %q", settings, v.Reason, v.NBR, want)
		}
		if found := len(signs(&v)); found != 1 && !strings.Contains(settings, "*=off payload") {
			t.Errorf("%q: %d findings", settings, found)
		}
		if v := e.NewWorker().Inspect([]byte(good), Facts{}); v.Action != ActionForward {
			t.Errorf("%q: a short request is refused for %s", settings, v.Reason)
		}
	}
}

// TestPayloadLayers: layers of the configuration set severities of payloads like all others, and
// what is in shadow is found by the same search.
func TestPayloadLayers(t *testing.T) {
	c := layered(set("payload.*", Off), set("payload.xss.*", Refuse), Layer{Severities: []Setting{{"payload.*", Warn}}, Shadow: true})
	e := mustNew(t, c)
	w := e.NewWorker()
	body := []byte(with(`"ext":["<script","' or 1=1"]`))
	for _, test := range []struct {
		facts         Facts
		live, shadows []string
	}{
		{Facts{}, nil, nil},
		{Facts{Partner: "p", Publisher: "x"}, []string{"xss.script-tag /ext/0 18 refuse"}, nil},
		{Facts{Partner: "p"}, []string{"xss.script-tag /ext/0 18 refuse"}, []string{"xss.script-tag /ext/0 18 warn", "sqli.or-true /ext/1 28 warn"}},
	} {
		v := w.Inspect(body, test.facts)
		var shadows []string
		if v.Shadow != nil {
			shadows = signs(v.Shadow)
		}
		if got := signs(&v); !slices.Equal(got, test.live) || !slices.Equal(shadows, test.shadows) {
			t.Errorf("%+v: got %q, in shadow %q", test.facts, got, shadows)
		}
		if w.in.scan.done != (test.live != nil) {
			t.Errorf("%+v: searched %v", test.facts, w.in.scan.done)
		}
	}
}

// TestPayloadLimit: of too many findings, the most severe ones are kept.
func TestPayloadLimit(t *testing.T) {
	e := mustNew(t, Config{MaxFindings: 2, Global: ruled("schema.*=off payload.*=observe payload.sqli.or-true=refuse payload.command.*=warn")})
	body := []byte(with(`"ext":["<script","<iframe","/etc/passwd","' or 1=1"]`))
	v := e.NewWorker().Inspect(body, Facts{})
	checkVerdict(t, e, v, body, 2)
	if got := signs(&v); !slices.Equal(got, []string{"command.etc-passwd /ext/2 38 warn", "sqli.or-true /ext/3 52 refuse"}) || v.Dropped != 2 || v.Counts[Observe] != 2 {
		t.Errorf("got %q, %d dropped", got, v.Dropped)
	}
}

// TestPayloadReasons compares the reasons with the patterns.
func TestPayloadReasons(t *testing.T) {
	patterns := payload.Default()
	for _, p := range patterns {
		if r, ok := ReasonByID("payload." + p.ID); !ok || r.Severity != Refuse || r.NBR != adcom.NoBidReasonInvalidRequest || r.Text != p.Why {
			t.Errorf("%s has the reason %+v", p.ID, r)
		}
	}
	if got := len(registry().of(InspectorPayload)); got != len(patterns)+1 {
		t.Errorf("%d reasons for %d patterns", got, len(patterns))
	}
	e := mustNew(t, Config{Payload: ownPayload})
	want := Reason{"payload.own.probe", InspectorPayload, adcom.NoBidReasonInvalidRequest, Refuse, "Our penetration test.", "the global layer"}
	if r, ok := e.ReasonByID("payload.own.probe"); !ok || r != want {
		t.Errorf("the own pattern has the reason %+v", r)
	}
}

// TestPayloadCorpus: no request of the corpus has a finding, with or without decodings.
func TestPayloadCorpus(t *testing.T) {
	for _, p := range []Payload{{}, ownPayload} {
		w := mustNew(t, Config{Payload: p}).NewWorker()
		for _, doc := range testkit.Requests(t) {
			v := w.Inspect(doc, Facts{})
			if found := signs(&v); found != nil {
				t.Errorf("%q in %s", found, doc)
			}
		}
	}
}

// TestPayloadMessages: no message holds anything of the request, and what can't be placed is
// reported all the same.
func TestPayloadMessages(t *testing.T) {
	w := mustNew(t, Config{Payload: ownPayload}).NewWorker()
	deep := `"ext":{"secret":` + strings.Repeat("[", 400) + `"<script"` + strings.Repeat("]", 400) + `}`
	for _, members := range []string{`"ext":{"secret<script":"secret<iframe%3cembed"}`, deep} {
		v := w.Inspect([]byte(with(members)), Facts{})
		if len(signs(&v)) == 0 || v.Action != ActionRefuse {
			t.Errorf("got %s", lasting(v))
		}
		for _, f := range v.Findings {
			if strings.Contains(f.Message, "secret") || !strings.Contains(f.Message, "payload in ") {
				t.Errorf("%s says %q", f.ID, f.Message)
			}
		}
	}
}

func TestPayloadConfigErrors(t *testing.T) {
	one := func(p ...Pattern) Config { return Config{Payload: Payload{Patterns: p}} }
	for want, c := range map[string]Config{
		`pattern 1: no name`:                                    one(literal("", "x")),
		`pattern 2: the name "a b" has other`:                   one(literal("a", "x"), literal("a b", "x")),
		`the id "budget" is taken`:                              one(literal("budget", "x")),
		`own has the invalid severity Severity(4)`:              one(literal("own", "x", Refuse+1)),
		`two patterns have the id "a"`:                          one(literal("a", "x"), literal("a", "y")),
		`two patterns have the id "xss.onload"`:                 one(literal("xss.onload", "x")),
		`the literal of pattern "a" has 0 bytes (want 1 to 64)`: one(literal("a", "")),
		`no pattern has the id "x"`:                             {Payload: Payload{Fields: []payload.Field{{Pointer: "/a", Harmless: []string{"x"}}}}},
		`Nested is -1`:                                          {Payload: Payload{Nested: -1}},
		`Work is -1`:                                            {Payload: Payload{Work: -1}},
		`no reason matches "payload.own"`:                       {Global: set("payload.own", Off)},
	} {
		e, err := New(c)
		if e != nil || err == nil || !strings.HasPrefix(err.Error(), "inspect: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
