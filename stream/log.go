package stream

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
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

// clientLog takes what the client logs. It says much that is not worth a line: what it can't do is
// an error of ours.
type clientLog struct{ to *slog.Logger }

// Level implements [kgo.Logger].
func (l clientLog) Level() kgo.LogLevel {
	if l.to.Enabled(context.Background(), slog.LevelDebug) {
		return kgo.LogLevelInfo
	}
	return kgo.LogLevelNone
}

// Log implements [kgo.Logger].
func (l clientLog) Log(_ kgo.LogLevel, msg string, args ...any) { l.to.Debug("kafka: "+msg, args...) }
