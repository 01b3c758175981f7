package demo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"time"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
)

// The times of processes: busy machines are slow.
const (
	startMax = 30 * time.Second
	stopMax  = 15 * time.Second
)

// logMax is how many lines of a process are kept.
const logMax = 200

// process is a running verb of this program.
type process struct {
	name string
	cmd  *exec.Cmd
	read chan struct{} // closed at the end of its log

	mu   sync.Mutex
	log  []string
	news chan struct{} // a line was read; holds at most one
}

// start starts a verb of this program.
func start(env *cli.Env, name string, args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{name: name, cmd: exec.Command(self, args...), read: make(chan struct{}), news: make(chan struct{}, 1)}
	p.cmd.Args[0] = os.Args[0] // by which programs with several names know who they are
	p.cmd.Env = env.Environ
	p.cmd.SysProcAttr = attributes()
	log, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	go func() {
		defer close(p.read)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			p.note(lines.Text())
		}
	}()
	return p, nil
}

// note keeps a line of the log.
func (p *process) note(line string) {
	p.mu.Lock()
	if p.log = append(p.log, line); len(p.log) > logMax {
		p.log = p.log[1:]
	}
	p.mu.Unlock()
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// find returns the first group of an expression in the log.
func (p *process) find(expression *regexp.Regexp) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.log {
		if m := expression.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return ""
}

// await waits until the log has an expression, and returns its first group.
func (p *process) await(ctx context.Context, expression *regexp.Regexp) (string, error) {
	late := time.NewTimer(startMax)
	defer late.Stop()
	for {
		if found := p.find(expression); found != "" {
			return found, nil
		}
		select {
		case <-p.news:
		case <-p.read:
			if found := p.find(expression); found != "" {
				return found, nil
			}
			return "", fmt.Errorf("%s has ended:\n%s", p.name, p.text())
		case <-late.C:
			return "", fmt.Errorf("%s is not ready after %v:\n%s", p.name, startMax, p.text())
		case <-ctx.Done():
			return "", errInterrupted
		}
	}
}

var errInterrupted = errors.New("interrupted")

// text is the log.
func (p *process) text() (text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.log {
		text += "  " + line + "\n"
	}
	return text
}

// ended reports whether the process is gone.
func (p *process) ended() bool {
	select {
	case <-p.read:
		return true
	default:
		return false
	}
}

// stop ends the process, waits for it and returns its error.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		_ = p.cmd.Process.Kill() // there are no signals here, or it is gone
	}
	kill := time.AfterFunc(stopMax, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	<-p.read
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w:\n%s", p.name, err, p.text())
	}
	return nil
}
