package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestDrawBar checks that a bar appears after a while, moves, and is erased.
func TestDrawBar(t *testing.T) {
	var out bytes.Buffer
	quit := make(chan struct{})
	drawn := 0
	drawBar(&out, quit, func(elapsed time.Duration) string {
		if elapsed < barDelay {
			t.Errorf("drawn after %v", elapsed)
		}
		if drawn++; drawn == 2 {
			close(quit)
		}
		return "line"
	})
	if got := out.String(); drawn < 2 || !strings.HasPrefix(got, strings.Repeat("\r\x1b[Kline", 2)) || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("%d lines: %q", drawn, got)
	}
	out.Reset()
	quit = make(chan struct{})
	close(quit)
	if drawBar(&out, quit, nil); out.Len() > 0 {
		t.Errorf("what is over at once leaves %q", out.String())
	}
}

// TestStartBar: what ends at once leaves nothing, and nothing is drawn after stop.
func TestStartBar(t *testing.T) {
	var out bytes.Buffer
	StartBar(&out, func(time.Duration) string { return "line" })()
	if out.Len() > 0 {
		t.Errorf("%q", out.String())
	}
}
