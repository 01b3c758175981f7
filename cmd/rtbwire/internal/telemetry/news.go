package telemetry

import (
	"log/slog"
	"time"
)

// newsEvery is the least time between two lines about what does not work.
const newsEvery = time.Minute

// news tells the log what becomes of exports: when they begin to fail, now and then while they do,
// and when they work again. One goroutine uses it.
type news struct {
	log            *slog.Logger
	what, endpoint string
	failures       int // in a row
	told           time.Time
}

func (n *news) tell(err error) {
	switch {
	case err == nil && n.failures == 0:
		return
	case err == nil:
		n.log.Info("the collector takes "+n.what+" again", "endpoint", n.endpoint, "failures", n.failures)
		n.failures, n.told = 0, time.Time{}
		return
	}
	n.failures++
	if now := time.Now(); now.Sub(n.told) >= newsEvery {
		n.told = now
		n.log.Warn("the collector did not take "+n.what+"; they are dropped", "endpoint", n.endpoint, "error", err, "failures", n.failures)
	}
}
