package replay

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// filled returns a tally in which all counts differ.
func filled() *tally {
	t := newTally()
	t.sent, t.answered, t.reconnects, t.refused, t.bytesIn, t.bytesOut = 9, 6, 2, 3, 70, 80
	t.statuses[200], t.statuses[204], t.statuses[503] = 3, 2, 1
	t.failures[FailureTimeout], t.failures[FailureHTTP] = 1, 2
	for i := range 9 {
		t.latency.record(int64(i+1) * int64(time.Millisecond))
		t.naive.record(int64(i+1) * int64(time.Microsecond))
	}
	t.lag.record(int64(time.Second))
	t.busy, t.waiting, t.last = 4, 5, 1000
	return t
}

// TestTally adds up tallies, and empties one that is used again.
func TestTally(t *testing.T) {
	total := newTally()
	total.add(filled())
	other := filled()
	other.last = 10 // does not go back
	total.add(other)
	if total.sent != 18 || total.answered != 12 || total.reconnects != 4 || total.refused != 6 || total.bytesIn != 140 || total.bytesOut != 160 ||
		total.statuses[204] != 4 || total.failures[FailureHTTP] != 4 || total.failed() != 6 || total.busy != 8 || total.waiting != 10 || total.last != 1000 {
		t.Errorf("%+v", total)
	}
	if total.latency.Count() != 18 || total.naive.Count() != 18 || total.lag.Count() != 2 || total.latency.Max() < 8*time.Millisecond || total.naive.Max() > 10*time.Microsecond {
		t.Errorf("%d, %d and %d latencies", total.latency.Count(), total.naive.Count(), total.lag.Count())
	}
	latency := other.latency
	if other.reset(); !reflect.DeepEqual(other, newTally()) || other.latency != latency {
		t.Errorf("not empty: %+v", other)
	}
}

// TestQuantiles wants quantiles in order, whatever is asked for.
func TestQuantiles(t *testing.T) {
	l := filled().latency
	last := time.Duration(0)
	for _, q := range []float64{0, 0.1, 0.5, 0.9, 0.99, 0.999, 1} {
		got := l.Quantile(q)
		if got < last || got > l.Max() {
			t.Errorf("quantile %v is %v after %v; the longest is %v", q, got, last, l.Max())
		}
		last = got
	}
	if last != l.Max() {
		t.Errorf("quantile 1 is %v, the longest latency %v", last, l.Max())
	}
	l.add(newLatencies())
	if l.Count() != 9 {
		t.Errorf("%d latencies with none added", l.Count())
	}
}

// TestResult says what a run comes down to.
func TestResult(t *testing.T) {
	s := newSum(Target{Host: "x"}, IntervalDefault)
	s.add(handed{0, 0, filled(), int64(100 * time.Millisecond)})
	s.add(handed{1, 0, filled(), int64(120 * time.Millisecond)})
	snapshot := s.snapshot(int64(120*time.Millisecond), time.Second)
	if snapshot.Sent != 18 || snapshot.Answered != 12 || snapshot.Failed != 6 || snapshot.Recent.InFlight != 8 || snapshot.Recent.Waiting != 10 ||
		snapshot.Recent.Length != 120*time.Millisecond || snapshot.Elapsed != 120*time.Millisecond || snapshot.Length != time.Second {
		t.Errorf("%+v", snapshot)
	}
	if again := s.snapshot(int64(130*time.Millisecond), time.Second); again.Sent != 18 || again.Recent.Sent != 0 || again.Recent.Max != 0 {
		t.Errorf("counted twice: %+v", again)
	}
	s.flush()
	r := s.result(3 * time.Second)
	want := TargetResult{
		Target: Target{Host: "x"}, Sent: 18, Answered: 12, Reconnects: 4, Refused: 6, BytesIn: 140, BytesOut: 160, Rate: 4,
		Failures: map[Failure]int64{FailureTimeout: 2, FailureHTTP: 4}, Statuses: map[int]int64{200: 6, 204: 4, 503: 2},
		Latency: s.total.latency, Naive: s.total.naive, Lag: s.total.lag, Intervals: s.intervals,
	}
	if !reflect.DeepEqual(r, want) || len(r.Intervals) != 1 || r.Intervals[0].Failed != 6 {
		t.Errorf("%+v", r)
	}
	if r.Failed() != 6 || r.ServerErrors() != 2 || r.ErrorShare() != 8.0/18 {
		t.Errorf("%d failed, %d errors of the server, share %v", r.Failed(), r.ServerErrors(), r.ErrorShare())
	}
	none := newSum(Target{}, IntervalDefault)
	none.flush()
	if r := none.result(0); r.Rate != 0 || r.ErrorShare() != 0 || len(r.Intervals) != 0 {
		t.Errorf("of nothing: %+v", r)
	}
}

