package replay

import (
	"math"
	"strings"
	"testing"
	"time"
)

// dues returns what a schedule has.
func dues(c Config, loop int) (seqs, times []int64) {
	for s := newSchedule(&c, loop); s.due != never; s.advance() {
		seqs, times = append(seqs, s.seq), append(times, s.due)
	}
	return seqs, times
}

// TestConstantRate wants requests at even distances, dealt out among loops.
func TestConstantRate(t *testing.T) {
	c := Config{Rate: 1000, Duration: time.Second, Loops: 3}
	seen := map[int64]bool{}
	for loop := range 3 {
		seqs, times := dues(c, loop)
		for i, seq := range seqs {
			if times[i] != seq*1e6 || seen[seq] {
				t.Fatalf("request %d is due at %d", seq, times[i])
			}
			seen[seq] = true
		}
	}
	if len(seen) != 1000 {
		t.Errorf("%d requests", len(seen))
	}
	c.Requests, c.Loops = 10, 1
	if seqs, _ := dues(c, 0); len(seqs) != 10 {
		t.Errorf("%d requests, expected 10", len(seqs))
	}
}

// TestPoisson wants as many requests as the rate says, give or take, at distances that are
// exponential, the same for the same seed.
func TestPoisson(t *testing.T) {
	c := Config{Rate: 1000, Duration: 20 * time.Second, Loops: 2, Poisson: true, Seed: 7}
	total, short, gaps := 0, 0, 0
	for loop := range 2 {
		_, times := dues(c, loop)
		_, again := dues(c, loop)
		total += len(times)
		for i := 1; i < len(times); i++ {
			if times[i] != again[i] || times[i] < times[i-1] {
				t.Fatalf("request %d is due at %d, then at %d", i, times[i], again[i])
			}
			gaps++
			if times[i]-times[i-1] < 2e6 { // the mean of one of two loops
				short++
			}
		}
	}
	// Of exponential distances 1-1/e are shorter than the mean.
	if share := float64(short) / float64(gaps); math.Abs(share-(1-1/math.E)) > 0.02 || math.Abs(float64(total)-20_000) > 700 {
		t.Errorf("%d requests, %.3f of the distances are short", total, share)
	}
	c.Seed = 8
	if _, times := dues(c, 0); len(times) == total {
		t.Errorf("another seed makes the same times")
	}
}

// TestWaiting counts the requests that are due.
func TestWaiting(t *testing.T) {
	s := newSchedule(&Config{Rate: 1000, Duration: time.Second, Loops: 2}, 0)
	for now, want := range map[int64]int64{-1: 0, 0: 1, 1_999_999: 1, 2_000_000: 2, 100e6: 51, 5e9: 501} {
		if got := s.waiting(now); got != want {
			t.Errorf("%d at %d, expected %d", got, now, want)
		}
	}
	if s := newSchedule(&Config{Duration: time.Second, Loops: 1}, 0); s.waiting(5e8) != 0 || !s.ready(5e8) || s.over(5e8) || !s.over(1e9) {
		t.Errorf("a closed loop: %+v", s)
	}
}

// TestParseTarget reads URLs.
func TestParseTarget(t *testing.T) {
	for text, want := range map[string]Target{
		"http://127.0.0.1:8080/openrtb2/auction?x=1": {"tcp", "127.0.0.1:8080", "127.0.0.1:8080", "/openrtb2/auction?x=1"},
		"http://core":                    {"tcp", "core:80", "core", PathDefault},
		"http://core?a=b":                {"tcp", "core:80", "core", PathDefault + "?a=b"},
		"http://core/":                   {"tcp", "core:80", "core", "/"},
		"http://[::1]:9000/x":            {"tcp", "[::1]:9000", "[::1]:9000", "/x"},
		"http://[::1]/x":                 {"tcp", "[::1]:80", "[::1]", "/x"},
		"http://unix:/run/s.sock:/a/b?c": {"unix", "/run/s.sock", "localhost", "/a/b?c"},
		"http://unix:/run/s.sock":        {"unix", "/run/s.sock", "localhost", PathDefault},
		"unix:s.sock":                    {"unix", "s.sock", "localhost", PathDefault},
	} {
		got, err := ParseTarget(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, expected %+v", text, got, err, want)
		}
		if again, err := ParseTarget(got.String()); err != nil || again != got {
			t.Errorf("%s: its own form %s is read as %+v, %v", text, got, again, err)
		}
	}
	for text, want := range map[string]string{
		"":                     "want a URL",
		"127.0.0.1:9000":       "want a URL",
		"https://core/":        "TLS",
		"http://":              "no host",
		"http://a:b/":          "invalid port",
		"http://u:p@core/":     "names and passwords",
		"http://core/#x":       "fragment",
		"http://unix:":         "no socket",
		"http://unix:/a:/\x01": "invalid",
		"http://co\r\nre/":     "invalid",
	} {
		if got, err := ParseTarget(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, expected an error with %q", text, got, err, want)
		}
	}
}

