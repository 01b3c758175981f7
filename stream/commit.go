package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	commitTimeout = 10 * time.Second
	// commitAgain is the wait before the last commit of a partition is tried again.
	commitAgain = 100 * time.Millisecond
	// lostTimeout is how long records may take that are on their way when partitions are lost.
	lostTimeout = 5 * time.Second
)

// commitNowAndThen commits until ctx ends.
func (n *session) commitNowAndThen(ctx context.Context) {
	tick := time.NewTicker(n.o.CommitInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		// A commit is not cut short by the end of ctx: the last one would be sent on top of it.
		within, cancel := context.WithTimeout(n.work, commitTimeout)
		n.commitChecked(within, n.assignedPartitions)
		cancel()
	}
}

// commitChecked is commit, with what follows an error: nothing but a message, because the next
// commit has it all, unless commits never work.
func (n *session) commitChecked(ctx context.Context, some func() []*partition) error {
	err := n.commit(ctx, some)
	switch {
	case err == nil:
	case hopeless(err):
		n.fail(&fatal{fmt.Errorf("stream: offsets of group %q can't be committed: %w", n.o.Group, err)})
	case ctx.Err() == nil:
		n.s.log.warn("commit", "a commit failed; it is tried again", "group", n.o.Group, "error", err)
	}
	return err
}

// commit commits the positions that have moved. Partitions that some returns are not forgotten
// before it ends, so that nothing is committed for another member.
func (n *session) commit(ctx context.Context, some func() []*partition) error {
	n.committing.Lock()
	defer n.committing.Unlock()
	offsets, of := map[string]map[int32]kgo.EpochOffset{}, map[topicPartition]*partition{}
	for _, p := range some() {
		at, moved := p.uncommitted()
		if !moved {
			continue
		}
		if offsets[p.topic] == nil {
			offsets[p.topic] = map[int32]kgo.EpochOffset{}
		}
		offsets[p.topic][p.number] = at
		of[topicPartition{p.topic, p.number}] = p
	}
	if len(of) == 0 {
		return nil
	}
	var failed error
	n.cl.CommitOffsetsSync(ctx, offsets, func(_ *kgo.Client, req *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
		if failed = err; err != nil {
			return
		}
		names := map[[16]byte]string{}
		for _, t := range req.Topics {
			names[t.TopicID] = t.Topic
		}
		for _, t := range resp.Topics {
			if t.Topic == "" {
				t.Topic = names[t.TopicID]
			}
			for _, done := range t.Partitions {
				if err := kerr.ErrorForCode(done.ErrorCode); err != nil {
					failed = fmt.Errorf("topic %q, partition %d: %w", t.Topic, done.Partition, err)
				} else if p := of[topicPartition{t.Topic, done.Partition}]; p != nil {
					p.wasCommitted(offsets[t.Topic][done.Partition])
				}
			}
		}
	})
	m := &n.s.metrics
	if failed != nil {
		m.commitsFailed.Inc()
		return failed
	}
	m.commitsDone.Inc()
	m.committed.SetToCurrentTime()
	return nil
}

// commitLast commits partitions that leave, and tries again until it works, can't work, or ctx
// ends. It reports whether it is done.
func (n *session) commitLast(ctx context.Context, leaving []*partition) bool {
	for {
		err := n.commitChecked(ctx, func() []*partition { return leaving })
		switch {
		case err == nil:
			return true
		case ctx.Err() != nil, hopeless(err), notMember(err):
			return false
		}
		select {
		case <-time.After(commitAgain):
		case <-ctx.Done():
			return false
		}
	}
}

// notMember reports whether a commit failed because the group knows nothing of the member any more.
func notMember(err error) bool {
	return errors.Is(err, kerr.UnknownMemberID) || errors.Is(err, kerr.IllegalGeneration) || errors.Is(err, kerr.FencedInstanceID) ||
		errors.Is(err, kerr.UnknownTopicOrPartition) || errors.Is(err, kerr.UnknownTopicID)
}
