package simulate

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/traffic/simulate"
)

// A run of less than barDelay has no line.
const (
	barDelay    = time.Second
	barInterval = 200 * time.Millisecond
)

// bar is a line on standard error that says how far a run is.
type bar struct {
	done       atomic.Uint64
	quit, gone chan struct{} // nil if there is no line
}

// startBar draws a line until stop is called, which erases it. There is one only if somebody looks
// and the output goes elsewhere.
func (r *run) startBar(elsewhere bool, total uint64) *bar {
	b := &bar{}
	if !r.env.StderrTerminal || !elsewhere {
		return b
	}
	b.quit, b.gone = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(b.gone)
		b.draw(r.env.Stderr, total)
	}()
	return b
}

func (b *bar) set(requests uint64) { b.done.Store(requests) }

func (b *bar) stop() {
	if b.quit != nil {
		close(b.quit)
		<-b.gone
	}
}

func (b *bar) draw(w io.Writer, total uint64) {
	const eraseLine = "\r\x1b[K"
	tick := time.NewTicker(barInterval)
	defer tick.Stop()
	drawn := false
	for start := time.Now(); ; {
		select {
		case <-b.quit:
			if drawn {
				io.WriteString(w, eraseLine) //nolint:errcheck // decoration
			}
			return
		case now := <-tick.C:
			if elapsed := now.Sub(start); elapsed >= barDelay {
				drawn = true
				io.WriteString(w, eraseLine+barLine(b.done.Load(), total, elapsed)) //nolint:errcheck // decoration
			}
		}
	}
}

// barLine tells how many requests there are, how fast, and how long the rest will take.
func barLine(done, total uint64, elapsed time.Duration) string {
	text := fmt.Sprintf("%d requests, %.0f/s", done, float64(done)/elapsed.Seconds())
	if total == simulate.Endless || total == 0 {
		return text
	}
	left := "?"
	if done > 0 {
		rest := float64(total-min(done, total)) / float64(done) * elapsed.Seconds()
		left = time.Duration(rest * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("%3d%%, %s, %s left", done*100/total, text, left)
}
