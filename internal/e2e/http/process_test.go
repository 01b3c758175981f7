package http

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit/running"
)

// process is a running program of ours.
type process struct {
	*running.Program
	address, admin string
}

var announced = regexp.MustCompile(`(?:msg=(listening|administration)\b.*\baddress=|simulate core: (listening) at http://)(\S+)`)

// launch starts a command and waits until it has told the addresses that it listens at.
func launch(t *testing.T, addresses int, cmd *exec.Cmd) *process {
	t.Helper()
	p, ready := &process{}, make(chan struct{})
	p.Program = running.Start(t, cmd, patience, func(line string) {
		m := announced.FindStringSubmatch(line)
		if m == nil || addresses == 0 {
			return
		}
		if m[1] == "administration" {
			p.admin = m[3]
		} else {
			p.address = m[3]
		}
		if addresses--; addresses == 0 {
			close(ready)
		}
	})
	select {
	case <-ready:
	case <-p.Ended:
		t.Fatalf("it has ended: %s", p.Text())
	case <-time.After(patience):
		t.Fatalf("it does not listen: %s", p.Text())
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

// metrics are the values of all series of the gateway.
func (p *process) metrics(t *testing.T) map[string]float64 {
	t.Helper()
	return p.Metrics(t, p.admin)
}

// requests is the name of the counter of bid requests with an outcome.
func requests(status string) string {
	return fmt.Sprintf(`rtbwire_gateway_requests_total{request_status=%q,request_type="openrtb2"}`, status)
}

// reason is the name of the counter of a reason.
func reason(id string) string {
	return fmt.Sprintf(`rtbwire_gateway_rejected_total{reason=%q}`, id)
}

// partnerLabel is the label of counters whose values [counted] adds up.
var partnerLabel = regexp.MustCompile(`partner="[^"]*",`)

// counted is what the counters of requests and reasons have counted between two looks, of all
// partners together.
func counted(before, after map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for name, value := range after {
		if (strings.HasPrefix(name, "rtbwire_gateway_requests_total{") || strings.HasPrefix(name, "rtbwire_gateway_rejected_total{")) && value != before[name] {
			out[partnerLabel.ReplaceAllString(name, "")] += value - before[name]
		}
	}
	return out
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
	running.WaitFor(t, patience, what, holds)
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
