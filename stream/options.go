package stream

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/serving/candidate"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Defaults and bounds of [Options].
const (
	CommitIntervalDefault = time.Second
	DrainTimeoutDefault   = 30 * time.Second

	MaxRecordDefault   = 1 << 20
	MaxRecordMax       = 64 << 20
	MaxInFlightDefault = 64 << 20
	MaxInFlightMin     = 1 << 20
	MaxInFlightMax     = 1 << 30

	ConcurrencyDefault = 64
	concurrencyMax     = 1 << 16

	jobsMax = 1 << 10
)

// Options say what a stream does. Source, DeadLetters, and one of Accepted and Upstream have no
// default; the zero value of every other field is its default.
type Options struct {
	// Source is where records come from.
	Source Source
	// Accepted takes accepted records. Upstream takes them in its place.
	Accepted Sink
	Upstream Destination
	// DeadLetters takes all other records.
	DeadLetters Sink
	// Responses takes what Upstream answers. Default: answers are dropped.
	Responses Sink

	// CommitInterval is the time between two commits, or the length of a transaction, from a
	// millisecond to an hour. The first commits of a session come sooner. Default:
	// [CommitIntervalDefault].
	CommitInterval time.Duration
	// DrainTimeout is how long the end of Run waits for records that are on their way, from a
	// millisecond to an hour. Default: [DrainTimeoutDefault].
	DrainTimeout time.Duration

	// MaxRecord is the longest value that is judged, in bytes, up to [MaxRecordMax]; longer ones
	// are dead letters. Default: [MaxRecordDefault].
	MaxRecord int
	// MaxInFlight bounds the records that were read and are not yet delivered, in bytes of keys,
	// values and headers and 256 for each, from [MaxInFlightMin] to [MaxInFlightMax]. Default:
	// [MaxInFlightDefault].
	MaxInFlight int
	// Concurrency is how many records are delivered to Upstream at the same time. Default:
	// [ConcurrencyDefault].
	Concurrency int
	// Jobs is how many goroutines judge. Default: GOMAXPROCS.
	Jobs int

	// Engine judges. Default: the engine of the zero [inspect.Config].
	Engine *inspect.Engine
	// Facts are those of every record. Time is the record's timestamp unless it is set.
	Facts inspect.Facts
	// FactHeaders are the names of record headers that conditions ask for.
	FactHeaders []string
	// Windows are asked about each record, if they are not nil. They should count by event time
	// ([window.Options.EventTime]). A record that is read again is not a duplicate of itself.
	Windows *window.Windows

	// Candidate has the engine of a second configuration, if it is not nil: it judges a copy of
	// records and counts where its verdict differs, without any effect on them. CandidateShare is
	// the share that it judges, chosen by chance; 0 means all. It takes at most one processor, and
	// what it has no time for is left out. The holder may be swapped.
	Candidate      *inspect.Holder
	CandidateShare float64

	// Tracer gets the spans of records, if it is not nil: of those that Sampling chooses.
	Tracer   Tracer
	Sampling Sampling

	// VerdictLog takes every verdict, if it is not nil, and decides which ones it writes: of a
	// record that is read again, again. The caller closes it, after Run.
	VerdictLog VerdictLog

	// FullRejects keeps excerpts of refused records for operators as they were read. By default the
	// values in them are redacted.
	FullRejects bool
	// Log gets what operators should know, never more than a line per event. Default:
	// [slog.Default].
	Log *slog.Logger
}

// validate refuses what no stream can be made of, and fills in the defaults.
func (o *Options) validate() error {
	switch {
	case o.Source == nil:
		return errors.New("stream: no source")
	case o.DeadLetters == nil:
		return errors.New("stream: no sink for dead letters")
	case o.Accepted == nil && o.Upstream == nil:
		return errors.New("stream: no destination: neither a sink for accepted records nor an upstream")
	case o.Accepted != nil && o.Upstream != nil:
		return errors.New("stream: both a sink for accepted records and an upstream")
	case o.Responses != nil && o.Upstream == nil:
		return errors.New("stream: a sink for responses without an upstream")
	}
	o.Jobs = cmp.Or(o.Jobs, runtime.GOMAXPROCS(0))
	if o.Jobs < 1 || o.Jobs > jobsMax {
		return fmt.Errorf("stream: Jobs is %d (want 0 for the default, or 1 to %d)", o.Jobs, jobsMax)
	}
	if o.Engine == nil {
		o.Engine = &inspect.Engine{}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if err := candidate.Validate(o.CandidateShare); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	o.FactHeaders = slices.Clone(o.FactHeaders)
	return setting.Complete("stream", o, keys)
}
