//go:build unix

package abuse

import (
	"bufio"
	"bytes"
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

	"github.com/rtbwire/rtbwire/internal/kafkatest"
)

// process is a running program of ours.
type process struct {
	*exec.Cmd
	admin  string        // the address for operators
	joined chan struct{} // closed when it is a member of its group
	ended  chan struct{} // closed when it has ended

	mu  sync.Mutex
	log bytes.Buffer
}

var (
	administration = regexp.MustCompile(`msg=administration\b.*\baddress=(\S+)`)
	consuming      = regexp.MustCompile(`msg=consuming\b`)
)

// start starts the program without waiting for anything.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(program, args...), joined: make(chan struct{}), ended: make(chan struct{})}
	// The variables of the tests mean nothing to the program, which says so.
	p.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "RTBWIRE_") })
	stderr, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go p.listen(stderr)
	t.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.ended
		text := p.text()
		if strings.Contains(text, "DATA RACE") || strings.Contains(text, "panic") || t.Failed() {
			t.Logf("the program's log:\n%s", text[max(0, len(text)-8000):])
		}
		if strings.Contains(text, "DATA RACE") || strings.Contains(text, "panic") {
			t.Error("it raced, or panicked")
		}
	})
	return p
}

// listen reads what the program writes, until it ends.
func (p *process) listen(stderr io.Reader) {
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	joined := false
	for lines.Scan() {
		p.mu.Lock()
		p.log.WriteString(lines.Text() + "\n")
		if m := administration.FindStringSubmatch(lines.Text()); m != nil {
			p.admin = m[1]
		}
		p.mu.Unlock()
		if !joined && consuming.MatchString(lines.Text()) {
			joined = true
			close(p.joined)
		}
	}
	_, _ = io.Copy(io.Discard, stderr)
	_ = p.Wait()
	close(p.ended)
}

// text is what the process has written so far.
func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// consumes waits until the program is a member of its group.
func (p *process) consumes(t *testing.T) {
	t.Helper()
	select {
	case <-p.joined:
	case <-p.ended:
		t.Fatalf("it has ended with %d: %s", p.ProcessState.ExitCode(), p.text())
	case <-time.After(kafkatest.Patience):
		t.Fatalf("it joins no group: %s", p.text())
	}
}

// signal sends a signal.
func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// kill ends the program with SIGKILL.
func (p *process) kill(t *testing.T) {
	t.Helper()
	p.signal(t, syscall.SIGKILL)
	<-p.ended
}

// stop ends the program with SIGTERM, and expects that it ends well.
func (p *process) stop(t *testing.T) {
	t.Helper()
	p.signal(t, syscall.SIGTERM)
	if status := p.wait(t); status != 0 {
		t.Errorf("exit status %d after SIGTERM: %s", status, p.text())
	}
}

// wait returns the exit status.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-p.ended:
		return p.ProcessState.ExitCode()
	case <-time.After(kafkatest.Patience):
		t.Fatalf("it does not end: %s", p.text())
		return 0
	}
}

// running fails the test if the program has ended.
func (p *process) running(t *testing.T) {
	t.Helper()
	select {
	case <-p.ended:
		t.Fatalf("it has ended with %d: %s", p.ProcessState.ExitCode(), p.text())
	default:
	}
}

// metrics are the values of all series of the program.
func (p *process) metrics(t *testing.T) map[string]float64 {
	t.Helper()
	p.mu.Lock()
	admin := p.admin
	p.mu.Unlock()
	resp, err := http.Get("http://" + admin + "/metrics")
	if err != nil {
		t.Fatalf("%v: %s", err, p.text())
	}
	defer resp.Body.Close()
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

// sum adds up the series of a metric whose labels have all these parts.
func sum(metrics map[string]float64, name string, labels ...string) (total float64) {
series:
	for series, value := range metrics {
		base, rest, _ := strings.Cut(series, "{")
		if base != name {
			continue
		}
		for _, label := range labels {
			if !strings.Contains(rest, label) {
				continue series
			}
		}
		total += value
	}
	return total
}

// memory is the most memory that the process has had, in MiB.
func (p *process) memory(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(p.Process.Pid) + "/status")
	if err != nil {
		t.Skip("needs /proc: ", err)
	}
	m := regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		t.Fatal("/proc/PID/status has no VmHWM")
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n >> 10
}

// waitFor waits until something holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(kafkatest.Patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for: %s", kafkatest.Patience, what)
		}
	}
}
