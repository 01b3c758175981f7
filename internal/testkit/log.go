package testkit

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// Log is a log that a test reads while it is written. The zero value is empty.
type Log struct {
	mu  sync.Mutex
	all bytes.Buffer
}

// Write implements [io.Writer].
func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(b)
}

// Logger writes to the log.
func (l *Log) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// With returns the lines that have all texts.
func (l *Log) With(texts ...string) (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
next:
	for line := range strings.Lines(l.all.String()) {
		for _, text := range texts {
			if !strings.Contains(line, text) {
				continue next
			}
		}
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

// Has reports whether a line has all texts.
func (l *Log) Has(texts ...string) bool { return len(l.With(texts...)) > 0 }

// String returns what was written.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}
