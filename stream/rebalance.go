package stream

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The client calls these while no poll is under way; see [kgo.BlockRebalanceOnPoll].

// assigned is called with the partitions that come, before they are read.
func (n *session) assigned(_ context.Context, _ *kgo.Client, came map[string][]int32) {
	n.mu.Lock()
	for topic, numbers := range came {
		for _, number := range numbers {
			n.partitions[topicPartition{topic, number}] = newPartition(n, topic, number)
		}
	}
	all := len(n.partitions)
	n.mu.Unlock()
	n.s.metrics.rebalances.Inc()
	if n.s.ready.Swap(true) {
		n.o.Log.Info("partitions assigned", "added", listed(came), "assigned", all)
		return
	}
	n.o.Log.Info("consuming", "topic", strings.Join(n.o.Topics, ","), "group", n.o.Group, "assigned", all)
}

// offsetsFetched notes what the group had committed.
func (n *session) offsetsFetched(_ context.Context, _ *kgo.Client, resp *kmsg.OffsetFetchResponse) error {
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for _, own := range t.Partitions {
				n.hadCommitted(t.Topic, own.Partition, own.LeaderEpoch, own.Offset)
			}
		}
	}
	for _, t := range resp.Topics {
		for _, own := range t.Partitions {
			n.hadCommitted(t.Topic, own.Partition, own.LeaderEpoch, own.Offset)
		}
	}
	return nil
}

func (n *session) hadCommitted(topic string, number, epoch int32, offset int64) {
	if p := n.partition(topic, number); p != nil && offset >= 0 {
		p.mu.Lock()
		p.expected, p.committed = offset, kgo.EpochOffset{Epoch: epoch, Offset: offset}
		p.mu.Unlock()
	}
}

// revoked is called with the partitions that go to another member. It waits for what is on its way,
// and commits it.
func (n *session) revoked(_ context.Context, _ *kgo.Client, going map[string][]int32) {
	if len(going) > 0 {
		n.leaves()
	}
	ctx, cancel := context.WithTimeout(n.work, revokeTimeout)
	defer cancel()
	leaving := n.known(going)
	if len(leaving) == 0 {
		return
	}
	if n.txn == nil { // otherwise nothing is on its way: the transaction has ended
		n.settle(ctx, leaving)
		n.commitLast(ctx, leaving)
	}
	n.forget(leaving)
	n.o.Log.Info("partitions revoked", "removed", listed(going))
}

// lost is called with partitions that another member may have already. Nothing is committed.
func (n *session) lost(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
	n.leaves()
	leaving := n.known(gone)
	if len(leaving) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(n.work, lostTimeout)
	defer cancel()
	n.settle(ctx, leaving) // so that it is known what was delivered
	n.forget(leaving)
	n.o.Log.Warn("partitions lost: the group has removed this member", "removed", listed(gone))
}

// known returns the states of partitions.
func (n *session) known(m map[string][]int32) (some []*partition) {
	for topic, numbers := range m {
		for _, number := range numbers {
			if p := n.partition(topic, number); p != nil {
				some = append(some, p)
			}
		}
	}
	return some
}

// settle stops partitions and waits for what is on its way, at most until ctx ends. It reports
// whether all has arrived.
func (n *session) settle(ctx context.Context, some []*partition) bool {
	for _, p := range some {
		p.stop()
	}
	settled := true
	for _, p := range some {
		settled = p.wait(ctx) && settled
	}
	return settled
}

// forget drops partitions. A commit that is under way ends first.
func (n *session) forget(some []*partition) {
	n.committing.Lock()
	defer n.committing.Unlock()
	var dropped sync.WaitGroup
	for _, p := range some {
		n.remember(p)
		n.mu.Lock()
		delete(n.partitions, topicPartition{p.topic, p.number})
		n.mu.Unlock()
		dropped.Go(p.drop)
	}
	dropped.Wait()
}

// blocked is called when a rebalance waits for the end of a transaction.
func (n *session) blocked(context.Context, *kgo.Client) {
	select {
	case n.asked <- struct{}{}:
	default:
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
			p := n.partition(topic, number)
			if at.EpochOffset().Offset >= 0 || !ok || end.Err != nil || p == nil {
				continue
			}
			if known || number >= n.s.began[topic] {
				numbers[number] = kgo.NewOffset().AtStart()
				continue
			}
			numbers[number] = kgo.NewOffset().At(end.Offset)
			p.mu.Lock()
			p.position = kgo.EpochOffset{Epoch: -1, Offset: end.Offset}
			p.mu.Unlock()
		}
	}
	return offsets, nil
}

// goOn lets partitions begin after what this process has delivered and could not commit.
func (n *session) goOn(offsets map[string]map[int32]kgo.Offset) {
	for topic, numbers := range offsets {
		for number, at := range numbers {
			delivered, past := n.recall(topic, number, at.EpochOffset().Offset)
			p := n.partition(topic, number)
			if !past || p == nil {
				continue
			}
			numbers[number] = kgo.NewOffset().At(delivered.Offset).WithEpoch(delivered.Epoch)
			p.mu.Lock()
			p.position, p.expected = delivered, delivered.Offset
			p.mu.Unlock()
		}
	}
}
