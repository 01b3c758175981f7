package replay

import (
	"fmt"
	"io"
	"sync"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/traffic/replay"
)

// live draws what is going on in the last line of a terminal.
type live struct {
	w     io.Writer // nil: there is no terminal
	mu    sync.Mutex
	drawn bool
}

// startLive returns a live line on standard error, if that is a terminal.
func (r *run) startLive() *live {
	if !r.env.StderrTerminal {
		return &live{}
	}
	return &live{w: r.env.Stderr}
}

// show draws a line.
func (l *live) show(s replay.Snapshot) {
	if l.w == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drawn = true
	io.WriteString(l.w, cli.EraseLine+liveLine(s)) //nolint:errcheck // decoration
}

// stop erases the line.
func (l *live) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drawn {
		io.WriteString(l.w, cli.EraseLine) //nolint:errcheck // decoration
	}
}

// liveLine fits 80 columns.
func liveLine(s replay.Snapshot) string {
	i := s.Recent
	return fmt.Sprintf("%3.0fs %s/s, %d in flight, p50 %s, p99 %s, %s failed", s.Elapsed.Seconds(), grouped(int64(i.Rate())),
		i.InFlight, ms(i.P50), ms(i.P99), grouped(s.Failed))
}
