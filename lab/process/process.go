// Package process runs the programs that the lab measures, each on cores of its own, and reads
// what they have used.
//
//	process.go  build, start, stop
//	usage.go    processor time and memory
package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is a program on cores of its own.
type Process struct {
	Began time.Time

	command *exec.Cmd
	log     *os.File
	ended   chan struct{}
	err     error // once it has ended
}

// tailMax is how much of the log errors show, in bytes.
const tailMax = 2000

// Build compiles a program of the module in a folder, with flags of the go command.
func Build(ctx context.Context, program, folder, pkg string, flags ...string) error {
	c := exec.CommandContext(ctx, "go", slices.Concat([]string{"build", "-o", program}, flags, []string{pkg})...)
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// Cores are some cores of the machine, such as "1", "0-3" or "0,2", as taskset(1) takes them.
type Cores string

// Core is one core.
func Core(n int) Cores { return Cores(strconv.Itoa(n)) }

// CoreRange is n cores from the first one on.
func CoreRange(first, n int) Cores { return Cores(fmt.Sprintf("%d-%d", first, first+n-1)) }

// Has reports whether a core is among them.
func (c Cores) Has(core int) bool {
	for part := range strings.SplitSeq(string(c), ",") {
		first, last, isRange := strings.Cut(part, "-")
		low, err := strconv.Atoi(first)
		high := low
		if isRange && err == nil {
			high, err = strconv.Atoi(last)
		}
		if err == nil && low <= core && core <= high {
			return true
		}
	}
	return false
}

// Command is a command that will run on some cores.
func Command(ctx context.Context, on Cores, command ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "taskset", append([]string{"-c", string(on)}, command...)...)
}

// Start starts a command on some cores. What it writes goes to a file.
func Start(on Cores, log string, command ...string) (*Process, error) {
	file, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	p := &Process{Began: time.Now(), log: file, ended: make(chan struct{})}
	p.command = Command(context.Background(), on, command...)
	p.command.Stdout, p.command.Stderr = file, file
	if err := p.command.Start(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	go func() {
		p.err = p.command.Wait()
		close(p.ended)
	}()
	return p, nil
}

// PID is the program's: taskset becomes the program that it starts.
func (p *Process) PID() int { return p.command.Process.Pid }

// Alive returns an error with the end of the log if the process has ended.
func (p *Process) Alive() error {
	select {
	case <-p.ended:
		return fmt.Errorf("it has ended (%v):\n%s", p.err, p.Tail())
	default:
		return nil
	}
}

// Listens waits until the process takes connections at an address.
func (p *Process) Listens(ctx context.Context, address string, patience time.Duration) error {
	for end := time.Now().Add(patience); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		if err := p.Alive(); err != nil {
			return err
		}
		if c, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			return c.Close()
		}
	}
	return errors.Join(fmt.Errorf("it does not listen at %s", address), ctx.Err())
}

// Stop ends the process with SIGTERM. It returns an error with the end of the log if the process
// does not end well, or has to be killed.
func (p *Process) Stop(patience time.Duration) error {
	defer p.log.Close()
	_ = p.command.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.Kill()
		return fmt.Errorf("it did not end within %v of SIGTERM:\n%s", patience, p.Tail())
	}
	if p.err != nil {
		return fmt.Errorf("%w:\n%s", p.err, p.Tail())
	}
	return nil
}

// Kill ends the process at once.
func (p *Process) Kill() {
	_ = p.command.Process.Kill() // it may have ended
	<-p.ended
	_ = p.log.Close() // the program has written what is there
}

// Tail returns the end of the log.
func (p *Process) Tail() string {
	text, _ := os.ReadFile(p.log.Name())
	return string(text[max(0, len(text)-tailMax):])
}
