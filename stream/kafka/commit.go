package kafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/rtbwire/rtbwire/stream"
)

// Commit commits offsets for the group.
func (n *session) Commit(ctx context.Context, at []stream.Position) error {
	offsets, of := map[string]map[int32]kgo.EpochOffset{}, map[stream.LaneID]*stream.Position{}
	for i := range at {
		id := at[i].Lane.ID
		if offsets[id.Name] == nil {
			offsets[id.Name] = map[int32]kgo.EpochOffset{}
		}
		offsets[id.Name][id.Number] = n.leaders.at(id, at[i].At)
		of[id] = &at[i]
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
				} else if p := of[stream.LaneID{Name: t.Topic, Number: done.Partition}]; p != nil {
					p.Stored = true
					n.g.suspects.forget(p.Lane.ID, p.At)
				}
			}
		}
	})
	switch {
	case failed == nil:
		return nil
	case hopeless(failed):
		return stream.Fatal(fmt.Errorf("stream: offsets of group %q can't be committed: %w", n.o.Group, failed))
	case notMember(failed):
		return lost{failed}
	}
	return failed
}
