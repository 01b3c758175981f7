package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// consume reads until ctx ends.
func (n *session) consume(ctx context.Context) {
	for ctx.Err() == nil {
		n.room.wait(ctx)
		n.take(n.cl.PollFetches(ctx))
		n.cl.AllowRebalance() // what was polled is in the queues, where partitions that leave find it
	}
}

// take queues what was polled. It never waits.
func (n *session) take(fetches kgo.Fetches) (records int) {
	fetches.EachPartition(func(f kgo.FetchTopicPartition) {
		if f.Err != nil {
			n.fetchFailed(f.Topic, f.Partition, f.Err)
		}
		p := n.partition(f.Topic, f.Partition)
		if p == nil {
			return // an error that is of no partition
		}
		back := p.check(&f.FetchPartition)
		if len(f.Records) > 0 {
			p.add(f.Records, back)
			records += len(f.Records)
		}
	})
	return records
}

// check notes what a fetch says about the partition, and where reading went on elsewhere. It
// reports whether that is before what was read already.
func (p *partition) check(f *kgo.FetchPartition) (back bool) {
	p.mu.Lock()
	expected := p.expected
	if f.Err == nil {
		p.end = f.HighWatermark
	}
	if len(f.Records) > 0 {
		p.expected = f.Records[len(f.Records)-1].Offset + 1
	}
	p.mu.Unlock()
	if expected < 0 || len(f.Records) == 0 {
		return false
	}
	switch first := f.Records[0].Offset; {
	case first < expected:
		p.n.s.metrics.resets.Inc()
		p.n.o.Log.Warn("the partition is shorter than what was committed; reading goes on with what is there",
			"topic", p.topic, "partition", p.number, "committed", expected, "from", p.n.o.From.String(), "offset", first)
		return true
	case f.LogStartOffset > expected:
		p.n.s.metrics.resets.Inc()
		p.n.o.Log.Warn("records were deleted before they were read",
			"topic", p.topic, "partition", p.number, "expected", expected, "oldest", f.LogStartOffset, "offset", first)
	}
	return false
}

// fetchFailed decides what follows an error of a poll.
func (n *session) fetchFailed(topic string, partition int32, err error) {
	var loss *kgo.ErrDataLoss
	var session *kgo.ErrGroupSession
	var tooLarge *kgo.ErrDecompressTooLarge
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && topic == "" || errors.Is(err, kgo.ErrClientClosed) {
		return // of the poll
	}
	n.s.metrics.fetchErrors.Inc()
	switch {
	case errors.As(err, &loss):
		n.o.Log.Warn("the brokers have lost records", "topic", topic, "partition", partition, "error", err)
	case errors.As(err, &tooLarge):
		n.fail(&fatal{fmt.Errorf("stream: topic %q, partition %d: the batch at offset %d inflates to more than MaxInFlight (--max-in-flight), %d bytes; with a larger one it can be read",
			topic, partition, tooLarge.Offset, n.o.MaxInFlight)})
	case hopeless(err):
		if topic != "" {
			err = fmt.Errorf("topic %q, partition %d: %w", topic, partition, err)
		}
		n.fail(&fatal{fmt.Errorf("stream: %w", err)})
	case errors.As(err, &session):
		n.s.log.warn("group", "the group can't be joined, or this member was removed; it tries again", "group", n.o.Group, "error", err)
	case errors.Is(err, kerr.UnknownTopicID):
		n.fail(fmt.Errorf("topic %q was deleted and made again: %w", topic, err))
	default: // the client does not fetch the partition again
		n.fail(fmt.Errorf("topic %q, partition %d can't be read: %w", topic, partition, err))
	}
}
