//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/rtbwire/rtbwire/batch"
)

// table is a run of "rtbwire check --format parquet" whose input comes slowly.
type table struct {
	*exec.Cmd
	in     io.WriteCloser
	stderr bytes.Buffer
}

func startTable(t *testing.T, output string) *table {
	t.Helper()
	c := &table{Cmd: exec.Command("rtbwire", "check", "--format", "parquet", "--output", output, "--fail-on", "never", "-")}
	c.Stderr = &c.stderr
	var err error
	if c.in, err = c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// feed writes requests.
func (c *table) feed(t *testing.T, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if _, err := fmt.Fprintf(c.in, `{"id":"%d","imp":[{"id":"1"}]}`+"\n", i); err != nil {
			t.Fatal(err)
		}
	}
}

// end closes the input and returns the exit status.
func (c *table) end(t *testing.T) int {
	t.Helper()
	_ = c.in.Close() // it may have ended
	_ = c.Wait()     // the status is asked for
	return c.ProcessState.ExitCode()
}

func filesOf(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// awaitStart waits until a run has taken over the temporary file that another one has left.
func awaitStart(t *testing.T, part string) {
	t.Helper()
	for range 6000 {
		if info, err := os.Stat(part); err == nil && info.Size() != leftSize {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s is not used", part)
}

// leftSize is the size of a temporary file that was left. No run of this test writes as much.
const leftSize = 12345

// readTable returns the ids of a table.
func readTable(t *testing.T, name string) (ids []string) {
	t.Helper()
	rows, err := parquet.ReadFile[batch.Row](name)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return ids
}

// TestParquetKilled kills a run and interrupts another: nothing has the final name. The next run
// uses what the killed one has left.
func TestParquetKilled(t *testing.T) {
	folder := t.TempDir()
	name, part := filepath.Join(folder, "out.parquet"), filepath.Join(folder, ".out.parquet.part")
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM} {
		if err := os.WriteFile(part, make([]byte, leftSize), 0o600); err != nil {
			t.Fatal(err)
		}
		c := startTable(t, name)
		awaitStart(t, part)
		c.feed(t, 0, 2000)
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		// Without an end of its input, only the signal ends it.
		_ = c.Wait()
		left := filesOf(t, folder)
		switch {
		case signal == syscall.SIGKILL && !slices.Equal(left, []string{".out.parquet.part"}),
			signal != syscall.SIGKILL && len(left) > 0:
			t.Errorf("%v left %q", signal, left)
		case signal != syscall.SIGKILL && (c.ProcessState.ExitCode() != 2 || !strings.Contains(c.stderr.String(), "out.parquet was not written")):
			t.Errorf("%v: status %d, %s", signal, c.ProcessState.ExitCode(), &c.stderr)
		}
	}

	if err := os.WriteFile(part, make([]byte, leftSize), 0o600); err != nil {
		t.Fatal(err)
	}
	c := startTable(t, name)
	awaitStart(t, part)
	busy := startTable(t, name)
	if status := busy.end(t); status != 2 || !strings.Contains(busy.stderr.String(), "another run writes this file now") {
		t.Errorf("a second run for the same file: status %d, %s", status, &busy.stderr)
	}
	c.feed(t, 0, 2000)
	if status := c.end(t); status != 0 {
		t.Fatalf("status %d: %s", status, &c.stderr)
	}
	ids := readTable(t, name)
	if len(ids) != 2000 || ids[0] != "0" || ids[1999] != "1999" || !slices.Equal(filesOf(t, folder), []string{"out.parquet"}) {
		t.Errorf("%d rows, files %q", len(ids), filesOf(t, folder))
	}
}

// TestParquetNulls: forwarded requests have no reason after one that is not JSON, which has no more
// than its refusal.
func TestParquetNulls(t *testing.T) {
	const ok = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1","domain":"a.example"},"device":{"os":"b"}}`
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.ndjson"), filepath.Join(folder, "out.parquet")
	if err := os.WriteFile(in, []byte(ok+"\nnonsense\n"+ok+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("rtbwire", "check", "--format", "parquet", "--output", out, "--preset", "admission", "--fail-on", "never", in)
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	rows, err := parquet.ReadFile[any](out)
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, row := range rows {
		want := map[string]any{"id": "1", "action": "forward", "reason": nil, "channel": "site", "site_domain": "a.example", "device_os": "b", "media": "banner"}
		if i == 1 {
			want = map[string]any{"action": "refuse", "reason": "json.syntax"}
		}
		for _, name := range []string{"id", "action", "reason", "partner", "publisher_id", "channel", "site_domain", "app_bundle", "country", "device_os", "media", "bidfloorcur"} {
			if got := row.(map[string]any)[name]; got != want[name] {
				t.Errorf("row %d: %s is %#v, want %#v", i, name, got, want[name])
			}
		}
	}
}
