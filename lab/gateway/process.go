package gateway

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/process"
)

// The times of processes.
const (
	startMax = 20 * time.Second // until a contestant takes connections
	stopMax  = 15 * time.Second // until it ends
)

// running is a program on cores of its own, with the profiles of its Go runtime.
type running struct {
	*process.Process
	name  string
	stats string // its address for pprof, "" for none
}

// start starts a program on some cores and waits until it listens.
func (l *lab) start(name string, on process.Cores, command []string, listen, stats string) (*running, error) {
	p, err := process.Start(on, filepath.Join(l.dir, name+".log"), command...)
	if err != nil {
		return nil, err
	}
	if err := p.Listens(l.ctx, listen, startMax); err != nil {
		p.Kill()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &running{p, name, stats}, nil
}

// stop ends a process and waits for it. How it ends is not looked at.
func (p *running) stop() { _ = p.Stop(stopMax) }

// begin starts a contestant.
func (l *lab) begin(c *contestant) (p *running, at addresses, err error) {
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
	p, err = l.start(c.name, l.serverCores, c.command(l, at), at.listen, stats)
	return p, at, err
}

// startSink starts the upstream with flags, in place of the one that runs.
func (l *lab) startSink(flags ...string) (err error) {
	l.stopSink()
	if l.sinkAt, err = measure.FreeAddress(); err != nil {
		return err
	}
	command := append([]string{l.peer, "--listen", l.sinkAt}, flags...)
	l.sink, err = l.start("sink", cmp.Or(l.sinkCores, l.loadCores), append(command, "sink"), l.sinkAt, "")
	return err
}

func (l *lab) stopSink() {
	if l.sink != nil {
		l.sink.stop()
		l.sink = nil
	}
}

// usage is what a process has used since it was started.
type usage struct {
	process.Used
	at   time.Time
	core time.Duration // busy time of its cores, to 10 ms; with interrupts
	heap heap
}

// heap is what the runtime of Go says.
type heap struct {
	mallocs, bytes, cycles float64
	collector              time.Duration // processor time
}

// usage reads the counters. Those of the heap are read outside of the time that is measured: before
// at the beginning, after at the end.
func (l *lab) usage(p *running, first bool) (u usage, err error) {
	if first {
		if u.heap, err = p.heap(l.ctx); err != nil {
			return u, err
		}
	}
	u.at = time.Now()
	if u.Used, err = p.Used(); err != nil {
		return u, err
	}
	u.core = busyTime(l.serverCores)
	if !first {
		u.heap, err = p.heap(l.ctx)
	}
	return u, err
}

// busyTime returns how long some cores have worked: all but idle, iowait and steal.
func busyTime(on process.Cores) (sum time.Duration) {
	text, _ := os.ReadFile("/proc/stat")
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 8 {
			continue
		}
		if core, err := strconv.Atoi(strings.TrimPrefix(fields[0], "cpu")); err != nil || !on.Has(core) {
			continue
		}
		for _, i := range []int{1, 2, 3, 6, 7} {
			n, _ := strconv.ParseInt(fields[i], 10, 64)
			sum += time.Duration(n) * process.Tick
		}
	}
	return sum
}

// heap asks the runtime of a Go process; what it says is zero for others.
func (p *running) heap(ctx context.Context) (h heap, err error) {
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
		h.collector = time.Duration(share * float64(last.Sub(p.Began)))
	}
	return h, nil
}

// goroutines returns how many goroutines a Go process has.
func (p *running) goroutines(ctx context.Context) float64 {
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
func (p *running) ask(ctx context.Context, what string) ([]byte, error) {
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
			u.busy += time.Duration(n) * process.Tick
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
