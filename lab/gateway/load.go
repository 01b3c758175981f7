package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/process"
)

// path is where requests are posted.
const path = "/openrtb2/auction"

// connectionsUsual is the number of connections of most measurements.
const connectionsUsual = 64

// attempts is how often an invalid measurement is repeated.
const attempts = 3

// load is what a contestant gets.
type load struct {
	rate        float64 // requests a second; 0 for as many as the connections allow
	connections int
	duration    time.Duration
	timeout     time.Duration // of an answer; 0 for a second
}

// Sample is one measurement.
type Sample struct {
	Part, Contestant, Body string
	Round                  int
	Seconds                float64
	Cores                  int     `json:",omitempty"` // of the contestant, in the part scaling
	Offered                float64 // requests a second; 0 for as many as the connections allow
	Answered               float64 // with 200, a second
	Other                  float64 `json:",omitempty"` // with other statuses, a second
	Failed                 float64 `json:",omitempty"` // without an answer, a second
	P50, P90, P99, P999    float64 // ms, from when a request was due
	NaiveP99               float64 // ms, from when it was sent

	// Of windows of a second: their number, the medians of their p50 and p99, and the share of
	// those whose p99 was above 5 ms.
	Windows              int     `json:",omitempty"`
	WindowP50, WindowP99 float64 `json:",omitempty"` // ms
	Slow                 float64 `json:",omitempty"`

	// Stolen is the share of the machine's processors that other virtual machines took meanwhile.
	Stolen float64 `json:",omitempty"`
	// Sink is what the upstream used for each answer, in µs: it does the same for every contestant.
	Sink float64 `json:",omitempty"`

	// Of the contestant, for each answer.
	CPU, User, System, Core float64 `json:",omitempty"` // µs; Core is what its core was busy
	Mallocs, Allocated      float64 `json:",omitempty"` // objects, bytes
	Collector               float64 `json:",omitempty"` // share of its processor time

	Resident, Peak, Goroutines float64 `json:",omitempty"` // the first two in MiB

	Invalid string `json:",omitempty"` // why the generator is not to be trusted
}

// replayed is what rtbwire replay prints.
type replayed struct {
	Seconds float64 `json:"seconds"`
	Invalid string  `json:"invalid"`
	Target  struct {
		Answered  float64            `json:"answered"`
		Failed    float64            `json:"failed"`
		Statuses  map[string]float64 `json:"statuses"`
		LatencyMs map[string]float64 `json:"latency_ms"`
		NaiveMs   map[string]float64 `json:"naive_ms"`
		Intervals []interval         `json:"intervals"`
	} `json:"target"`
}

// interval is a part of a run.
type interval struct {
	At     float64 `json:"at"` // seconds
	Length float64 `json:"seconds"`
	OK     float64 `json:"answered"`
	Failed float64 `json:"failed"`
	P50    float64 `json:"p50_ms"`
	P99    float64 `json:"p99_ms"`
}

// replay runs the generator.
func (l *lab) replay(b *body, listen string, w load) (*replayed, error) {
	rate := "max"
	if w.rate > 0 {
		rate = strconv.FormatFloat(w.rate, 'f', 0, 64)
	}
	out := new(replayed)
	return out, l.generate(out, b, listen, w, "--rate", rate)
}

// generate runs the generator with flags, and reads the JSON that it prints. Exit status 1 is about
// answers, 2 with an output about the generator; both are in the output.
func (l *lab) generate(out any, b *body, listen string, w load, flags ...string) error {
	timeout := w.timeout
	if timeout == 0 {
		timeout = time.Second
	}
	args := append([]string{l.rtbwire, "replay", "--url", "http://" + listen + path, "--json",
		"--connections", strconv.Itoa(max(w.connections, 1)), "--duration", w.duration.String(), "--timeout", timeout.String(),
		"--max-lag", l.maxLag.String(), "--interval", windowLength.String(), "--threads", strconv.Itoa(max(l.threads, 1)), "--max-errors", "100%"}, flags...)
	var stdout, stderr bytes.Buffer
	c := process.Command(l.ctx, l.loadCores, append(args, b.file)...)
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var status *exec.ExitError
	if err != nil && (!errors.As(err, &status) || stdout.Len() == 0) {
		return errors.Join(fmt.Errorf("rtbwire replay: %w\n%s", err, stderr.Bytes()), l.ctx.Err())
	}
	return json.Unmarshal(stdout.Bytes(), out)
}

// stolenMax is the share of the processors that other virtual machines may take during a
// measurement that counts.
const stolenMax = 0.01

// measure loads a contestant and returns what that cost. A measurement is repeated if the generator
// was too slow for it, or if other virtual machines took the processors meanwhile.
func (l *lab) measure(p *running, b *body, listen string, w load) (s Sample, err error) {
	for range attempts {
		if s, err = l.once(p, b, listen, w); err != nil || s.Invalid == "" {
			break
		}
	}
	return s, err
}

