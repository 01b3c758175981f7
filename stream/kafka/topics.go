package kafka

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
)

// batchDefault is the largest batch of a topic that nobody has configured.
const batchDefault = 1000012

// batchExtra is what a batch may take besides the value of a record: its key and headers.
const batchExtra = 64 << 10

// requestMax is the largest batch that fits into a request, as brokers take them by default.
const requestMax = 96 << 20

// topicsPatience is how long topics that were there may be missing.
const topicsPatience = 30 * time.Second

// askTimeout bounds questions about topics.
const askTimeout = 15 * time.Second

// catalog is what is known of the topics.
type catalog struct {
	ids    map[string]kadm.TopicID          // of the topics that are read
	limits map[string]topicLimits           // by topic that is written
	counts atomic.Pointer[map[string]int32] // how many partitions a topic has that is read
}

// topics asks what is known of the topics: whether those that are written are there, how large
// their batches may be, and how many partitions those have that are read.
func (n *session) topics(ctx context.Context) error {
	cl, err := kgo.NewClient(n.connection()...)
	if err != nil {
		return stream.Fatal(fmt.Errorf("stream: %w", err))
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	admin := kadm.NewClient(cl)
	found, err := admin.ListTopics(ctx, append(n.o.written(), n.o.Topics...)...)
	if err != nil {
		if hopeless(err) || refusesClient(err) && !n.g.connected.Load() {
			return stream.Fatal(fmt.Errorf("stream: no connection to the brokers: %w", err))
		}
		return fmt.Errorf("no connection to the brokers: %w", err)
	}
	for _, topic := range n.o.written() {
		if err := n.missing(topic, found[topic].Err); err != nil {
			return err
		}
	}
	n.g.missingSince = time.Time{}
	counts := map[string]int32{}
	n.known.ids = map[string]kadm.TopicID{}
	for _, topic := range n.o.Topics {
		switch err := found[topic].Err; {
		case err == nil:
			counts[topic], n.known.ids[topic] = int32(len(found[topic].Partitions)), found[topic].ID
		case hopeless(err):
			return stream.Fatal(fmt.Errorf("stream: topic %q can't be read: %w", topic, err))
		default:
			n.log.Warn("the topic can't be read yet", "topic", topic, "error", err)
		}
	}
	n.known.counts.Store(&counts)
	if n.g.began == nil {
		n.g.began = counts
	}
	n.known.limits = n.topicLimits(ctx, admin)
	n.g.connected.Store(true)
	return nil
}

// missing decides about a topic that is written and has an error.
func (n *session) missing(topic string, err error) error {
	switch {
	case err == nil:
		return nil
	case hopeless(err):
		return stream.Fatal(fmt.Errorf("stream: topic %q can't be written: %w", topic, err))
	case !errors.Is(err, kerr.UnknownTopicOrPartition):
		return fmt.Errorf("topic %q can't be written: %w", topic, err)
	case n.g.connected.Load() && n.g.missingSince.IsZero():
		n.g.missingSince = time.Now()
		fallthrough
	case n.g.connected.Load() && time.Since(n.g.missingSince) < topicsPatience:
		return fmt.Errorf("topic %q is missing: %w", topic, err)
	}
	return stream.Fatal(fmt.Errorf("stream: topic %q does not exist: %w", topic, err))
}

// topicLimits are what a topic takes.
type topicLimits struct {
	batch int // the size of the largest batch
	// past and future are how far the timestamp of a record may be from now, in milliseconds.
	past, future int64
}

// timeNoLimit is for topics that take all timestamps. A time may be added to it.
const timeNoLimit = math.MaxInt64 / 2

// topicLimits returns the limits of each topic that is written. If the brokers do not say, they are
// those of a topic that nobody has configured, and all timestamps are tried.
func (n *session) topicLimits(ctx context.Context, admin *kadm.Client) map[string]topicLimits {
	o := n.o
	// The largest batch is filled with small records too, so that only dead letters and responses,
	// which are few or long, get as much as their topic takes.
	largest := map[string]int{o.Accepted: max(batchDefault, n.of.MaxRecord+batchExtra), o.Responses: requestMax, o.DeadLetters: requestMax}
	limits := map[string]topicLimits{}
	for _, topic := range o.written() {
		limits[topic] = topicLimits{batchDefault, timeNoLimit, timeNoLimit}
	}
	configs, err := admin.DescribeTopicConfigs(ctx, o.written()...)
	if err != nil {
		n.log.Debug("the brokers do not say what topics take", "error", err)
		return limits
	}
	for _, topic := range configs {
		limits[topic.Name] = limits[topic.Name].configured(topic.Configs, largest[topic.Name])
	}
	return limits
}

// configured returns the limits with what a topic's configuration says about them.
func (l topicLimits) configured(configs []kadm.Config, largest int) topicLimits {
	for _, c := range configs {
		if c.Value == nil {
			continue
		}
		value, err := strconv.ParseInt(*c.Value, 10, 64)
		if err != nil || value < 0 {
			continue
		}
		switch c.Key {
		case "max.message.bytes":
			l.batch = int(min(max(value, batchMin), int64(largest)))
		case "message.timestamp.before.max.ms":
			l.past = min(value, timeNoLimit)
		case "message.timestamp.after.max.ms":
			l.future = min(value, timeNoLimit)
		}
	}
	return l
}

// batchMin is the smallest limit that the client takes.
const batchMin = 512

// batchMax is the size of the largest batch for a topic.
func (c *catalog) batchMax(topic string) int32 {
	if limit := c.limits[topic].batch; limit > 0 {
		return int32(limit)
	}
	return batchDefault
}

const (
	// timeMargin is how far inside its limits a timestamp must be, in milliseconds, but at most
	// half of them: the record is on its way for a while, and clocks differ.
	timeMargin = 10_000
	// timeNone is the timestamp of a record without one, which every topic takes.
	timeNone = -1
)

// timely reports whether a topic takes the timestamp of a record.
func (c *catalog) timely(r *stream.Record, topic string, now time.Time) bool {
	l, at, ms := c.limits[topic], r.Time.UnixMilli(), now.UnixMilli()
	return r.Time.IsZero() || at == timeNone || at >= ms-inside(l.past) && at <= ms+inside(l.future)
}

func inside(limit int64) int64 { return limit - min(timeMargin, limit/2) }

// What a batch and a record take at most besides keys, values and headers, in bytes.
const (
	batchHead  = 61
	recordHead = 36
	headerHead = 10
	// timeHeader is what a record gets whose timestamp the topic does not take.
	timeHeader = headerHead + len(stream.HeaderTime) + 20
)

// fits reports whether a record can be written to a topic, in a batch of its own.
func (c *catalog) fits(r *stream.Record, topic string) bool {
	size := batchHead + recordHead + timeHeader + len(r.Key) + len(r.Value) + sizeOf(r.Added)
	for i := range r.Headers {
		size += headerHead + len(stream.SenderHeader(r.Headers[i].Key)) + len(r.Headers[i].Value)
	}
	return size <= c.limits[topic].batch
}

func sizeOf(headers []stream.Header) (size int) {
	for i := range headers {
		size += headerHead + len(headers[i].Key) + len(headers[i].Value)
	}
	return size
}

// partitionsOf returns how many partitions a topic has that is read; 0 if that is not known.
func (c *catalog) partitionsOf(topic string) int32 { return (*c.counts.Load())[topic] }
