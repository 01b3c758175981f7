package schema

import (
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/spec"
)

// This file tests the silences of the specification's data on their examples.

// silenceCase is a silence with the other rules that its rule yields to.
type silenceCase struct {
	*spec.Silence
	others []Option // switch them off
}

func silenceCases() (out []silenceCase) {
	all := slices.Concat(spec.OpenRTB().Silences, spec.Native().Silences)
	for _, s := range all {
		one := silenceCase{Silence: s}
		for _, other := range all {
			if other.Rule == s.Rule && other.YieldsTo != "" && other.YieldsTo != s.YieldsTo {
				one.others = append(one.others, WithSeverity(other.YieldsTo, Off))
			}
		}
		out = append(out, one)
	}
	return out
}

// check returns the findings on the example under an engine with the options.
func (s silenceCase) check(t *testing.T, opts ...Option) Report {
	t.Helper()
	c := strict(t, slices.Concat(s.others, opts)...)
	object := specRule(s.Rule).Object
	if o := spec.Native().Object(object); o != nil && o.Side == "request" {
		return c.Request(encode(t, map[string]any{"imp": []any{map[string]any{"native": map[string]any{"request": string(s.Example)}}}}))
	} else if o != nil {
		return c.Response(encode(t, map[string]any{"seatbid": []any{map[string]any{"bid": []any{map[string]any{"adm": string(s.Example)}}}}}))
	}
	if object == "*" || spec.OpenRTB().Object(object).Side == "response" {
		return c.Response(s.Example)
	}
	return c.Request(s.Example)
}

// TestSilences checks that a rule yields to another one that is at least as severe, and speaks
// when the other one is milder or off.
func TestSilences(t *testing.T) {
	for _, s := range silenceCases() {
		expect := func(what string, rule, other bool, opts ...Option) {
			t.Helper()
			r := s.check(t, opts...)
			if has(r, s.Rule) != rule || has(r, s.YieldsTo) != other {
				t.Errorf("%s, %s: want %s %v, %s %v:%s", s.Example, what, s.Rule, rule, s.YieldsTo, other, describe(r))
			}
		}
		if s.YieldsTo == "" {
			expect("an exception", false, false)
			continue
		}
		is := func(rule, other Severity) []Option {
			return []Option{WithSeverity(s.Rule, rule), WithSeverity(s.YieldsTo, other)}
		}
		expect("equally severe", false, true, is(Warn, Warn)...)
		expect("the other more severe", false, true, is(Warn, Error)...)
		expect("the other milder", true, true, is(Error, Info)...)
		expect("the other off", true, false, is(Info, Off)...)
		expect("the rule off", false, true, is(Off, Info)...)
		rule, _ := RuleByID(s.Rule)
		other, _ := RuleByID(s.YieldsTo)
		expect("by default", rule.Severity > other.Severity, true)
	}
}

// TestSilencesWithoutCondition checks that the rules with an exception speak where the exception
// does not apply.
func TestSilencesWithoutCondition(t *testing.T) {
	for _, x := range []struct{ doc, rule string }{
		{`{"seatbid":[{"bid":[{"price":0}]}]}`, "Bid.price.positive"},
		{`{"seatbid":[{"bid":[{"cat":[]}]}]}`, "any.empty-array"},
	} {
		if r := strict(t).Response([]byte(x.doc)); !has(r, x.rule) {
			t.Errorf("%s does not break %s:%s", x.doc, x.rule, describe(r))
		}
	}
}
