package stream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// stopMax is how long a contestant may take to end.
const stopMax = 30 * time.Second

// process is a contestant that runs.
type process struct {
	command *exec.Cmd
	log     *os.File
	ended   chan struct{}
	err     error // once it has ended
}

// build compiles a program.
func build(ctx context.Context, program, dir, pkg string) error {
	c := exec.CommandContext(ctx, "go", "build", "-o", program, pkg)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// start starts a program on a core.
func (l *lab) start(core int, command []string) (*process, error) {
	log, err := os.Create(filepath.Join(l.dir, "contestant.log"))
	if err != nil {
		return nil, err
	}
	p := &process{log: log, ended: make(chan struct{})}
	p.command = exec.Command("taskset", append([]string{"-c", strconv.Itoa(core)}, command...)...)
	p.command.Stdout, p.command.Stderr = log, log
	if err := p.command.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	go func() {
		p.err = p.command.Wait()
		close(p.ended)
	}()
	return p, nil
}

// pid is the contestant's: taskset becomes the program that it starts.
func (p *process) pid() int { return p.command.Process.Pid }

// alive returns an error with the end of the log if the process has ended.
func (p *process) alive() error {
	select {
	case <-p.ended:
		return fmt.Errorf("it has ended (%v):\n%s", p.err, p.tail())
	default:
		return nil
	}
}

// stop ends the process, which has to be clean.
func (p *process) stop() error {
	_ = p.command.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-p.ended:
	case <-time.After(stopMax):
		p.kill()
		return errors.Join(fmt.Errorf("it did not end within %v of SIGTERM:\n%s", stopMax, p.tail()), p.log.Close())
	}
	if p.err != nil {
		return errors.Join(fmt.Errorf("%w:\n%s", p.err, p.tail()), p.log.Close())
	}
	return p.log.Close()
}

func (p *process) kill() {
	_ = p.command.Process.Kill()
	<-p.ended
}

// tail returns the end of the log.
func (p *process) tail() string {
	text, _ := os.ReadFile(p.log.Name())
	return string(text[max(0, len(text)-2000):])
}

// used is what a process has used so far.
type used struct {
	cpu          time.Duration // to the nanosecond
	user, system time.Duration // to 10 ms
}

func usedBy(pid int) (u used, err error) {
	if u.cpu, err = measure.CPUTimeOf(pid); err != nil {
		return u, err
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // proc(5): fields 14 and 15
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return u, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	user, errUser := strconv.ParseInt(fields[11], 10, 64)
	system, errSystem := strconv.ParseInt(fields[12], 10, 64)
	const tick = 10 * time.Millisecond // USER_HZ
	u.user, u.system = time.Duration(user)*tick, time.Duration(system)*tick
	return u, errors.Join(errUser, errSystem)
}

// peakMiB returns the most memory that a process has had.
func peakMiB(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kb float64
	_, _ = fmt.Sscan(rest, &kb) // 0 where there is none
	return kb / 1024
}