// TestHead writes the head of requests.
func TestHead(t *testing.T) {
	target := Target{Host: "core", Path: "/x"}
	for _, tt := range []struct {
		fields []Header
		want   string
	}{
		{nil, "POST /x HTTP/1.1\r\nHost: core\r\nContent-Type: application/json\r\nX-Openrtb-Version: 2.6\r\nContent-Length: "},
		{
			[]Header{{"host", "other"}, {"X-A", "1"}, {"content-type", "text/plain"}},
			"POST /x HTTP/1.1\r\nX-Openrtb-Version: 2.6\r\nhost: other\r\nX-A: 1\r\ncontent-type: text/plain\r\nContent-Length: ",
		},
	} {
		if got := string(target.head(tt.fields)); got != tt.want {
			t.Errorf("%q, expected %q", got, tt.want)
		}
	}
}

// TestIntervals joins intervals when there are too many.
func TestIntervals(t *testing.T) {
	s := newSum(Target{}, IntervalDefault)
	n := IntervalsMax + 7
	tally := newTally()
	for i := range n {
		tally.reset()
		tally.answered, tally.sent, tally.busy = 2, 3, 5
		tally.failures[FailureClosed] = 1
		tally.latency.record(int64(time.Millisecond))
		tally.latency.record(int64(i) * int64(time.Millisecond))
		s.add(handed{0, 0, tally, int64(i+1) * int64(tickInterval)})
	}
	s.flush()
	r := s.result(time.Second)
	total := Interval{}
	for i, v := range r.Intervals {
		if i > 0 && v.At != r.Intervals[i-1].At+r.Intervals[i-1].Length {
			t.Fatalf("interval %d begins at %v", i, v.At)
		}
		total = total.join(v)
	}
	if len(r.Intervals) >= IntervalsMax || total.Answered != int64(2*n) || total.Sent != int64(3*n) || total.Failed != int64(n) || total.Length != time.Duration(n)*tickInterval {
		t.Errorf("%d intervals, together %+v", len(r.Intervals), total)
	}
	if total.Max < time.Duration(n-2)*time.Millisecond || total.P99 > total.Max || total.InFlight != 5 || r.Rate != float64(2*n) {
		t.Errorf("together %+v, rate %v", total, r.Rate)
	}
	if (Interval{Answered: 1}).Rate() != 0 || (Interval{Answered: 3, Length: 2 * time.Second}).Rate() != 1.5 {
		t.Error("the rate of an interval")
	}
}

// TestIntervalLength makes intervals as long as asked, a tick more or less.
func TestIntervalLength(t *testing.T) {
	s := newSum(Target{}, time.Second)
	for i := range 20 {
		tally := newTally()
		tally.answered = 1
		s.add(handed{0, 0, tally, int64(i+1) * int64(tickInterval)})
	}
	s.flush()
	r := s.result(4 * time.Second)
	if len(r.Intervals) != 4 {
		t.Fatalf("%d intervals in four seconds: %+v", len(r.Intervals), r.Intervals)
	}
	for _, i := range r.Intervals {
		if i.Length != time.Second || i.Answered != 5 {
			t.Errorf("%+v, want a second with 5 answers", i)
		}
	}
	for _, d := range []time.Duration{IntervalDefault - 1, DurationMax + 1} {
		if _, err := (Config{Bodies: texts("{}"), Target: Target{Address: "x"}, Interval: d}).withDefaults(); err == nil {
			t.Errorf("an interval of %v is taken", d)
		}
	}
}

// TestLatencies keeps latencies exact to a thousandth, and clips those out of range.
func TestLatencies(t *testing.T) {
	l := newLatencies()
	if l.Quantile(0.5) != 0 || l.Max() != 0 || l.Mean() != 0 || l.Count() != 0 {
		t.Error("an empty distribution is not 0")
	}
	for i := range 1000 {
		l.record(int64(i+1) * int64(time.Millisecond))
	}
	for q, want := range map[float64]time.Duration{0.5: 500 * time.Millisecond, 0.99: 990 * time.Millisecond, 1: time.Second} {
		if got := l.Quantile(q); math.Abs(float64(got-want)) > float64(want)/500 {
			t.Errorf("quantile %v is %v, expected %v", q, got, want)
		}
	}
	if l.Min() > 2*time.Millisecond || math.Abs(float64(l.Mean()-500*time.Millisecond)) > float64(2*time.Millisecond) {
		t.Errorf("min %v, mean %v", l.Min(), l.Mean())
	}
	l.record(-5)
	l.record(math.MaxInt64)
	if l.Count() != 1002 || l.Min() != 0 || l.Max() < LatencyMax*999/1000 {
		t.Errorf("%d latencies from %v to %v", l.Count(), l.Min(), l.Max())
	}
}
