package browser

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit/parent"
)

// waitMax is how long anything may take.
const waitMax = 60 * time.Second

// program is the path of rtbwire, which is built once.
var program string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv("RTBWIRE_BROWSER") == "" {
		fmt.Println("left out: RTBWIRE_BROWSER is not set; make verify STEPS=browser runs these tests")
		return 0
	}
	folder, err := os.MkdirTemp("", "rtbwire")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(folder)
	program = filepath.Join(folder, "rtbwire")
	build := exec.Command("go", "build", "-C", "../../../..", "-o", program, "./cmd/rtbwire")
	build.Stdout, build.Stderr = os.Stdout, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Println("building rtbwire:", err)
		return 1
	}
	return m.Run()
}

// process is a running rtbwire.
type process struct {
	*exec.Cmd
	mu   sync.Mutex
	log  bytes.Buffer
	read sync.WaitGroup
}

// start starts rtbwire. It is killed at the end of the test.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(program, args...)}
	for _, variable := range os.Environ() { // those of tests are no keys of the configuration
		if !strings.HasPrefix(variable, "RTBWIRE_") {
			p.Env = append(p.Env, variable)
		}
	}
	parent.EndWith(p.Cmd)
	output, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	p.read.Go(func() {
		for lines := bufio.NewScanner(output); lines.Scan(); {
			p.mu.Lock()
			p.log.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("%v:\n%.4000s", p.Args, p.text())
		}
	})
	return p
}

// end waits for the end of the process, and returns its exit status.
func (p *process) end(t *testing.T) int {
	t.Helper()
	p.read.Wait()
	_ = p.Wait()
	return p.ProcessState.ExitCode()
}

// kill ends the process at once.
func (p *process) kill() {
	_ = p.Process.Kill()
	p.read.Wait()
	_ = p.Wait()
}

func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// said waits for a line of the log, and returns what the group of the pattern matches.
func (p *process) said(t *testing.T, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	var m []string
	waitFor(t, pattern, func() bool { m = re.FindStringSubmatch(p.text()); return m != nil })
	return m[1]
}

// waitFor waits until something holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(waitMax); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for: %s", waitMax, what)
		}
	}
}

// stack is a gateway with a core.
type stack struct {
	gateway    *process
	args       []string
	bids, page string // addresses
}

// startStack starts a core, and a gateway with a file and flags.
func startStack(t *testing.T, config string, flags ...string) *stack {
	t.Helper()
	core := start(t, "simulate", "core", "--listen", "127.0.0.1:0", "--bid", "60%", "--latency", "p50=2ms,p99=15ms")
	upstream := core.said(t, `http://(127\.0\.0\.1:\d+)`)
	file := filepath.Join(t.TempDir(), "rtbwire.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &stack{args: append([]string{"serve", "--config", file, "--upstream", "http://" + upstream}, flags...)}
	s.start(t, "127.0.0.1:0", "127.0.0.1:0")
	return s
}

// start starts the gateway at addresses.
func (s *stack) start(t *testing.T, bids, page string) {
	t.Helper()
	s.gateway = start(t, append(s.args, "--listen", bids, "--admin", page)...)
	s.page = s.gateway.said(t, `msg=administration address=(\S+)`)
	s.bids = s.gateway.said(t, `msg=listening address=(\S+)`)
}

// restart kills the gateway, calls a function, and starts it again at the same addresses.
func (s *stack) restart(t *testing.T, between func()) {
	t.Helper()
	s.gateway.kill()
	between()
	s.start(t, s.bids, s.page)
}

// load sends simulated requests until the end of the test.
func (s *stack) load(t *testing.T, path string, flags ...string) {
	t.Helper()
	start(t, append([]string{"simulate", "--url", "http://" + s.bids + path, "--connections", "4", "--count", "0"}, flags...)...)
}
