//go:build unix

package kafka

import (
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/kafkatest"
	"github.com/rtbwire/rtbwire/internal/testkit/running"
)

// process is a running program of ours.
type process struct {
	*running.Program
	joined chan struct{} // closed when it is a member of its group
}

var (
	administration = regexp.MustCompile(`msg=administration\b.*\baddress=(\S+)`)
	consuming      = regexp.MustCompile(`msg=consuming\b`)
)

// start starts the program without waiting for anything.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	joined := make(chan struct{})
	join := sync.OnceFunc(func() { close(joined) })
	return &process{running.Start(t, exec.Command(program, args...), kafkatest.Patience, func(line string) {
		if consuming.MatchString(line) {
			join()
		}
	}), joined}
}

// consumes waits until the program is a member of its group.
func (p *process) consumes(t *testing.T) {
	t.Helper()
	select {
	case <-p.joined:
	case <-p.Ended:
		t.Fatalf("it has ended with %d: %s", p.ProcessState.ExitCode(), p.Text())
	case <-time.After(kafkatest.Patience):
		t.Fatalf("it joins no group: %s", p.Text())
	}
}

// kill ends the program with SIGKILL.
func (p *process) kill(t *testing.T) {
	t.Helper()
	p.Signal(t, syscall.SIGKILL)
	<-p.Ended
}

// running fails the test if the program has ended.
func (p *process) running(t *testing.T) {
	t.Helper()
	select {
	case <-p.Ended:
		t.Fatalf("it has ended with %d: %s", p.ProcessState.ExitCode(), p.Text())
	default:
	}
}

// metrics are the values of all series of the program.
func (p *process) metrics(t *testing.T) map[string]float64 {
	t.Helper()
	m := administration.FindStringSubmatch(p.Text())
	if m == nil {
		t.Fatalf("no port of administration: %s", p.Text())
	}
	return p.Metrics(t, m[1])
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
	return p.Memory(t, "VmHWM") >> 10
}

// waitFor waits until something holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	running.WaitFor(t, kafkatest.Patience, what, holds)
}
