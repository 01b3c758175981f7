package simulate

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// bar is a line on standard error that says how far a run is.
type bar struct {
	done atomic.Uint64
	stop func()
}

// startBar draws a line until stop is called, which erases it. There is one only if somebody looks
// and the output goes elsewhere.
func (r *run) startBar(elsewhere bool, total uint64) *bar {
	b := &bar{stop: func() {}}
	if r.hasBar(elsewhere) {
		b.stop = cli.StartBar(r.env.Stderr, func(elapsed time.Duration) string { return barLine(b.done.Load(), total, elapsed) })
	}
	return b
}

func (r *run) hasBar(elsewhere bool) bool { return r.env.StderrTerminal && elsewhere }

func (b *bar) set(requests uint64) { b.done.Store(requests) }

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
