package stream

import (
	"log/slog"
	"sync"
	"time"
)

// logEvery is the least time between two messages of one kind.
const logEvery = 5 * time.Second

// limitedLog logs a kind of message once in a while.
type limitedLog struct {
	to   *slog.Logger
	mu   sync.Mutex
	last map[string]time.Time
	more map[string]int // since then
}

func newLimitedLog(to *slog.Logger) *limitedLog {
	return &limitedLog{to: to, last: map[string]time.Time{}, more: map[string]int{}}
}

func (l *limitedLog) warn(kind, msg string, args ...any) {
	l.mu.Lock()
	now := time.Now()
	if now.Sub(l.last[kind]) < logEvery {
		l.more[kind]++
		l.mu.Unlock()
		return
	}
	if n := l.more[kind]; n > 0 {
		args = append(args, "more", n)
	}
	l.last[kind], l.more[kind] = now, 0
	l.mu.Unlock()
	l.to.Warn(msg, args...)
}
