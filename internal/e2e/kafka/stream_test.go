//go:build unix

package kafka

import (
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// ways are the two ways to deliver to topics.
var ways = []struct {
	name string
	args []string
}{{"least", nil}, {"exactly", []string{"--exactly-once"}}}

// eachWay runs a test at least once, and exactly once.
func eachWay(t *testing.T, test func(t *testing.T, args []string)) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) { test(t, w.args) })
	}
}

// TestEndToEnd sends 200,000 records, in batches of every codec; 1 in 40 is poisoned. Each arrives
// exactly once, where its verdict says, with its key, headers and timestamp.
func TestEndToEnd(t *testing.T) {
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, shared.get(t), len(codecs))
		n := testkit.Scale(t, 20_000, 200_000, 200_000)
		newFeeder(t, s).all(n)
		begin := time.Now()
		p := s.run(t, args...)
		s.done(t, p)
		t.Logf("%d records in %v, with the start", n, time.Since(begin).Round(time.Millisecond))
		t.Logf("at most %d MiB of memory", p.memory(t))
		waitFor(t, "the metrics to have no lag", func() bool {
			counted := p.metrics(t)
			return sum(counted, "rtbwire_stream_position") == float64(n) && sum(counted, "rtbwire_stream_lag_records") == 0
		})
		counted := p.metrics(t)
		p.Stop(t)
		a := s.account(t, 0)
		for _, c := range []struct {
			metric string
			labels string
			want   int
		}{
			{"rtbwire_stream_records_total", `result="accepted"`, len(a.accepted)},
			{"rtbwire_stream_records_total", `result="refused"`, len(a.dead)},
			{"rtbwire_stream_dead_letters_total", "", len(a.dead)},
		} {
			if got := sum(counted, c.metric, c.labels); got != float64(c.want) {
				t.Errorf("%s{%s} is %v, want %d", c.metric, c.labels, got, c.want)
			}
		}
		if len(a.dead) < n/poisonEvery-1 {
			t.Errorf("only %d dead letters", len(a.dead))
		}
		if len(a.reasons) < 3 {
			t.Errorf("the dead letters have %d reasons", len(a.reasons))
		}
	})
}

// TestTwice has a second program go on where the first one ended: there is nothing to do.
func TestTwice(t *testing.T) {
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, shared.get(t), 3)
		f := newFeeder(t, s)
		for round := range 3 {
			f.all(100 * round)
			p := s.run(t, args...)
			s.done(t, p)
			p.Stop(t)
		}
		s.account(t, 0)
	})
}
