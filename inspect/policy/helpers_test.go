package policy

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
)

// set is a list of exact values.
type set map[string]bool

func (s set) Match(v string) bool { return s[v] }

// testEnv has two lists and two rates.
func testEnv(tb testing.TB) *Env {
	tb.Helper()
	e, err := NewEnv(Options{
		Lists: map[string]Matcher{"blocked_domains": set{"bad.example": true, "foobar.com": true}, "bundles": set{"com.bad": true}},
		Rates: map[string]float64{"EUR": 1.25, "JPY": 0.0078125},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func compile(tb testing.TB, e *Env, source string, options ...Option) *Condition {
	tb.Helper()
	d, issues := e.Compile(source, options...)
	if issues != nil {
		tb.Fatalf("%s: %v", source, issues)
	}
	return d
}

func parse(tb testing.TB, text string) *openrtb.BidRequest {
	tb.Helper()
	r, err := openrtb.Parse([]byte(text))
	if err != nil {
		tb.Fatalf("%v in %s", err, text)
	}
	return r
}

func input(tb testing.TB, text string) *rule.Input {
	tb.Helper()
	return &rule.Input{Body: []byte(text), Request: parse(tb, text), Facts: &rule.Facts{}, Scratch: &rule.Scratch{}}
}

// tcf is the shortest text that is read as consent.
var tcf = "CO" + strings.Repeat("A", 34)
