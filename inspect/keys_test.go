package inspect

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/setting/settingtest"
)

// silent is the configuration of an engine for a file that says nothing.
func silent() Config {
	return Config{
		Preset: PresetDefault, MaxFindings: MaxFindingsDefault, Partners: map[string]Partner{},
		Payload: Payload{Work: payload.WorkDefault},
		Fraud: Fraud{Limits: fraud.Limits{
			IFA: fraud.IFADefault, Address: fraud.AddressDefault, Nodes: fraud.NodesDefault, Imps: fraud.ImpsDefault,
			Floor: fraud.FloorDefault, TMaxMin: fraud.TMaxMinDefault, TMaxMax: fraud.TMaxMaxDefault,
		}},
		Response: Response{MarkupMax: MarkupMaxDefault},
		Global:   Layer{Sample: 1, Fraud: FraudSettings{Threshold: fraud.ThresholdDefault}},
	}
}

func TestConfigured(t *testing.T) {
	if got, want := Configured(settingtest.MustParse(t, "{}")), silent(); !reflect.DeepEqual(got, want) {
		t.Errorf("defaults:\ngot  %+v\nwant %+v", got, want)
	}
	got := Configured(settingtest.MustParse(t, `
schema: {preset: exchange, severities: {"*.deprecated": off, Imp.id.required: error}}
severities: {json.syntax: refuse}
annotate: true
max_findings: 7
gateway: {max: {adm: 5}}
fraud: {weights: {address.private: 3}}
scrub: [{name: s, remove: [/device/ifa]}]
partners:
  a:
    sample: 50%
    enforce: 0%
    observe_scrubs: true
    severities: {"Imp.*": observe, "Imp.id.required": warn}
    direct: true
    systems: []
    publishers:
      p1: {shadow: true, severities: {"*": refuse}, fraud: {threshold: 9}}
`))
	want := silent()
	yes := true
	want.Preset, want.Annotate, want.MaxFindings, want.Response.MarkupMax = "exchange", true, 7, 5
	want.Global.Severities = []Setting{{"schema.*.deprecated", Off}, {"schema.Imp.id.required", Refuse}, {"json.syntax", Refuse}}
	want.Global.Fraud.Weights = map[string]int{"address.private": 3}
	want.Global.Scrubs = []Scrub{{Name: "s"}} // not compiled
	want.Partners["a"] = Partner{
		Layer:      Layer{Sample: 0.5, Enforce: new(float64), ObserveScrubs: true, Severities: []Setting{{"Imp.*", Observe}, {"Imp.id.required", Warn}}, Fraud: FraudSettings{Direct: &yes, Systems: []string{}}},
		Publishers: map[string]Layer{"p1": {Sample: 1, Shadow: true, Severities: []Setting{{"*", Refuse}}, Fraud: FraudSettings{Threshold: 9}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	got.Global.Scrubs = nil
	if _, err := New(got); err != nil {
		t.Error(err)
	}
	for _, p := range schema.Presets() {
		if got := Configured(settingtest.MustParse(t, "schema: {preset: "+string(p)+"}")).Preset; got != p {
			t.Errorf("preset %s is read as %s", p, got)
		}
	}
}

// TestConfiguredReasons: a severity of no reason is a mistake, with the reason that was meant.
func TestConfiguredReasons(t *testing.T) {
	settingtest.MustParse(t, `
payload: {patterns: [{id: own, text: x}]}
severities: {payload.own: warn, policy.r: off, "policy.*": warn, "*.id.required": warn}
partners: {p: {rules: [{name: r, when: "true", severity: warn}]}}
`)
	for _, c := range []struct{ text, message, suggestion string }{
		{"severities: {Imp.id.requird: off}", "no reason matches", "Imp.id.required"},
		{"schema: {severities: {Imp.id.requird: off}}", "no reason matches", "Imp.id.required"},
		{"severities: {adress.private: off}", "no reason matches", "fraud.address.private"},
		{`severities: {"a*b*": off}`, "a pattern has one * only", ""},
		{"partners: {p: {severities: {nonsense-of-any-kind: off}}}", "no reason matches", ""},
	} {
		_, problems := settingtest.Parse(t, c.text)
		if len(problems) != 1 || !strings.Contains(problems[0].Message, c.message) || problems[0].Suggestion != c.suggestion || problems[0].Line != 1 {
			t.Errorf("%s: %v", c.text, problems)
		}
	}
}

func TestConfiguredReview(t *testing.T) {
	c := settingtest.MustParse(t, `severities: {"fraud.*": observe, fraud.address.private: refuse, "fraud.s*": refuse, policy.scrub: refuse}
partners: {p: {severities: {policy.scrub: warn}}}
`)
	var got []string
	review(c, func(at setting.Place, format string, _ ...any) { got = append(got, at.Problem("", format).Summary()) })
	want := []string{
		"x.yaml:1:34: only %s can refuse: a signal is reported as warn, and counts in the score",
		"x.yaml:2:29: requests that can't be scrubbed are forwarded with what was to be removed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestConfiguredSeverity(t *testing.T) {
	c := settingtest.MustParse(t, `
rules: [{name: r, when: "true", severity: observe}]
severities: {"policy.*": warn}
partners: {p: {severities: {policy.r: refuse, policy.r*: off}}}
`)
	r := &rule.Configured(c)[0].Rule
	for _, tt := range []struct {
		layers []*setting.Scope
		want   Severity
	}{{nil, Observe}, {c.Layers()[:1], Warn}, {c.Layers(), Off}} {
		if got := ConfiguredSeverity(r, tt.layers...); got != tt.want {
			t.Errorf("in %d layers: %v, want %v", len(tt.layers), got, tt.want)
		}
	}
}
