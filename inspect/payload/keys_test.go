package payload

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/setting/settingtest"
)

func TestConfigured(t *testing.T) {
	c := settingtest.MustParse(t, `
payload:
  patterns:
    - {id: own.probe, text: X-Probe, why: Our test., severity: warn}
    - {id: other, text: "123"}
  layers: [percent, squeeze]
  nested: 1
  work: 1000
  fields: {/imp/*/native/request: ["xss.*", other]}
`)
	warn, refuse := rule.Warn, rule.Refuse
	want := Settings{
		Patterns: []Own{
			{Pattern{ID: "own.probe", Literal: "X-Probe", Why: "Our test."}, &warn},
			{Pattern{ID: "other", Literal: "123"}, &refuse},
		},
		Layers: Percent | Squeeze, Nested: 1, Work: 1000,
		Fields: []Field{{Pointer: "/imp/*/native/request", Harmless: []string{"xss.*", "other"}}},
	}
	if got := Configured(c); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := Configured(settingtest.MustParse(t, "{}")), (Settings{Work: WorkDefault}); !reflect.DeepEqual(got, want) {
		t.Errorf("the defaults are %+v, want %+v", got, want)
	}
	for _, l := range named {
		if got := Configured(settingtest.MustParse(t, "payload: {layers: ["+l.word+"]}")).Layers; got != l.layer {
			t.Errorf("%s is read as %v", l.word, got)
		}
	}
}

// TestConfiguredMistakes: patterns that can't be together have their places.
func TestConfiguredMistakes(t *testing.T) {
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
		_, problems := settingtest.Parse(t, "\npayload: "+test.payload)
		if len(problems) != 1 || !strings.Contains(problems[0].Message, test.want) || problems[0].Suggestion != test.suggestion || test.line != 0 && problems[0].Line != test.line {
			t.Errorf("%.60s: %v", test.payload, problems)
		}
	}
}
