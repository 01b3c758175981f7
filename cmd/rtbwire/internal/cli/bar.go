package cli

import (
	"io"
	"time"
)

// EraseLine empties the line of a terminal that the cursor is in, and goes to its begin.
const EraseLine = "\r\x1b[K"

// A line that moves is drawn every barInterval. What takes less than barDelay has none.
const (
	barDelay    = 500 * time.Millisecond
	barInterval = 100 * time.Millisecond
)

// StartBar draws a line again and again until stop is called, which erases it. line gets the time
// since the start.
func StartBar(w io.Writer, line func(elapsed time.Duration) string) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		drawBar(w, quit, line)
	}()
	return func() {
		close(quit)
		<-done
	}
}

func drawBar(w io.Writer, quit <-chan struct{}, line func(elapsed time.Duration) string) {
	tick := time.NewTicker(barInterval)
	defer tick.Stop()
	drawn := false
	for start := time.Now(); ; {
		select {
		case <-quit:
			if drawn {
				io.WriteString(w, EraseLine) //nolint:errcheck // decoration
			}
			return
		case now := <-tick.C:
			if elapsed := now.Sub(start); elapsed >= barDelay {
				drawn = true
				io.WriteString(w, EraseLine+line(elapsed)) //nolint:errcheck // decoration
			}
		}
	}
}
