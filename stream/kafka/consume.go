package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
)

// consume reads until ctx ends.
func (n *session) consume(ctx context.Context) {
	for ctx.Err() == nil {
		polling, stop := context.WithCancel(ctx)
		n.again.wake.Store(&stop)
		if n.again.waits() {
			stop()
			n.cl.PollFetches(polling) // polls nothing; no rebalance begins until it is allowed
			n.readAgain()
		} else {
			n.f.Wait(polling)
			n.take(n.cl.PollFetches(polling))
			stop()
		}
		n.cl.AllowRebalance() // what was polled is in the lanes, where partitions that leave find it
	}
}

// take adds what was polled to the lanes. It never waits.
func (n *session) take(fetches kgo.Fetches) {
	fetches.EachPartition(func(f kgo.FetchTopicPartition) {
		if f.Err != nil {
			n.fetchFailed(f.Topic, f.Partition, f.Err)
		}
		lane := n.f.Lane(stream.LaneID{Name: f.Topic, Number: f.Partition})
		if lane == nil {
			return // an error that is about no partition
		}
		if f.Err == nil {
			lane.SetEnd(f.HighWatermark)
		}
		if len(f.Records) > 0 {
			n.add(lane, &f.FetchPartition)
		}
	})
}

// add adds what was fetched of a partition, and notes where reading went on elsewhere.
func (n *session) add(lane *stream.Lane, f *kgo.FetchPartition) {
	first := f.Records[0].Offset // once added, the record may be on its way out, see outgoing
	n.leaders.note(lane.ID, f.Records)
	n.records = appendRecords(n.records[:0], f.Records)
	expected := lane.Add(n.records)
	clear(n.records)
	if expected < 0 {
		return
	}
	switch {
	case first < expected:
		lane.Jumped("the partition is shorter than what was committed; reading goes on with what is there",
			"topic", lane.ID.Name, "partition", lane.ID.Number, "committed", expected, "from", n.o.From.String(), "offset", first)
	case f.LogStartOffset > expected:
		lane.Jumped("records were deleted before they were read",
			"topic", lane.ID.Name, "partition", lane.ID.Number, "expected", expected, "oldest", f.LogStartOffset, "offset", first)
	}
}

// appendRecords appends records as the stream knows them. Their headers share one slice.
func appendRecords(to []stream.Record, from []*kgo.Record) []stream.Record {
	count := 0
	for _, r := range from {
		count += len(r.Headers)
	}
	var all []stream.Header
	if count > 0 {
		all = make([]stream.Header, 0, count)
	}
	for _, r := range from {
		first := len(all)
		all = appendHeaders(all, r.Headers)
		to = append(to, stream.Record{
			Key: r.Key, Value: r.Value, Headers: all[first:len(all):len(all)], Time: r.Timestamp,
			Position: r.Offset, Next: r.Offset + 1, Mark: r.Attrs.IsControl(), Origin: r,
		})
	}
	return to
}

func appendHeaders(to []stream.Header, from []kgo.RecordHeader) []stream.Header {
	for _, h := range from {
		to = append(to, stream.Header(h))
	}
	return to
}

// fetchFailed decides what follows an error of a poll.
func (n *session) fetchFailed(topic string, partition int32, err error) {
	var loss *kgo.ErrDataLoss
	var session *kgo.ErrGroupSession
	var tooLarge *kgo.ErrDecompressTooLarge
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && topic == "" || errors.Is(err, kgo.ErrClientClosed) {
		return // of the poll
	}
	n.g.metrics.fetchErrors.Inc()
	switch {
	case errors.As(err, &loss):
		n.log.Warn("the brokers have lost records", "topic", topic, "partition", partition, "error", err)
	case errors.As(err, &tooLarge):
		n.f.Fail(stream.Fatal(fmt.Errorf("stream: topic %q, partition %d: the batch at offset %d inflates to more than MaxInFlight (--max-in-flight), %d bytes; with a larger one it can be read",
			topic, partition, tooLarge.Offset, n.of.MaxInFlight)))
	case hopeless(err):
		if topic != "" {
			err = fmt.Errorf("topic %q, partition %d: %w", topic, partition, err)
		}
		n.f.Fail(stream.Fatal(fmt.Errorf("stream: %w", err)))
	case errors.As(err, &session):
		n.f.Warn("group", "the group can't be joined, or this member was removed; it tries again", "group", n.o.Group, "error", err)
	case errors.Is(err, kerr.UnknownTopicID):
		n.f.Fail(fmt.Errorf("topic %q was deleted and made again: %w", topic, err))
	default: // the client does not fetch the partition again
		n.f.Fail(fmt.Errorf("topic %q, partition %d can't be read: %w", topic, partition, err))
	}
}
