package replay

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		for _, portable := range []bool{false, true} {
			target := serve(t, network, noBid)
			r := mustRun(t, Config{Target: target, Bodies: corpus(t), Rate: 2000, Duration: 500 * time.Millisecond, Connections: 10, Loops: 2, portable: portable})
			t.Logf("%s portable %v: %+v p50 %v p99 %v naive p99 %v lag p99 %v, %s", network, portable, r.Target.Statuses, r.Target.Latency.Quantile(.5), r.Target.Latency.Quantile(.99), r.Target.Naive.Quantile(.99), r.Target.Lag.Quantile(.99), r.Invalid)
			if r.Target.Answered != 1000 || r.Target.Statuses[204] != 1000 || r.Target.Failed() != 0 {
				t.Errorf("%+v", r.Target)
			}
		}
	}
}
func TestClosed(t *testing.T) {
	target := serve(t, "tcp", noBid)
	r := mustRun(t, Config{Target: target, Bodies: corpus(t), Duration: time.Second})
	t.Logf("%v/s %v", r.Target.Rate, r.Target.Failures)
}
