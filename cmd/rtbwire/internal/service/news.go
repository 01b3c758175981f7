package service

import (
	"log/slog"
	"sync"
	"time"
)

// newsEvery is the least time between two lines about what does not work.
const newsEvery = time.Minute

// News tells the log what becomes of something that is tried again and again: when it begins to
// fail, now and then while it does, and when it works again.
type News struct {
	Log *slog.Logger
	// Fails and Works are the messages, Args what belongs to them.
	Fails, Works string
	Args         []any

	mu       sync.Mutex
	failures int // in a row
	told     time.Time
}

// Tell tells about an attempt.
func (n *News) Tell(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case err == nil && n.failures == 0:
		return
	case err == nil:
		n.Log.Info(n.Works, append(n.Args, "failures", n.failures)...)
		n.failures, n.told = 0, time.Time{}
		return
	}
	n.failures++
	if now := time.Now(); now.Sub(n.told) >= newsEvery {
		n.told = now
		n.Log.Warn(n.Fails, append(n.Args, "error", err, "failures", n.failures)...)
	}
}