// TestJoin joins intervals: P50 by answers, the longest of the others.
func TestJoin(t *testing.T) {
	const ms = time.Millisecond
	a := Interval{At: 0, Length: 2 * ms, Sent: 5, Answered: 3, InFlight: 2, Waiting: 9, P50: 10 * ms, P99: 20 * ms, Max: 90 * ms}
	b := Interval{At: 2 * ms, Length: 3 * ms, Sent: 1, Answered: 0, Failed: 1, InFlight: 1, P50: 30 * ms, P99: 40 * ms, Max: 50 * ms}
	want := Interval{At: 0, Length: 5 * ms, Sent: 6, Answered: 3, Failed: 1, InFlight: 1, P50: 15 * ms, P99: 40 * ms, Max: 90 * ms}
	if got := a.join(b); got != want {
		t.Errorf("%+v, expected %+v", got, want)
	}
	if got := (Interval{Length: ms}).join(Interval{Length: ms}); got != (Interval{Length: 2 * ms}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestFailureNames: each failure has a name of its own.
func TestFailureNames(t *testing.T) {
	seen := map[string]bool{}
	for f := range failures {
		if name := f.String(); name == "" || seen[name] || strings.ToLower(name[:1]) != name[:1] {
			t.Errorf("failure %d is called %q", f, name)
		}
		seen[f.String()] = true
	}
}

// TestDecimals: numbers are compared by value, however they are written.
func TestDecimals(t *testing.T) {
	groups := [][]string{
		{"0", "-0", "0.0", "0e5", "0.000E-3"},
		{"1", "1.0", "1.000", "10e-1", "0.1e1", "0.01E+2"},
		{"-1", "-1.0", "-10e-1"},
		{"100", "1e2", "1E+2", "0.1e3", "100.00"},
		{"0.001", "1e-3", "10e-4"},
		{"12345678901234567890", "1234567890123456789e1"},
		{"12345678901234567891"},
		{"1e99999999999"}, {"1e99999999998"}, // beyond what is compared by value
	}
	for i, group := range groups {
		for j, other := range groups {
			for _, a := range group {
				for _, b := range other {
					where, _ := difference(reply{200, []byte(a)}, reply{200, []byte(b)})
					if (where == "") != (i == j) {
						t.Errorf("%s and %s: %q", a, b, where)
					}
				}
			}
		}
	}
}

// TestIDs finds ids, and tells a response without anything else.
func TestIDs(t *testing.T) {
	for _, tt := range []struct {
		text, id string
		only     bool
	}{
		{`{"id":"1"}`, "1", true}, {` { "id" : "a\u0062" } `, "ab", true}, {`{"id":"1","cur":"USD"}`, "1", false}, {`{"id":"1","id":"1"}`, "1", true},
		{`{}`, "", true}, {`{"id":5}`, "", true}, {`{"id":null}`, "", true}, {`{"cur":"USD"}`, "", false},
		{`[]`, "", false}, {``, "", false}, {`{"id":"1"`, "", false}, {`null`, "", false}, {`{"id":"1"} {}`, "", false},
	} {
		if id := idOf([]byte(tt.text)); id != tt.id && tt.id != "" {
			t.Errorf("%s: id %q, expected %q", tt.text, id, tt.id)
		}
		if only := onlyID([]byte(tt.text)); only != tt.only {
			t.Errorf("%s: nothing but an id: %v", tt.text, only)
		}
	}
}
