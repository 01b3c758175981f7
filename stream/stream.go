// Package stream judges records that come without end: it reads bid requests from a [Source], asks
// the verdict of package inspect, delivers what is accepted to a [Sink] or an upstream, and writes
// everything else to a sink of dead letters, with the reason.
//
//	s, err := stream.New(stream.Options{Source: source, Accepted: accepted, DeadLetters: refused})
//	...
//	err = s.Run(ctx) // until ctx ends: drains, commits, closes the source
//
// Package [github.com/rtbwire/rtbwire/stream/kafka] has a source and sinks for topics of Kafka,
// package [github.com/rtbwire/rtbwire/stream/files] for files with a record on each line.
//
// At least once: a position is committed only when every record before it is written and durable.
// Exactly once is what a source and its sinks can do together; those of Kafka can. Records of a
// lane keep their order on the way to a sink.
//
// The path of a record, with the file of each stage:
//
//	source.go      Source, Sink, Record: what a source and a sink owe
//	flow.go        what a source may ask of the stream
//	budget.go      how much is in flight
//	chunk.go       some records of one lane, which are judged together
//	judge.go       decode, facts, answers of windows, verdict
//	outcome.go     what becomes of a record
//	trace.go       what becomes a span, of records that are traced
//	lane.go        judged in parallel, sent in order, delivered in any order
//	order.go       which chunk is sent next
//	prefix.go      what is delivered without a gap
//	deliver.go     to the sink of accepted records, or to the upstream
//	deadletter.go  to the dead letters, with the reason as headers
//	commit.go      positions, never ahead of delivery
//
// Around it:
//
//	options.go     Options and their defaults
//	keys.go        the keys of configurations, their flags, defaults and ranges
//	destination.go an upstream, which takes records one by one
//	queue.go       what waits for a goroutine
//	drain.go       the end
//	owed.go        what failures have left undelivered
//	log.go         messages that would come too often
//	ready.go       whether it reads, and why not
//	reload.go      another engine for the next records
//	metrics.go     what is counted
//	gauges.go      what is measured when somebody asks
package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/internal/serving/candidate"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// Stream judges the records of a source. Make it with [New].
type Stream struct {
	options Options
	judging atomic.Pointer[Judging]
	metrics metrics
	rejects rejects.Ring
	reloads rejects.Reloads
	log     *limitedLog

	candidate *candidate.Candidate // nil without one

	started atomic.Bool
	ready   readiness
	flow    atomic.Pointer[Flow]     // of the session in use
	last    atomic.Pointer[[]places] // of the lanes of the last session
	owed    owed
}

// ErrDrain is the error of a Run that could not deliver in time what was on its way when its
// context ended. Nothing is lost: those records are not committed, and are read again.
var ErrDrain = errors.New("stream: records were still on their way at the end of the drain timeout; they are not committed, and are read again")

// New returns a stream. It opens no connection.
func New(o Options) (*Stream, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := &Stream{options: o, log: newLimitedLog(o.Log), ready: readiness{why: notBegun}}
	s.candidate = candidate.New(candidate.Options{Holder: o.Candidate, Share: o.CandidateShare, Namespace: Namespace, Logger: o.Log})
	s.newMetrics()
	for _, part := range []any{o.Source, o.Accepted, o.DeadLetters, o.Responses} {
		c, measured := part.(prometheus.Collector)
		if !measured {
			continue
		}
		err := s.Register(c)
		if _, twice := errors.AsType[prometheus.AlreadyRegisteredError](err); err != nil && !twice {
			return nil, fmt.Errorf("stream: metrics of the source and the sinks: %w", err)
		}
	}
	s.use(Judging{o.Engine, o.Facts, o.FactHeaders, o.Windows})
	return s, nil
}

// Run reads, judges and delivers until ctx ends. Then it finishes what is on its way, commits,
// closes the source and returns nil, or [ErrDrain] if [Options.DrainTimeout] is over first. It
// returns a [Fatal] error early. After any other error it begins a new session at the committed
// positions, and returns [ErrUndelivered] if ctx ends before that session has caught up. Run may be
// called once.
func (s *Stream) Run(ctx context.Context) error {
	if s.started.Swap(true) {
		return errors.New("stream: Run was called before")
	}
	defer s.ready.use(nil, stopping)
	s.candidate.Start()
	defer s.candidate.Stop()
	wait := restartWaitMin
	for {
		began := time.Now()
		err := s.session(ctx)
		stop, last := errors.AsType[*fatal](err)
		switch {
		case last:
			return stop.err
		case errors.Is(err, ErrDrain):
			return err
		case err == nil || ctx.Err() != nil:
			return s.owed.error(unit(s.options.Source))
		}
		if time.Since(began) > restartForget {
			wait = restartWaitMin
		}
		s.ready.use(nil, begins)
		s.metrics.restarts.Inc()
		s.options.Log.Warn("the stream begins anew from its committed offsets", "error", err, "wait", wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return s.owed.error(unit(s.options.Source))
		}
		wait = min(2*wait, restartWaitMax)
	}
}

// The wait before a new session doubles, and is forgotten after a session that lasted.
const (
	restartWaitMin = 200 * time.Millisecond
	restartWaitMax = 10 * time.Second
	restartForget  = time.Minute
)

// session is one use of the source, from its beginning to its end.
func (s *Stream) session(ctx context.Context) error {
	began, f := time.Now(), newFlow(s, ctx)
	defer f.giveUp()
	s.ready.use(f, s.NotReady())
	session, err := s.options.Source.Open(ctx, f)
	if err != nil {
		return err
	}
	f.commits.open(session)
	s.flow.Store(f)
	defer s.flow.Store(nil)
	f.start()
	reading, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // a failure ends a read
		select {
		case <-f.failed:
			stop()
		case <-reading.Done():
		}
	}()
	ticking, stopTicking := context.WithCancel(ctx)
	var commits sync.WaitGroup
	if !f.transactional {
		commits.Go(func() { f.commitNowAndThen(ticking) })
	}
	session.Read(reading)
	if ctx.Err() != nil {
		s.ready.use(nil, stopping)
	} else {
		s.ready.use(nil, begins)
	}
	stopTicking()
	commits.Wait()
	lanes := f.Lanes()
	err = f.end(ctx)
	where := placesOf(lanes)
	s.last.Store(&where)
	if !errors.Is(err, ErrDrain) {
		s.owed.ended(lanes, err, time.Since(began))
	}
	return err
}

// start starts the jobs, and what delivers to the upstream.
func (f *Flow) start() {
	for range f.o.Jobs {
		f.working.Go(f.judge)
	}
	if f.o.Upstream != nil {
		for range f.o.Concurrency {
			f.working.Go(f.deliver)
		}
	}
}

// Collector returns the metrics of the stream, to be registered with Prometheus.
func (s *Stream) Collector() prometheus.Collector { return s.metrics.registry }

// Register adds metrics of what is around the stream to its own, those of an upstream for example.
func (s *Stream) Register(c prometheus.Collector) error { return s.metrics.registry.Register(c) }
