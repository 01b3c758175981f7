package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// The times of processes.
const (
	startMax = 20 * time.Second // until a contestant takes connections
	stopMax  = 15 * time.Second // until it ends
)

// process is a program on a core.
type process struct {
	name    string
	command *exec.Cmd
	log     *os.File
	began   time.Time
	stats   string // its address for pprof, "" for none
	ended   chan error
}

// build compiles a program.
func build(program, dir, pkg string) error {
	c := exec.Command("go", "build", "-o", program, pkg)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// start starts a program on a core and waits until it listens.
func (l *lab) start(name string, core int, command []string, listen, stats string) (*process, error) {
	log, err := os.Create(filepath.Join(l.dir, name+".log"))
	if err != nil {
		return nil, err
	}
	p := &process{name: name, log: log, began: time.Now(), stats: stats, ended: make(chan error, 1)}
	p.command = exec.Command("taskset", append([]string{"-c", strconv.Itoa(core)}, command...)...)
	p.command.Stdout, p.command.Stderr = log, log
	if err := p.command.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	go func() { p.ended <- p.command.Wait() }()
	for time.Since(p.began) < startMax && l.ctx.Err() == nil {
		select {
		case err := <-p.ended:
			p.ended <- err
			text, _ := os.ReadFile(log.Name())
			return nil, errors.Join(fmt.Errorf("%s ended: %w\n%s", name, err, text), p.stop())
		default:
		}
		if c, err := net.DialTimeout("tcp", listen, time.Second); err == nil {
			return p, c.Close()
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil, errors.Join(fmt.Errorf("%s does not listen at %s", name, listen), l.ctx.Err(), p.stop())
}

// stop ends a process and waits for it. How it ends is not looked at.
func (p *process) stop() error {
	_ = p.command.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-p.ended:
	case <-time.After(stopMax):
		_ = p.command.Process.Kill()
		<-p.ended
	}
	return p.log.Close()
}

// begin starts a contestant.
func (l *lab) begin(c *contestant) (p *process, at addresses, err error) {
	at.upstream = l.sinkAt
	if at.listen, err = measure.FreeAddress(); err != nil {
		return nil, at, err
	}
	if at.stats, err = measure.FreeAddress(); err != nil {
		return nil, at, err
	}
	if err := l.configure(at); err != nil {
		return nil, at, err
	}
	stats := at.stats
	if c.lang != "go" {
		stats = ""
	}
	p, err = l.start(c.name, l.serverCore, c.command(l, at), at.listen, stats)
	return p, at, err
}

// startSink starts the upstream with flags, in place of the one that runs.
func (l *lab) startSink(flags ...string) (err error) {
	if err := l.stopSink(); err != nil {
		return err
	}
	if l.sinkAt, err = measure.FreeAddress(); err != nil {
		return err
	}
	command := append([]string{l.peer, "--listen", l.sinkAt}, flags...)
	l.sink, err = l.start("sink", l.loadCore, append(command, "sink"), l.sinkAt, "")
	return err
}

func (l *lab) stopSink() error {
	if l.sink == nil {
		return nil
	}
	defer func() { l.sink = nil }()
	return l.sink.stop()
}

// usage is what a process has used since it was started.
type usage struct {
	at           time.Time
	cpu          time.Duration // to the nanosecond
	user, system time.Duration // to 10 ms
	core         time.Duration // busy time of its core, to 10 ms; with interrupts
	heap         heap
}

// heap is what the runtime of Go says.
type heap struct {
	mallocs, bytes, cycles float64
	collector              time.Duration // processor time
}

// usage reads the counters. Those of the heap are read outside of the time that is measured: before
// at the beginning, after at the end.
func (l *lab) usage(p *process, first bool) (u usage, err error) {
	if first {
		if u.heap, err = p.heap(l.ctx); err != nil {
			return u, err
		}
	}
	u.at = time.Now()
	for _, pid := range family(p.command.Process.Pid) {
		cpu, err := measure.CPUTimeOf(pid)
		if err != nil {
			return u, err
		}
		user, system := ticksOf(pid)
		u.cpu, u.user, u.system = u.cpu+cpu, u.user+user, u.system+system
	}
	u.core = busyTime(l.serverCore)
	if !first {
		u.heap, err = p.heap(l.ctx)
	}
	return u, err
}

// family returns a process and its descendants.
func family(pid int) []int {
	pids := []int{pid}
	for i := 0; i < len(pids); i++ {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pids[i], pids[i]))
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

const tick = 10 * time.Millisecond // USER_HZ, the same on every platform that Go has

// ticksOf returns the user and system time of a process (proc(5): fields 14 and 15 of stat).
func ticksOf(pid int) (user, system time.Duration) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, 0
	}
	u, _ := strconv.ParseInt(fields[11], 10, 64)
	s, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(u) * tick, time.Duration(s) * tick
}

