package kafka

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// logger passes on what the client library warns of: one line in five seconds at most, because a
// broker that is down is noticed again and again. What it tells besides is for level debug.
type logger struct {
	log *slog.Logger

	mu   sync.Mutex
	last time.Time
	more int // lines that were left out since
}

// logEvery is the least time between two warnings.
const logEvery = 5 * time.Second

func newLogger(log *slog.Logger) *logger { return &logger{log: log} }

// Level implements [kgo.Logger].
func (l *logger) Level() kgo.LogLevel {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		return kgo.LogLevelInfo
	}
	return kgo.LogLevelWarn
}

// Log implements [kgo.Logger].
func (l *logger) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	if level > kgo.LogLevelWarn {
		l.log.Debug("kafka: "+msg, keyvals...)
		return
	}
	l.mu.Lock()
	now := time.Now()
	if now.Sub(l.last) < logEvery {
		l.more++
		l.mu.Unlock()
		return
	}
	more := l.more
	l.last, l.more = now, 0
	l.mu.Unlock()
	if more > 0 {
		keyvals = append(slices.Clip(keyvals), "more", more)
	}
	l.log.Warn("kafka: "+msg, keyvals...)
}

// clientLog takes what the client of a group logs. It says much that is not worth a line: what it
// can't do is an error of ours.
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
