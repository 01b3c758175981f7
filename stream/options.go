package stream

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/window"
)

// Defaults and bounds of [Options].
const (
	CommitIntervalDefault = time.Second
	// CommitIntervalMost is the longest interval with ExactlyOnce: readers of committed records
	// wait for it.
	CommitIntervalMost = time.Second

	// SessionTimeoutDefault is Kafka's own default.
	SessionTimeoutDefault = 45 * time.Second
	// SessionTimeoutLeast is what the client takes. Brokers ask for more: their
	// group.min.session.timeout.ms is six seconds if they are not told otherwise.
	SessionTimeoutLeast = 100 * time.Millisecond
	DrainTimeoutDefault = 30 * time.Second

	MaxRecordDefault   = 1 << 20
	MaxRecordMost      = 64 << 20
	MaxInFlightDefault = 64 << 20
	MaxInFlightLeast   = 1 << 20

	ConcurrencyDefault = 64
)

// From says where a group begins that has committed nothing yet, and where it resumes when what it
// had committed is gone from the broker.
type From uint8

// The beginnings.
const (
	Earliest From = iota // with the oldest record
	Latest               // with the next record
)

var fromNames = [...]string{Earliest: "earliest", Latest: "latest"}

// String returns "earliest" or "latest".
func (f From) String() string {
	if int(f) < len(fromNames) {
		return fromNames[f]
	}
	return fmt.Sprintf("From(%d)", f)
}

// ParseFrom returns the beginning with a name, "earliest" or "latest".
func ParseFrom(name string) (From, error) {
	if i := slices.Index(fromNames[:], name); i >= 0 {
		return From(i), nil
	}
	return 0, fmt.Errorf("unknown beginning %q (want earliest or latest)", name)
}

// Options say what a stream does. Client, Topics, Group, DeadLetters, and one of Accepted and
// Upstream have no default; the zero value of every other field is its default.
type Options struct {
	// Client says how to reach the brokers: seeds, TLS, SASL, compression. Package
	// [github.com/rtbwire/rtbwire/stream/kafka] makes them from flags. The stream adds what
	// concerns the group, fetches and transactions, and wins where both set the same.
	Client []kgo.Opt
	// Topics are read, by the members of Group together.
	Topics []string
	Group  string
	// Accepted is the topic of accepted records. Upstream takes them in its place.
	Accepted string
	Upstream Destination
	// DeadLetters is the topic of all other records.
	DeadLetters string
	// Responses is the topic of what Upstream answers. Default: answers are dropped.
	Responses string

	// From is where a group without commits begins. Default: [Earliest].
	From From
	// ExactlyOnce reads, writes and commits in transactions. It needs Accepted.
	ExactlyOnce bool
	// CommitInterval is the time between two commits, or the length of a transaction: at most
	// [CommitIntervalMost] with ExactlyOnce. Default: [CommitIntervalDefault].
	CommitInterval time.Duration
	// SessionTimeout is how long the group waits for a member that has gone without a word before
	// others get its partitions, at least [SessionTimeoutLeast]. Default: [SessionTimeoutDefault].
	SessionTimeout time.Duration
	// DrainTimeout is how long the end of Run waits for records that are on their way. Default:
	// [DrainTimeoutDefault].
	DrainTimeout time.Duration

	// MaxRecord is the longest value that is judged, in bytes, up to [MaxRecordMost]; longer ones
	// are dead letters. Default: [MaxRecordDefault].
	MaxRecord int
	// MaxInFlight bounds the records that were read and are not yet delivered, in bytes of keys,
	// values and headers and 256 for each. A fetch may be a quarter of it, for each broker, and a
	// batch may not inflate to more. Default: [MaxInFlightDefault].
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
	case len(o.Topics) == 0 || slices.Contains(o.Topics, ""):
		return errors.New("stream: no topic to read")
	case o.Group == "":
		return errors.New("stream: no group")
	case o.DeadLetters == "":
		return errors.New("stream: no topic for dead letters")
	case o.Accepted == "" && o.Upstream == nil:
		return errors.New("stream: no destination: neither a topic for accepted records nor an upstream")
	case o.Accepted != "" && o.Upstream != nil:
		return errors.New("stream: both a topic for accepted records and an upstream")
	case o.Responses != "" && o.Upstream == nil:
		return errors.New("stream: a topic for responses without an upstream")
	case o.ExactlyOnce && o.Upstream != nil:
		return errors.New("stream: exactly once needs a topic: an upstream gets records at least once")
	}
	for _, out := range []string{o.Accepted, o.DeadLetters, o.Responses} {
		if slices.Contains(o.Topics, out) {
			return fmt.Errorf("stream: topic %q is both read and written", out)
		}
	}
	if o.Accepted == o.DeadLetters || o.Responses == o.DeadLetters {
		return fmt.Errorf("stream: topic %q has two purposes", o.DeadLetters)
	}
	if err := o.durations(); err != nil {
		return err
	}
	if err := o.numbers(); err != nil {
		return err
	}
	if o.Engine == nil {
		o.Engine = &inspect.Engine{}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.Topics, o.FactHeaders, o.Client = slices.Clone(o.Topics), slices.Clone(o.FactHeaders), slices.Clone(o.Client)
	return nil
}

func (o *Options) durations() error {
	for _, d := range []struct {
		name      string
		value     *time.Duration
		otherwise time.Duration
	}{
		{"CommitInterval", &o.CommitInterval, CommitIntervalDefault},
		{"SessionTimeout", &o.SessionTimeout, SessionTimeoutDefault},
		{"DrainTimeout", &o.DrainTimeout, DrainTimeoutDefault},
	} {
		if *d.value < 0 {
			return fmt.Errorf("stream: %s is %v (want 0 for the default, or more)", d.name, *d.value)
		}
		*d.value = cmp.Or(*d.value, d.otherwise)
	}
	if o.SessionTimeout < SessionTimeoutLeast {
		return fmt.Errorf("stream: SessionTimeout is %v (want 0 for the default, or at least %v)", o.SessionTimeout, SessionTimeoutLeast)
	}
	if o.ExactlyOnce && o.CommitInterval > CommitIntervalMost {
		return fmt.Errorf("stream: CommitInterval is %v (want at most %v with ExactlyOnce)", o.CommitInterval, CommitIntervalMost)
	}
	return nil
}

func (o *Options) numbers() error {
	for _, n := range []struct {
		name              string
		value             *int
		otherwise         int
		smallest, largest int
	}{
		{"MaxRecord", &o.MaxRecord, MaxRecordDefault, 1, MaxRecordMost},
		{"MaxInFlight", &o.MaxInFlight, MaxInFlightDefault, MaxInFlightLeast, 1 << 30},
		{"Concurrency", &o.Concurrency, ConcurrencyDefault, 1, 1 << 16},
		{"Jobs", &o.Jobs, runtime.GOMAXPROCS(0), 1, 1 << 10},
	} {
		*n.value = cmp.Or(*n.value, n.otherwise)
		if *n.value < n.smallest || *n.value > n.largest {
			return fmt.Errorf("stream: %s is %d (want 0 for the default, or %d to %d)", n.name, *n.value, n.smallest, n.largest)
		}
	}
	return nil
}