// busyTime returns how long a core has worked: all but idle, iowait and steal.
func busyTime(core int) time.Duration {
	text, _ := os.ReadFile("/proc/stat")
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 8 || fields[0] != fmt.Sprintf("cpu%d", core) {
			continue
		}
		var sum int64
		for _, i := range []int{1, 2, 3, 6, 7} {
			n, _ := strconv.ParseInt(fields[i], 10, 64)
			sum += n
		}
		return time.Duration(sum) * tick
	}
	return 0
}

// memory returns the resident memory of a process and its descendants, now and at most, in MiB.
func (p *process) memory() (resident, peak float64) {
	for _, pid := range family(p.command.Process.Pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		resident += kilobytes(string(text), "VmRSS:") / 1024
		peak += kilobytes(string(text), "VmHWM:") / 1024
	}
	return resident, peak
}

func kilobytes(text, name string) float64 {
	_, rest, _ := strings.Cut(text, name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseFloat(fields[0], 64)
	return n
}

// heap asks the runtime of a Go process; what it says is zero for others.
func (p *process) heap(ctx context.Context) (h heap, err error) {
	if p.stats == "" {
		return h, nil
	}
	text, err := p.ask(ctx, "heap?debug=1")
	if err != nil {
		return h, err
	}
	share, last := 0.0, time.Time{}
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, ok := strings.Cut(strings.TrimPrefix(lines.Text(), "# "), " = ")
		if !ok {
			continue
		}
		n, _ := strconv.ParseFloat(value, 64)
		switch name {
		case "TotalAlloc":
			h.bytes = n
		case "Mallocs":
			h.mallocs = n
		case "NumGC":
			h.cycles = n
		case "LastGC":
			last = time.Unix(0, int64(n))
		case "GCCPUFraction": // of what the process could use from its start to its last collection
			share = n
		}
	}
	if h.cycles > 0 {
		h.collector = time.Duration(share * float64(last.Sub(p.began)))
	}
	return h, nil
}

// goroutines returns how many goroutines a Go process has.
func (p *process) goroutines(ctx context.Context) float64 {
	if p.stats == "" {
		return 0
	}
	text, err := p.ask(ctx, "goroutine?debug=1")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "total ")
	first, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.ParseFloat(strings.TrimSpace(first), 64)
	return n
}

// ask asks for a profile.
func (p *process) ask(ctx context.Context, what string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.stats+"/debug/pprof/"+what, nil)
	if err != nil {
		return nil, err
	}
	var answer *http.Response
	for range 50 { // the port opens a little after the one for requests
		if answer, err = http.DefaultClient.Do(r); !errors.Is(err, syscall.ECONNREFUSED) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s: %s", p.name, what, answer.Status)
	}
	return io.ReadAll(answer.Body)
}

// allTime is what the machine has done, and what of that was this process and those that it started
// and waited for.
type allTime struct {
	at        time.Time
	busy, own time.Duration
}

// allUsage reads the counters of the machine. Interrupts are left out: some kernels count them with
// processes, some do not, and here most of them are the load's. Time that other virtual machines
// took is in it.
func allUsage() (u allTime) {
	u.at = time.Now()
	text, _ := os.ReadFile("/proc/stat")
	if fields := strings.Fields(string(text)); len(fields) > 8 && fields[0] == "cpu" {
		for _, i := range []int{1, 2, 3, 8} { // user nice system idle iowait irq softirq steal
			n, _ := strconv.ParseInt(fields[i], 10, 64)
			u.busy += time.Duration(n) * tick
		}
	}
	u.own = ownTime()
	return u
}

// others returns how many cores others have kept busy since then.
func (u allTime) others() float64 {
	now := allUsage()
	return max(0, ((now.busy-u.busy)-(now.own-u.own)).Seconds()/now.at.Sub(u.at).Seconds())
}
