package report

import (
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// Target is a target of the design with what was measured.
type Target struct {
	What, Want, Got string
	Met             bool
	Known           bool // false: this run did not measure it
}

// Mark returns yes, no or open.
func (t *Target) Mark() string {
	switch {
	case !t.Known:
		return "open"
	case t.Met:
		return "yes"
	}
	return "no"
}

const notMeasured = "not measured by this run"

// Targets compares the run with the design.
func (r *Results) Targets() []Target {
	var out []Target
	// faster adds the target that engine is so many times as fast as the best of the others.
	faster := func(what, engine string, op measure.Op, times float64, sets []string, only ...string) {
		t := Target{What: what, Want: fmt.Sprintf("at least %.3g times", times), Met: true, Known: true}
		for _, set := range sets {
			mine, theirs := r.Row(engine, set, op, 1), r.best(set, op, only...)
			if mine == nil || theirs == nil {
				t.Known, t.Got = false, notMeasured
				break
			}
			ratio := theirs.NS / mine.NS
			if t.Got != "" {
				t.Got += "; "
			}
			t.Got += fmt.Sprintf("%.2f (%s: %s, %s: %s)", ratio, set, duration(mine.NS), theirs.Engine, duration(theirs.NS))
			t.Met = t.Met && ratio >= times
		}
		out = append(out, t)
	}
	atMost := func(what, want string, known bool, got string, met bool) {
		out = append(out, Target{What: what, Want: want, Got: got, Met: met, Known: known})
	}
	jits := []string{"gojson", "gojson-pool", "gojson-unsafe", "sonic-std", "sonic-fastest"}
	faster("ParseFastArena, banner, against the best of goccy/go-json and sonic", "rtbwire-arena", measure.Decode, 9, []string{"banner"}, jits...)
	if w := r.Row("rtbwire-arena", "banner", measure.Decode, 1); w != nil {
		atMost("ParseFastArena, banner, memory", "0 B/op, 0 allocs/op", true, fmt.Sprintf("%.0f B/op, %.2f allocs/op", w.Bytes, w.Allocs), w.Bytes < 1 && w.Allocs < 0.01)
	}
	faster("ParseFastArena, app request", "rtbwire-arena", measure.Decode, 6, []string{"app"})
	faster("ParseFastArena, the same, indented", "rtbwire-arena", measure.Decode, 5, []string{"app_indented"})
	faster("ParseFastArena, mixed corpus, both orders", "rtbwire-arena", measure.Decode, 5, []string{"mixed", "mixed_shuffled"})
	faster("ParseFast, banner", "rtbwire-fast", measure.Decode, 4, []string{"banner"})
	faster("Parse, banner", "rtbwire", measure.Decode, 3.5, []string{"banner"})
	for _, a := range []struct {
		what, engine string
		most         float64
	}{{"ParseFast, banner, allocations", "rtbwire-fast", 3}, {"Parse, banner, allocations", "rtbwire", 4}} {
		if w := r.Row(a.engine, "banner", measure.Decode, 1); w != nil {
			atMost(a.what, fmt.Sprintf("at most %.0f", a.most), true, fmt.Sprintf("%.2f", w.Allocs), w.Allocs < a.most+0.5)
		}
	}
	faster("encoding, banner and app request", "rtbwire-arena", measure.Encode, 3, []string{"banner", "app"})
	if w := r.Row("rtbwire-arena", "banner", measure.Encode, 1); w != nil {
		atMost("encoding into a buffer with room, allocations", "0", true, fmt.Sprintf("%.2f", w.Allocs), w.Allocs < 0.01)
	}
	part, full := r.Row("rtbwire-arena", "app", measure.Partial, 1), r.Row("rtbwire-arena", "app", measure.Decode, 1)
	if part != nil && full != nil {
		atMost("partial struct (20 fields) against the full decode, app request", "at most 0.6", true, fmt.Sprintf("%.2f", part.NS/full.NS), part.NS <= 0.6*full.NS)
	}
	var slower []string
	compared := 0
	for _, s := range r.Sets {
		for _, op := range []measure.Op{measure.Decode, measure.Encode, measure.Partial} {
			mine, theirs := r.Row("rtbwire-arena", s.Name, op, 1), r.best(s.Name, op)
			if mine == nil || theirs == nil {
				continue
			}
			compared++
			if theirs.NS < mine.NS {
				slower = append(slower, fmt.Sprintf("%s %s: %s %.2f times as fast", op, s.Name, theirs.Engine, mine.NS/theirs.NS))
			}
		}
	}
	got := fmt.Sprintf("fastest in all %d comparisons", compared)
	if slower != nil {
		got = "slower: " + strings.Join(slower, "; ")
	}
	atMost("never slower than any other Go library, decode, encode and partial", "on no data set", compared > 0, got, slower == nil)
	one, two := r.Row("rtbwire-arena", "mixed_shuffled", measure.Decode, 1), r.Row("rtbwire-arena", "mixed_shuffled", measure.Decode, 2)
	if one != nil && two != nil {
		atMost("two goroutines against one", "at least 1.9 times", r.Machine.Cores > 1, fmt.Sprintf("%.2f", one.Wall/two.Wall), one.Wall >= 1.9*two.Wall)
	}
	simd := Target{What: "not slower than simdjson On-Demand in C++ filling the same fields", Want: "on the banner", Got: notMeasured}
	if mine, theirs := r.Row("rtbwire-arena", "banner", measure.Decode, 1), r.Row("cpp-simdjson", "banner", measure.Decode, 1); mine != nil && theirs != nil {
		simd.Known, simd.Met = true, mine.NS <= theirs.NS
		simd.Got = fmt.Sprintf("%.2f times as fast (%s, simdjson: %s)", theirs.NS/mine.NS, duration(mine.NS), duration(theirs.NS))
	}
	return append(out, simd)
}

func duration(ns float64) string {
	switch {
	case ns < 1e4:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e7:
		return fmt.Sprintf("%.1f µs", ns/1e3)
	default:
		return fmt.Sprintf("%.1f ms", ns/1e6)
	}
}
