package kafka

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/stream"
)

// Defaults and bounds of [GroupOptions].
const (
	// SessionTimeoutDefault is Kafka's own default.
	SessionTimeoutDefault = 45 * time.Second
	// SessionTimeoutMin is what the client takes. Brokers ask for more: their
	// group.min.session.timeout.ms is six seconds if they are not told otherwise.
	SessionTimeoutMin = 100 * time.Millisecond
	// TransactionMax is the longest [stream.Options.CommitInterval] with ExactlyOnce: readers of
	// committed records wait for it.
	TransactionMax = time.Second
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

// GroupOptions say what a group reads and writes. Client, Topics and Group have no default.
type GroupOptions struct {
	// Client says how to reach the brokers: seeds, TLS, SASL, compression. [Options.Client] makes
	// them from flags. The group adds what concerns membership, fetches and transactions, and wins
	// where both set the same.
	Client []kgo.Opt
	// Topics are read, by the members of Group together.
	Topics []string
	Group  string
	// Accepted, DeadLetters and Responses are the topics of the sinks that [Group.Connect] fills
	// in. Default: none.
	Accepted, DeadLetters, Responses string

	// From is where a group without commits begins. Default: [Earliest].
	From From
	// ExactlyOnce reads, writes and commits in transactions. It needs Accepted and DeadLetters.
	ExactlyOnce bool
	// SessionTimeout is how long the group waits for a silent member before others get its
	// partitions, from [SessionTimeoutMin] to an hour. Default: [SessionTimeoutDefault].
	SessionTimeout time.Duration
}

// validate refuses what no group can be made of, and fills in the defaults.
func (o *GroupOptions) validate() error {
	switch {
	case len(o.Topics) == 0 || slices.Contains(o.Topics, ""):
		return errors.New("stream: no topic to read")
	case o.Group == "":
		return errors.New("stream: no group")
	case o.ExactlyOnce && o.Accepted == "":
		return errors.New("stream: exactly once needs a topic: an upstream gets records at least once")
	case o.ExactlyOnce && o.DeadLetters == "":
		return errors.New("stream: exactly once needs a topic for dead letters")
	}
	written := o.written()
	for i, topic := range written {
		if slices.Contains(o.Topics, topic) {
			return fmt.Errorf("stream: topic %q is both read and written", topic)
		}
		if slices.Contains(written[:i], topic) {
			return fmt.Errorf("stream: topic %q has two purposes", topic)
		}
	}
	o.Topics, o.Client = slices.Clone(o.Topics), slices.Clone(o.Client)
	return setting.Complete("stream", o, groupKeys)
}

// written returns the topics that are written.
func (o *GroupOptions) written() (topics []string) {
	for _, t := range []string{o.Accepted, o.DeadLetters, o.Responses} {
		if t != "" {
			topics = append(topics, t)
		}
	}
	return topics
}

// Group is a consumer group that reads topics and writes others: a [stream.Source], the sinks of
// one stream, and their metrics. Make it with [NewGroup].
type Group struct {
	options    GroupOptions
	id         string // of transactions: another one for each Group
	metrics    groupMetrics
	suspects   suspects
	remembered remembered

	connected    atomic.Bool
	missingSince time.Time        // a topic that is written, which was there before
	began        map[string]int32 // how many partitions the topics had at the beginning
	session      atomic.Pointer[session]
}

// NewGroup returns a group. It opens no connection.
func NewGroup(o GroupOptions) (*Group, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	g := &Group{options: o, id: "rtbwire-" + o.Group + "-" + rand.Text()}
	g.metrics.init()
	return g, nil
}

// Connect sets the source of a stream, and the sinks that the group has topics for. With
// ExactlyOnce they belong together: no other may take their place.
func (g *Group) Connect(o *stream.Options) error {
	own := &g.options
	if own.ExactlyOnce && o.CommitInterval > TransactionMax {
		return fmt.Errorf("stream: CommitInterval is %v (want at most %v with ExactlyOnce)", o.CommitInterval, TransactionMax)
	}
	if own.ExactlyOnce && o.Upstream != nil {
		return errors.New("stream: exactly once needs a topic: an upstream gets records at least once")
	}
	o.Source = g
	for _, use := range []struct {
		topic string
		role  role
		sink  *stream.Sink
	}{{own.Accepted, accepted, &o.Accepted}, {own.DeadLetters, deadLetters, &o.DeadLetters}, {own.Responses, responses, &o.Responses}} {
		if use.topic != "" {
			*use.sink = &topic{g, use.topic, use.role}
		}
	}
	return nil
}

// Open begins a membership: it looks at the topics and makes a client, which connects when it is
// used.
func (g *Group) Open(ctx context.Context, f *stream.Flow) (stream.Session, error) {
	n := &session{
		g: g, f: f, o: &g.options, of: f.Options(), log: f.Options().Log,
		leaders: leaders{by: map[stream.LaneID]*epochs{}},
	}
	if n.o.ExactlyOnce {
		n.txn = &transactions{n: n, asked: make(chan struct{}, 1)}
		f.Transactional()
	}
	if err := n.topics(ctx); err != nil {
		return nil, err
	}
	if err := n.open(); err != nil {
		return nil, stream.Fatal(err)
	}
	g.session.Store(n)
	return n, nil
}

// groupMetrics are what a group counts besides what its stream does.
type groupMetrics struct {
	registry                                   *prometheus.Registry
	transactionsCommitted, transactionsAborted prometheus.Counter
	fetchErrors, rebalances                    prometheus.Counter
}

func (m *groupMetrics) init() {
	m.registry = prometheus.NewRegistry()
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rtbwire_stream_" + name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	transactions := counters("transactions_total", "Transactions, by how they ended. What was read in one that is aborted is read again.", "result")
	m.transactionsCommitted, m.transactionsAborted = transactions.WithLabelValues("committed"), transactions.WithLabelValues("aborted")
	m.fetchErrors = counters("fetch_errors_total", "Errors of fetches and of the group that the client does not repair by itself.").WithLabelValues()
	m.rebalances = counters("rebalances_total", "Assignments of partitions to this member.").WithLabelValues()
}

// System is the name of what records come from, in traces.
func (g *Group) System() string { return "kafka" }

// Describe implements [prometheus.Collector].
func (g *Group) Describe(out chan<- *prometheus.Desc) { g.metrics.registry.Describe(out) }

// Collect implements [prometheus.Collector].
func (g *Group) Collect(out chan<- prometheus.Metric) { g.metrics.registry.Collect(out) }
