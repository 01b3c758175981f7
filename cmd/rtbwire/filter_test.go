//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// filterMemoryMax is what filter may take with four jobs, in bytes. Sixteen pieces of 256 KiB and
// their verdicts are 30 MB; the rest is the program and what the collector has not freed yet.
const filterMemoryMax = 160 << 20

// peakMemory is the largest resident memory of a process so far, in bytes; 0 where the system does
// not tell.
func peakMemory(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if err != nil || m == nil {
		return 0
	}
	kb, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return kb << 10
}

// TestFilterOrder sends many lines through the program, with poison between them: line n of the
// output is about line n of the input, there are as many, and memory does not grow.
func TestFilterOrder(t *testing.T) {
	n := testkit.Scale(t, 5_000, 50_000, 10_000_000)
	c := exec.Command("rtbwire", "filter", "--emit", "verdict", "--jobs", "4")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	poison := []string{"", "{", "null", "\x00\xff", `{"id":"0"}{"id":"0"}`, strings.Repeat("[", 10_000), `{"id":`}
	go func() {
		w := bufio.NewWriterSize(in, 64<<10)
		for i := range n {
			if i%40 == 39 {
				_, _ = w.WriteString(poison[i/40%len(poison)]) // errors show as missing lines
			} else {
				_, _ = w.WriteString(`{"id":"` + strconv.Itoa(i) + `","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s","page":"https://a.example/"}}`)
			}
			_ = w.WriteByte('\n')
		}
		_ = w.Flush()
		_ = in.Close()
	}()
	lines := bufio.NewScanner(out)
	got, peak := 0, int64(0)
	for ; lines.Scan(); got++ {
		want := `{"id":"` + strconv.Itoa(got) + `","action":"`
		if got%40 == 39 {
			want = `{"id":null,"action":"refuse","reason":"json.`
		}
		if !bytes.HasPrefix(lines.Bytes(), []byte(want)) {
			t.Fatalf("line %d: %s, want %s", got+1, lines.Text(), want)
		}
		if got%(n/20) == 0 {
			peak = max(peak, peakMemory(c.Process.Pid))
		}
	}
	if err := c.Wait(); err != nil || lines.Err() != nil || got != n || stderr.Len() > 0 {
		t.Fatalf("%d lines of %d; %v, %v, %s", got, n, err, lines.Err(), &stderr)
	}
	t.Logf("%d lines, at most %d MiB of memory", n, peak>>20)
	if peak > filterMemoryMax {
		t.Errorf("%d bytes of memory, more than %d", peak, filterMemoryMax)
	}
}

// TestFilterReaderLeaves: when the reader has exited, filter ends as filters do, without a message.
func TestFilterReaderLeaves(t *testing.T) {
	for _, read := range []int{0, 1, 1000} {
		c := exec.Command("rtbwire", "filter")
		var stderr bytes.Buffer
		c.Stderr = &stderr
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill() })
		fed := make(chan error)
		go func() { // until filter is gone
			line := strings.Repeat(`{"id":"1","imp":[{"id":"1"}]}`+"\n", 100)
			for {
				if _, err := io.WriteString(in, line); err != nil {
					fed <- err
					return
				}
			}
		}()
		lines := bufio.NewReader(out)
		for range read {
			if _, err := lines.ReadBytes('\n'); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		<-fed
		_ = c.Wait() // how it has ended is looked at
		status, ok := c.ProcessState.Sys().(syscall.WaitStatus)
		if !ok || !status.Signaled() || status.Signal() != syscall.SIGPIPE || stderr.Len() > 0 {
			t.Errorf("after %d lines: %v, %q", read, c.ProcessState, &stderr)
		}
	}
}
