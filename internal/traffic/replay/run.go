package replay

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/rtbwire/rtbwire/internal/cputime"
)

// Run sends requests as config says and returns what became of them. When ctx ends, it stops to
// send, waits for answers up to [Config.Timeout], and returns the result so far.
//
// The error is about the configuration, about a target to which no connection can be made in the
// beginning, or about a record that can't be written; in the last case there is a result too.
//
// A loop shares its thread with nothing else if there are more processors for the program
// (GOMAXPROCS) than loops.
func Run(ctx context.Context, config Config) (*Result, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &runner{config: config}
	if config.judges() {
		r.judge = newJudge(&r.config)
	}
	err = r.open(ctx)
	defer r.close()
	if err != nil {
		return nil, err
	}
	return r.run(ctx)
}

// runner is one run.
type runner struct {
	config Config
	loops  []*loop
	judge  *judge

	fresh chan *tally
	tally chan handed
	sums  []*sum // by target
}

// handed is a tally on its way from a loop.
type handed struct {
	loop, stream int
	tally        *tally
	at           int64
}

// targets returns the targets.
func (r *runner) targets() []*Target {
	if r.config.Against == nil {
		return []*Target{&r.config.Target}
	}
	return []*Target{&r.config.Target, r.config.Against}
}

// open makes the loops and all their connections.
func (r *runner) open(ctx context.Context) error {
	c := &r.config
	for i := range c.Loops {
		p, err := c.poller()
		if err != nil {
			return err
		}
		l := &loop{config: c, poller: p, scratch: make([]byte, keptMax), judge: r.judge, base: time.Now()}
		r.loops = append(r.loops, l)
		share := c.Connections / c.Loops
		if i < c.Connections%c.Loops {
			share++
		}
		for n, target := range r.targets() {
			s := &stream{
				index: n, target: target, head: target.head(c.Header), schedule: newSchedule(c, i),
				free: ring{list: make([]*conn, share)}, tally: newTally(),
			}
			l.streams = append(l.streams, s)
			for range share {
				l.conns = append(l.conns, &conn{ident: ident{index: int32(len(l.conns))}, stream: s, answer: response{limits: responseLimits(c.MaxResponse)}})
			}
		}
		if err := l.connect(ctx); err != nil {
			return err
		}
	}
	return nil
}

// connectsMax is how many connections are made at the same time in the beginning.
const connectsMax = 64

// connect makes all connections of a loop.
func (l *loop) connect(ctx context.Context) error {
	made := make([]net.Conn, len(l.conns))
	errs := make([]error, len(l.conns))
	var group sync.WaitGroup
	slots := make(chan struct{}, connectsMax)
	for i, c := range l.conns {
		slots <- struct{}{}
		group.Go(func() {
			made[i], errs[i] = (&net.Dialer{Timeout: l.config.Timeout}).DialContext(ctx, c.stream.target.Network, c.stream.target.Address)
			<-slots
		})
	}
	group.Wait()
	var failed error
	for i, c := range l.conns {
		err := errs[i]
		if err == nil {
			err = l.adopt(c, made[i])
		}
		if err != nil && failed == nil {
			failed = fmt.Errorf("replay: cannot connect to %v: %w", c.stream.target, err)
		}
	}
	return failed
}

func (r *runner) close() {
	for _, l := range r.loops {
		l.close()
	}
}

// startDelay is the time between the making of connections and the first request.
const startDelay = time.Millisecond

// run runs the loops and collects what they count.
func (r *runner) run(ctx context.Context) (*Result, error) {
	c := &r.config
	r.fresh = make(chan *tally, 4*len(r.loops))
	r.tally = make(chan handed, 4*len(r.loops))
	for _, t := range r.targets() {
		r.sums = append(r.sums, newSum(*t, c.Interval))
	}
	collected := make(chan struct{})
	go func() { r.collect(); close(collected) }()

	start, cpu := time.Now().Add(startDelay), cputime.Process()
	var group sync.WaitGroup
	errs := make([]error, len(r.loops))
	for i, l := range r.loops {
		l.base = start
		l.hand = func(l *loop, final bool) { r.hand(i, l, final) }
		for _, conn := range l.conns {
			conn.since = 0
		}
		group.Go(func() {
			time.Sleep(time.Until(start))
			errs[i] = l.run(ctx)
		})
	}
	group.Wait()
	close(r.tally)
	<-collected
	result := &Result{
		Start: start, Rate: c.Rate, Connections: c.Connections, Loops: c.Loops,
		Interrupted: ctx.Err() != nil, CPU: cputime.Process() - cpu,
	}
	r.finish(result)
	if r.judge != nil {
		judgement, err := r.judge.finish()
		result.Judgement = judgement
		return result, errors.Join(errors.Join(errs...), err)
	}
	return result, errors.Join(errs...)
}

// hand hands over the tallies of a loop and gives it empty ones. If the collector is busy, the loop
// goes on with those that it has.
func (r *runner) hand(index int, l *loop, final bool) {
	at := l.now()
	for _, s := range l.streams {
		h := handed{index, s.index, s.tally, at}
		if final {
			r.tally <- h
			continue
		}
		select {
		case r.tally <- h:
			select {
			case s.tally = <-r.fresh:
			default:
				s.tally = newTally()
			}
		default:
		}
	}
}

// collect adds up tallies until there are no more.
func (r *runner) collect() {
	length := r.config.Duration
	for h := range r.tally {
		s := r.sums[h.stream]
		s.add(h)
		if h.stream == 0 && h.loop == 0 && r.config.Progress != nil && s.recent.from+int64(time.Second) <= h.at {
			r.config.Progress(s.snapshot(h.at, length))
		}
		h.tally.reset()
		select {
		case r.fresh <- h.tally:
		default:
		}
	}
	for _, s := range r.sums {
		s.flush()
	}
}

// finish fills in the result.
func (r *runner) finish(result *Result) {
	length := int64(0)
	for _, s := range r.sums {
		length = max(length, s.total.last)
	}
	if c := &r.config; c.Requests == 0 && !result.Interrupted {
		length = max(length, int64(c.Duration))
	}
	result.Elapsed = time.Duration(length)
	result.Target = r.sums[0].result(result.Elapsed)
	if len(r.sums) > 1 {
		against := r.sums[1].result(result.Elapsed)
		result.Against = &against
	}
	if late := result.Target.Lag.Quantile(0.99); late > r.config.LagMax {
		result.Invalid = fmt.Sprintf("1%% of the requests were sent more than %v late although a connection was free (at most %v is allowed)",
			late.Round(time.Microsecond), r.config.LagMax)
	}
}
