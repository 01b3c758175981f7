package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/payload"
)

func TestPayload(t *testing.T) {
	c := mustParse(t, `
version: 1
payload:
  patterns:
    - {id: own.probe, text: X-Probe, why: Our test., severity: warn}
    - {id: other, text: "123"}
  layers: [percent, squeeze]
  nested: 1
  work: 1000
  fields: {/imp/*/native/request: ["xss.*", other]}
severities: {"payload.*": observe, payload.own.probe: refuse}
`)
	warn, refuse := inspect.Warn, inspect.Refuse
	want := inspect.Payload{
		Patterns: []inspect.Pattern{
			{Pattern: payload.Pattern{ID: "own.probe", Literal: "X-Probe", Why: "Our test."}, Severity: &warn},
			{Pattern: payload.Pattern{ID: "other", Literal: "123"}, Severity: &refuse},
		},
		Layers: payload.Percent | payload.Squeeze, Nested: 1, Work: 1000,
		Fields: []payload.Field{{Pointer: "/imp/*/native/request", Harmless: []string{"xss.*", "other"}}},
	}
	if got := c.Inspect().Payload; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	s, problems := c.Open(OpenOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	v := s.Engine.NewWorker().Inspect([]byte(`{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],"site":{"id":"<script","name":"x%2Dprobe"}}`), inspect.Facts{})
	if v.Reason != "payload.own.probe" || v.Counts[inspect.Observe] == 0 {
		t.Errorf("the verdict is %+v", v)
	}
	for _, l := range payloadLayers {
		if c := mustParse(t, "version: 1\npayload: {layers: ["+l.name+"]}"); c.Payload.Layers != l.layer {
			t.Errorf("%s is read as %v", l.name, c.Payload.Layers)
		}
	}
}

// TestPayloadProblems: patterns that can't be together have their places.
func TestPayloadProblems(t *testing.T) {
	many := func(count int, text string) string {
		var b strings.Builder
		for i := range count {
			fmt.Fprintf(&b, "\n    - {id: a%d, text: %s}", i, text)
		}
		return b.String()
	}
	for _, test := range []struct {
		payload, want, suggestion string
		line                      int
	}{
		{"{patterns: [{id: budget, text: x}]}", `the id "budget" is taken: payload.budget is about the limit of work`, "", 2},
		{"{patterns: [\n{id: a, text: x},\n{id: a, text: y}]}", `another pattern has the id "a" (x.yaml, line 3)`, "", 4},
		{"{fields: {/a: [xss.onlod]}}", `no pattern of payloads has the id "xss.onlod"`, "xss.onload", 2},
		{"{fields: {/a: [\"[\"]}}", `"[" is not a pattern`, "", 2},
		{"{fields: {a: [\"*\"]}}", `a path begins with /`, "/a", 2},
		{`{patterns: [{id: "Own 1", text: x}]}`, "is not an id of lower case letters", "own-1", 2},
		{`{patterns: [{id: a, text: é}]}`, "has a byte at 0 that is not ASCII", "", 2},
		{`{patterns: [{id: a, text: ""}]}`, "it is empty", "", 2},
		{"{patterns: [\n{id: a}]}", `missing required key "text"`, "", 3},
		{"{nested: 9}", "expected a number of levels from 0 to 8, found 9", "", 2},
		{"{layers: [percnt]}", `found "percnt"`, "percent", 2},
		{"\n  patterns:" + many(4000, "x"), "more than 4096 patterns or 65534 bytes", "", 3978},
		{"\n  patterns:" + many(1100, strings.Repeat("x", 64)), "more than 4096 patterns or 65534 bytes", "", 0},
	} {
		_, problems := Parse("x.yaml", "version: 1\npayload: "+test.payload, Options{})
		if len(problems) != 1 || !strings.Contains(problems[0].Message, test.want) || problems[0].Suggestion != test.suggestion || test.line != 0 && problems[0].Line != test.line {
			t.Errorf("%.60s: %v", test.payload, problems)
		}
	}
}
