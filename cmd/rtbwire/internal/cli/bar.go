package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
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

// SizeOf returns the size of some files, 0 if one of them is not a regular file: its size says
// nothing about how much is to be read.
func SizeOf(names []string) (total int64) {
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}

// barWidth is the length of the bar itself. The line has room in 80 columns.
const barWidth = 24

// ReadLine tells how much of some files has been read, how fast, and how long the rest will take.
func ReadLine(verb string, read, total int64, elapsed time.Duration) string {
	read = min(read, total)
	full := int(barWidth * read / total)
	left := "?"
	if read > 0 {
		rest := float64(total-read) / float64(read) * elapsed.Seconds()
		left = time.Duration(rest * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("%s %3d%% [%s%s] %.1f of %.1f MB, %.0f MB/s, %s left", verb, 100*read/total,
		strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), float64(read)/1e6, float64(total)/1e6,
		float64(read)/1e6/elapsed.Seconds(), left)
}
