package stream

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/window"
)

// Stream judges the records of topics. Make it with [New].
type Stream struct {
	options Options
}

// ErrDrain is the error of a Run that could not deliver in time what was on its way when its
// context ended. Nothing is lost: those records are not committed, and are read again.
var ErrDrain = errors.New("stream: records were still on their way at the drain deadline; they are not committed")

// New returns a stream. It opens no connection.
func New(o Options) (*Stream, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	return &Stream{options: o}, nil
}

// Run reads, judges and delivers until ctx ends. Then it finishes what is on its way, commits,
// leaves the group and returns nil, or [ErrDrain] if [Options.DrainTimeout] is over first. It
// returns an error early for what cannot get better by waiting: wrong credentials, missing rights,
// a topic to write to that does not exist. Run may be called once.
func (s *Stream) Run(ctx context.Context) error { return errors.ErrUnsupported }

// Swap puts another engine, other facts and other windows in use, for the records that are judged
// from now on. Nobody waits.
func (s *Stream) Swap(engine *inspect.Engine, facts inspect.Facts, windows *window.Windows) {}

// ReloadFailed counts a reload that failed before there was an engine to swap.
func (s *Stream) ReloadFailed(err error) {}

// Ready reports whether the stream is a member of its group and reads: from its first assignment
// until the context of Run ends.
func (s *Stream) Ready() bool { return false }

// Collector returns the metrics of the stream, to be registered with Prometheus.
func (s *Stream) Collector() prometheus.Collector { return nil }

// Register adds metrics of what is around the stream to its own, those of an upstream for example.
func (s *Stream) Register(c prometheus.Collector) error { return nil }
