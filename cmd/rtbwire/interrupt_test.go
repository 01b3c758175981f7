//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit/running"
)

// TestInterruptedTwice interrupts a run several times within moments, as timeout(1) does: that is
// one interrupt, and the run ends in order, with a complete file of whole lines.
func TestInterruptedTwice(t *testing.T) {
	folder := t.TempDir()
	out, part := filepath.Join(folder, "endless.ndjson"), filepath.Join(folder, ".endless.ndjson.part")
	cmd := exec.Command("rtbwire", "simulate", "--count", "0", "-o", out)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	running.WaitFor(t, 30*time.Second, "requests in the file", func() bool {
		info, err := os.Stat(part)
		return err == nil && info.Size() > 0
	})
	for range 50 {
		if cmd.Process.Signal(syscall.SIGINT) != nil {
			break // it has ended
		}
		time.Sleep(100 * time.Microsecond)
	}
	if err := cmd.Wait(); err != nil || !bytes.Contains(stderr.Bytes(), []byte("interrupted after ")) {
		t.Errorf("%v, standard error %q; want exit status 0 and the number of requests", err, stderr.Bytes())
	}
	text, err := os.ReadFile(out)
	if names := filesOf(t, folder); err != nil || !bytes.HasSuffix(text, []byte("}\n")) || len(names) != 1 {
		t.Errorf("%d bytes, %v; files %q", len(text), err, names)
	}
}
