package abuse

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a running program of ours.
type process struct {
	*exec.Cmd
	address, admin string
	ended          chan struct{} // closed when it has ended

	mu  sync.Mutex
	log strings.Builder
}

var announced = regexp.MustCompile(`(?:msg=(listening|administration)\b.*\baddress=|simulate core: (listening) at http://)(\S+)`)

// launch starts a command and waits until it has told the addresses that it listens at.
func launch(t *testing.T, addresses int, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{Cmd: cmd, ended: make(chan struct{})}
	// The variables of the tests mean nothing to the program, which says so.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "RTBWIRE_") })
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(stderr)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			p.mu.Lock()
			p.log.WriteString(lines.Text() + "\n")
			if m := announced.FindStringSubmatch(lines.Text()); m != nil && addresses > 0 {
				if m[1] == "administration" {
					p.admin = m[3]
				} else {
					p.address = m[3]
				}
				if addresses--; addresses == 0 {
					close(ready)
				}
			}
			p.mu.Unlock()
		}
		_, _ = io.Copy(io.Discard, stderr)
		_ = cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.ended
		if strings.Contains(p.text(), "DATA RACE") || strings.Contains(p.text(), "panic") {
			t.Errorf("the program's log:\n%s", p.text())
		}
	})
	select {
	case <-ready:
	case <-p.ended:
		t.Fatalf("it has ended: %s", p.text())
	case <-time.After(time.Minute):
		t.Fatalf("it does not listen: %s", p.text())
	}
	return p
}

// serve starts the gateway in front of an upstream, with administration. Times that a busy machine
// could use up are long; arguments can make them shorter.
func serve(t *testing.T, plane, upstream string, args ...string) *process {
	t.Helper()
	return serveWith(t, plane, func(cmd *exec.Cmd) {}, append([]string{"--upstream", upstream, "--upstream-timeout", "30s"}, args...)...)
}

// serveWith lets a test change the command.
func serveWith(t *testing.T, plane string, change func(*exec.Cmd), args ...string) *process {
	t.Helper()
	cmd := exec.Command(program, append([]string{"serve", "--http", plane, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"}, args...)...)
	change(cmd)
	return launch(t, 2, cmd)
}

// simulated starts the project's own stand-in for a core.
func simulated(t *testing.T, args ...string) *process {
	t.Helper()
	return launch(t, 1, exec.Command(program, append([]string{"simulate", "core", "--listen", "127.0.0.1:0"}, args...)...))
}

// text is what the process has written so far.
func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// signal sends a signal.
func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// stop ends the gateway with SIGTERM, and expects that it ends well.
func (p *process) stop(t *testing.T) {
	t.Helper()
	p.signal(t, syscall.SIGTERM)
	if status := p.wait(t); status != 0 {
		t.Errorf("exit status %d: %s", status, p.text())
	}
}

// wait returns the exit status.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-p.ended:
		return p.ProcessState.ExitCode()
	case <-time.After(time.Minute):
		t.Fatalf("it does not end: %s", p.text())
		return 0
	}
}

// metrics are the values of all series of the gateway.
func (p *process) metrics(t *testing.T) map[string]float64 {
	t.Helper()
	resp, err := http.Get("http://" + p.admin + "/metrics")
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

// requests is the name of the counter of bid requests with an outcome.
func requests(status string) string {
	return fmt.Sprintf(`requests_total{request_status=%q,request_type="openrtb2"}`, status)
}

// reason is the name of the counter of a reason.
func reason(id string) string { return fmt.Sprintf(`rejected_total{reason=%q}`, id) }

// counted is what the counters of requests and reasons have counted between two looks.
func counted(before, after map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for name, value := range after {
		if (strings.HasPrefix(name, "requests_total{") || strings.HasPrefix(name, "rejected_total{")) && value != before[name] {
			out[name] = value - before[name]
		}
	}
	return out
}

// status returns a number of /proc/PID/status, in KiB.
func (p *process) status(t *testing.T, name string) int {
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

// cpu is the processor time that the process has used.
func (p *process) cpu(t *testing.T) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	if err != nil {
		t.Skip("needs /proc: ", err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / 100 // Linux counts in hundredths of a second
}

// descriptors is how many files the process has open.
func (p *process) descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.Process.Pid))
	if err != nil {
		t.Skip("needs /proc: ", err)
	}
	return len(list)
}

// file writes a file of the test, and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// waitFor waits until something holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited a minute for: %s", what)
		}
	}
}

// bothPlanes runs a test with each server of HTTP.
func bothPlanes(t *testing.T, test func(t *testing.T, plane string)) {
	for _, plane := range []string{"fast", "std"} {
		t.Run(plane, func(t *testing.T) { test(t, plane) })
	}
}

// dial connects. The connection is closed with the test.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}
