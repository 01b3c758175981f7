package kafka

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/rtbwire/rtbwire/stream"
)

// The client calls these while no poll is under way; see [kgo.BlockRebalanceOnPoll].

// assigned is called with the partitions that come, before they are read.
func (n *session) assigned(_ context.Context, _ *kgo.Client, came map[string][]int32) {
	for topic, numbers := range came {
		for _, number := range numbers {
			id := stream.LaneID{Name: topic, Number: number}
			n.leaders.forget(id)
			n.f.Add(id)
		}
	}
	all := len(n.f.Lanes())
	n.g.metrics.rebalances.Inc()
	if !n.f.Ready() {
		n.log.Info("partitions assigned", "added", listed(came), "assigned", all)
		return
	}
	n.log.Info("consuming", "topic", strings.Join(n.o.Topics, ","), "group", n.o.Group, "assigned", all)
}

// offsetsFetched notes what the group had committed.
func (n *session) offsetsFetched(_ context.Context, _ *kgo.Client, resp *kmsg.OffsetFetchResponse) error {
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for _, own := range t.Partitions {
				n.hadCommitted(t.Topic, own.Partition, own.Offset)
			}
		}
	}
	for _, t := range resp.Topics {
		for _, own := range t.Partitions {
			n.hadCommitted(t.Topic, own.Partition, own.Offset)
		}
	}
	return nil
}

func (n *session) hadCommitted(topic string, number int32, offset int64) {
	if lane := n.f.Lane(stream.LaneID{Name: topic, Number: number}); lane != nil && offset >= 0 {
		lane.Begin(offset)
	}
}

// revoked is called with the partitions that go to another member. It waits for what is on its way,
// and commits it.
func (n *session) revoked(_ context.Context, _ *kgo.Client, going map[string][]int32) {
	if len(going) > 0 {
		n.leave()
	}
	ctx, cancel := context.WithTimeout(n.f.Work(), revokeTimeout)
	defer cancel()
	leaving := n.lanes(going)
	if len(leaving) == 0 {
		return
	}
	if n.txn == nil {
		n.f.Release(ctx, leaving)
	} else { // nothing is on its way: the transaction has ended
		n.f.Drop(ctx, leaving)
	}
	n.remember(leaving)
	n.log.Info("partitions revoked", "removed", listed(going))
}

// OnGroupManageError implements [kgo.HookGroupManageError]: nothing is read until partitions are
// assigned again, which may be none. The error comes with the next poll too, see fetchFailed.
func (n *session) OnGroupManageError(error) {
	n.f.NotReady("it is no member of its group, because the brokers can't be reached or have removed it; the log has the error")
}

// leave notes that partitions leave.
func (n *session) leave() {
	n.left.Store(true)
	if n.txn != nil {
		n.txn.wake()
	}
}

// lost is called with partitions that another member may have already. Nothing is committed.
func (n *session) lost(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
	n.leave()
	leaving := n.lanes(gone)
	if len(leaving) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(n.f.Work(), lostTimeout)
	defer cancel()
	n.f.Drop(ctx, leaving)
	n.remember(leaving)
	n.log.Warn("partitions lost: the group has removed this member", "removed", listed(gone))
}

// lanes returns the lanes of partitions.
func (n *session) lanes(m map[string][]int32) (some []*stream.Lane) {
	for topic, numbers := range m {
		for _, number := range numbers {
			if lane := n.f.Lane(stream.LaneID{Name: topic, Number: number}); lane != nil {
				some = append(some, lane)
			}
		}
	}
	return some
}

// blocked is called when a rebalance waits for the end of a transaction.
func (n *session) blocked(context.Context, *kgo.Client) {
	if n.txn != nil {
		n.txn.endSoon()
	}
}

// listed returns partitions as a text, "bids/0,1,2".
func listed(m map[string][]int32) string {
	var b strings.Builder
	topics := make([]string, 0, len(m))
	for topic := range m {
		topics = append(topics, topic)
	}
	slices.Sort(topics)
	for _, topic := range topics {
		numbers := slices.Sorted(slices.Values(m[topic]))
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(topic)
		for i, number := range numbers {
			b.WriteString(map[bool]string{true: "/", false: ","}[i == 0])
			b.WriteString(strconv.Itoa(int(number)))
		}
	}
	return b.String()
}

// beginAt decides where partitions begin that have no commit. Where that is the end, the end of now
// is noted and committed soon: a session that begins anew must not skip what came in between.
// Partitions that were added to a topic begin at their start, whatever was asked for: it is later
// than the end of the others.
func (n *session) beginAt(ctx context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	n.goOn(offsets)
	if n.o.From != Latest {
		return offsets, nil
	}
	var topics []string
	for topic, numbers := range offsets {
		for _, at := range numbers {
			if at.EpochOffset().Offset < 0 {
				topics = append(topics, topic)
				break
			}
		}
	}
	if len(topics) == 0 {
		return offsets, nil
	}
	admin := kadm.NewClient(n.cl)
	ends, err := admin.ListEndOffsets(ctx, topics...)
	if err != nil {
		return nil, err
	}
	commits, err := admin.FetchOffsets(ctx, n.o.Group)
	if err != nil {
		return nil, err
	}
	for topic, numbers := range offsets {
		known := slices.ContainsFunc(slices.Collect(maps.Values(commits[topic])), func(o kadm.OffsetResponse) bool { return o.At >= 0 })
		for number, at := range numbers {
			end, ok := ends.Lookup(topic, number)
			lane := n.f.Lane(stream.LaneID{Name: topic, Number: number})
			if at.EpochOffset().Offset >= 0 || !ok || end.Err != nil || lane == nil {
				continue
			}
			if known || number >= n.g.began[topic] {
				numbers[number] = kgo.NewOffset().AtStart()
				continue
			}
			numbers[number] = kgo.NewOffset().At(end.Offset)
			lane.Resume(end.Offset)
		}
	}
	return offsets, nil
}

// goOn lets partitions begin after what this process has delivered and could not commit.
func (n *session) goOn(offsets map[string]map[int32]kgo.Offset) {
	for topic, numbers := range offsets {
		for number, at := range numbers {
			id := stream.LaneID{Name: topic, Number: number}
			delivered, past := n.recall(id, at.EpochOffset().Offset)
			lane := n.f.Lane(id)
			if !past || lane == nil {
				continue
			}
			numbers[number] = kgo.NewOffset().At(delivered.Offset).WithEpoch(delivered.Epoch)
			n.leaders.resume(id, delivered)
			lane.Resume(delivered.Offset)
		}
	}
}
