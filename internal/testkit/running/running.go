// Package running runs a program of the module in a test: it keeps what the program writes, looks
// at it from outside, and ends it with the test, or with the tests' program if that is killed.
package running

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit/parent"
)

// Program is a program that runs.
type Program struct {
	*exec.Cmd
	Ended chan struct{} // closed when it has ended

	patience time.Duration
	mu       sync.Mutex
	log      bytes.Buffer
}

// logMax is how much of a log a failed test shows, in bytes.
const logMax = 8000

// Start starts a command. The program has patience to end, and line is called with each line that
// it writes to its standard error. If the command has no environment of its own, it gets that of
// the tests, without the variables that are for them.
func Start(t *testing.T, cmd *exec.Cmd, patience time.Duration, line func(string)) *Program {
	t.Helper()
	p := &Program{Cmd: cmd, Ended: make(chan struct{}), patience: patience}
	if cmd.Env == nil {
		// The variables of the tests mean nothing to the program, which says so.
		cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "RTBWIRE_") })
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	parent.EndWith(cmd) // a test that runs into its deadline cleans nothing up
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.read(stderr, line)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.Ended
		text := p.Text()
		wrong := strings.Contains(text, "DATA RACE") || strings.Contains(text, "panic")
		if wrong || t.Failed() {
			t.Logf("the program's log:\n%s", text[max(0, len(text)-logMax):])
		}
		if wrong {
			t.Error("it raced, or panicked")
		}
	})
	return p
}

// read reads what the program writes, until it ends.
func (p *Program) read(stderr io.Reader, line func(string)) {
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		p.mu.Lock()
		p.log.WriteString(lines.Text() + "\n")
		p.mu.Unlock()
		line(lines.Text())
	}
	_, _ = io.Copy(io.Discard, stderr)
	_ = p.Wait()
	close(p.Ended)
}

// Text is what the program has written so far.
func (p *Program) Text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// Signal sends a signal.
func (p *Program) Signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// Stop ends the program with SIGTERM, and expects that it ends well.
func (p *Program) Stop(t *testing.T) {
	t.Helper()
	p.Signal(t, syscall.SIGTERM)
	if status := p.Status(t); status != 0 {
		t.Errorf("exit status %d after SIGTERM: %s", status, p.Text())
	}
}

// Status waits for the end of the program and returns its exit status.
func (p *Program) Status(t *testing.T) int {
	t.Helper()
	select {
	case <-p.Ended:
		return p.ProcessState.ExitCode()
	case <-time.After(p.patience):
		t.Fatalf("it does not end: %s", p.Text())
		return 0
	}
}

// Metrics are the values of all series that the program has at an address, which can have a name
// and a token: name:token@host:port.
func (p *Program) Metrics(t *testing.T, address string) map[string]float64 {
	t.Helper()
	resp, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatalf("%v: %s", err, p.Text())
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("/metrics: %s", resp.Status)
	}
	values := map[string]float64{}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), " ")
		if number, err := strconv.ParseFloat(value, 64); ok && err == nil && name != "#" {
			values[name] = number
		}
	}
	return values
}

// Memory is a number of /proc/PID/status, such as VmHWM, in KiB.
func (p *Program) Memory(t *testing.T, name string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		t.Skip("needs /proc: ", err)
	}
	m := regexp.MustCompile(`(?m)^` + name + `:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("/proc/PID/status has no %s", name)
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n
}

// WaitFor waits until something holds.
func WaitFor(t *testing.T, patience time.Duration, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for: %s", patience, what)
		}
	}
}
