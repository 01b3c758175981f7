// Package stream judges the records of Kafka topics: it reads bid requests as a member of a
// consumer group, asks the verdict of package inspect, delivers what is accepted to a topic or an
// upstream, and writes everything else to a topic of dead letters, with the reason.
//
//	s, err := stream.New(stream.Options{
//		Client: []kgo.Opt{kgo.SeedBrokers("127.0.0.1:9092")},
//		Topics: []string{"bids"}, Group: "edge", Accepted: "bids-ok", DeadLetters: "bids-refused",
//	})
//	...
//	err = s.Run(ctx) // until ctx ends: drains, commits, leaves the group
//
// At least once: an offset is committed only when every record below it is written and
// acknowledged. With [Options.ExactlyOnce] records, dead letters and offsets are written in
// transactions. Records of a partition keep their order on the way to a topic.
//
// The path of a record, with the file of each stage:
//
//	consume.go     polls, within the limit of bytes in flight
//	chunk.go       some records of one partition, which are judged together
//	judge.go       decode, facts, answers of windows, verdict
//	partition.go   the queue of a partition: judged in parallel, sent in order, finished in any order
//	deliver.go     to the topic of accepted records, or to the upstream
//	deadletter.go  to the dead letters, with the reason as headers
//	partitioner.go which partition is written
//	refused.go     records that the broker does not take
//	commit.go      offsets, never ahead of delivery
//
// Around it:
//
//	options.go     Options and their defaults
//	destination.go what takes records that do not go to a topic
//	session.go     one membership in the group: a client and what works for it
//	topics.go      what is known of the topics before anything is written
//	rebalance.go   partitions that come and go
//	remembered.go  what was delivered and could not be committed
//	transaction.go exactly once
//	drain.go       the end
//	errors.go      which errors get better by waiting
//	lag.go         how far the group is behind
//	reload.go      another engine for the next records
//	metrics.go     what is counted
//	gauges.go      what is measured when somebody asks
package stream

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// Stream judges the records of topics. Make it with [New].
type Stream struct {
	options  Options
	id       string // of transactions: another one for each Stream
	judging  atomic.Pointer[Judging]
	metrics  metrics
	suspects suspects

	remembered remembered
	rejects    rejects.Ring
	reloads    reloads
	log        *limitedLog

	started, ready, connected atomic.Bool
	missingSince              time.Time               // a topic that is written, which was there before
	began                     map[string]int32        // how many partitions the topics had at the beginning
	session                   atomic.Pointer[session] // the current one
}

// ErrDrain is the error of a Run that could not deliver in time what was on its way when its
// context ended. Nothing is lost: those records are not committed, and are read again.
var ErrDrain = errors.New("stream: records were still on their way at the end of the drain timeout; they are not committed, and are read again")

// New returns a stream. It opens no connection.
func New(o Options) (*Stream, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := &Stream{options: o, id: transactionalID(o.Group), log: newLimitedLog(o.Log)}
	s.newMetrics()
	s.use(Judging{o.Engine, o.Facts, o.FactHeaders, o.Windows})
	return s, nil
}

// Run reads, judges and delivers until ctx ends. Then it finishes what is on its way, commits,
// leaves the group and returns nil, or [ErrDrain] if [Options.DrainTimeout] is over first. It
// returns an error early for what does not get better by waiting: wrong credentials, missing
// rights, a topic to write to that does not exist. Everything else it waits for, or begins a new
// membership in the group from the committed offsets. Run may be called once.
func (s *Stream) Run(ctx context.Context) error {
	if s.started.Swap(true) {
		return errors.New("stream: Run was called before")
	}
	defer s.ready.Store(false)
	wait := restartWaitLeast
	for {
		began := time.Now()
		err := s.member(ctx)
		var stop *fatal
		switch {
		case errors.As(err, &stop):
			return stop.err
		case err == nil || errors.Is(err, ErrDrain):
			return err
		case ctx.Err() != nil:
			return nil // what failed is not committed
		}
		if time.Since(began) > restartForget {
			wait = restartWaitLeast
		}
		s.metrics.restarts.Inc()
		s.options.Log.Warn("the stream begins anew from its committed offsets", "error", err, "wait", wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
		wait = min(2*wait, restartWaitMost)
	}
}

// The wait before a new session doubles, and is forgotten after a session that lasted.
const (
	restartWaitLeast = 200 * time.Millisecond
	restartWaitMost  = 10 * time.Second
	restartForget    = time.Minute
)

// Ready reports whether the stream is a member of its group and reads: from its first assignment
// until the context of Run ends.
func (s *Stream) Ready() bool { return s.ready.Load() }

// Collector returns the metrics of the stream, to be registered with Prometheus.
func (s *Stream) Collector() prometheus.Collector { return s.metrics.registry }

// Register adds metrics of what is around the stream to its own, those of an upstream for example.
func (s *Stream) Register(c prometheus.Collector) error { return s.metrics.registry.Register(c) }