// once is measure without repetitions. Without a process only the load is measured.
func (l *lab) once(p *running, b *body, listen string, w load) (s Sample, err error) {
	var before, after usage
	if p != nil {
		if before, err = l.usage(p, true); err != nil {
			return s, err
		}
	}
	machine, _ := measure.UsageNow()
	sink, err := l.sink.Used()
	if err != nil {
		return s, err
	}
	r, err := l.replay(b, listen, w)
	if err != nil {
		return s, err
	}
	sinkAfter, err := l.sink.Used()
	if err != nil {
		return s, err
	}
	t := &r.Target
	seconds := max(r.Seconds, 1e-9)
	s = Sample{
		Body: b.name, Seconds: seconds, Offered: w.rate, Answered: t.Statuses["200"] / seconds, Other: (t.Answered - t.Statuses["200"]) / seconds, Failed: t.Failed / seconds,
		P50: t.LatencyMs["p50"], P90: t.LatencyMs["p90"], P99: t.LatencyMs["p99"], P999: t.LatencyMs["p99.9"], NaiveP99: t.NaiveMs["p99"],
		Invalid: r.Invalid,
	}
	n := max(t.Answered, 1)
	micros := func(d time.Duration) float64 { return d.Seconds() * 1e6 / n }
	s.Sink = micros(sinkAfter.CPU - sink.CPU)
	s.lookAtWindows(t.Intervals)
	if now, ok := measure.UsageNow(); ok {
		s.Stolen = now.StolenShare(machine)
	}
	if s.Stolen > stolenMax && s.Invalid == "" {
		s.Invalid = fmt.Sprintf("other virtual machines took %.1f%% of the processors", 100*s.Stolen)
	}
	if p == nil {
		return s, nil
	}
	s.Contestant = p.name
	if after, err = l.usage(p, false); err != nil {
		return s, err
	}
	s.CPU, s.User, s.System, s.Core = micros(after.CPU-before.CPU), micros(after.User-before.User), micros(after.System-before.System), micros(after.core-before.core)
	s.Mallocs, s.Allocated = (after.heap.mallocs-before.heap.mallocs)/n, (after.heap.bytes-before.heap.bytes)/n
	s.Collector = max(0, float64(after.heap.collector-before.heap.collector)/float64(max(after.CPU-before.CPU, 1)))
	s.Resident, s.Peak = p.Memory()
	return s, nil
}

// lookAtWindows summarizes the windows of a run. The first and the last are not whole.
func (s *Sample) lookAtWindows(list []interval) {
	var medians, tails []float64
	for i, w := range list {
		if i == 0 || i == len(list)-1 || w.OK == 0 {
			continue
		}
		medians, tails = append(medians, w.P50), append(tails, w.P99)
		if w.P99 > slowWindow {
			s.Slow++
		}
	}
	if s.Windows = len(tails); s.Windows == 0 {
		return
	}
	s.Slow /= float64(s.Windows)
	s.WindowP50, _, _ = measure.Median(medians)
	s.WindowP99, _, _ = measure.Median(tails)
}

// turn starts a contestant, warms it up, and calls f.
func (l *lab) turn(c *contestant, b *body, f func(p *running, listen string) error) error {
	if c == direct {
		return f(nil, l.sinkAt)
	}
	p, at, err := l.begin(c)
	if err != nil {
		return err
	}
	defer p.stop()
	if _, err := l.replay(b, at.listen, load{connections: connectionsUsual, duration: l.warm}); err != nil {
		return err
	}
	return f(p, at.listen)
}

// direct is the upstream without anything before it.
var direct = &contestant{name: directName, about: "the generator asks the upstream itself"}

// add keeps a sample.
func (l *lab) add(part string, c *contestant, round int, s Sample) {
	s.Part, s.Contestant, s.Round = part, c.name, round
	l.results.Samples = append(l.results.Samples, s)
}

// calibrate checks all contestants, and finds what each carries with all connections busy.
func (l *lab) calibrate() error {
	for _, b := range l.sets {
		b.most = map[string]float64{}
		for _, c := range l.entries {
			l.say("checking %s with %s", c.name, b.name)
			err := l.turn(c, b, func(p *running, listen string) error {
				if err := l.check(l.ctx, c, b, listen); err != nil {
					return err
				}
				s, err := l.once(p, b, listen, load{connections: connectionsUsual, duration: l.warm})
				b.most[c.name] = s.Answered
				if s.Other > 0 {
					l.say("%s answers %.2g%% of %s with another status than 200", c.name, 100*s.Other/(s.Answered+s.Other), b.name)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
