//go:build unix

package kafka

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/internal/kafkatest"
)

// history logs what a partition of a topic holds, whatever was committed: runs of records of one
// producer, and the ends of transactions between them.
func (s *stage) history(t *testing.T, topic string, partition int32) {
	t.Helper()
	end := s.Ends(t, topic)[topic][partition]
	if end == 0 {
		return
	}
	client := s.NewClient(t, kgo.KeepControlRecords(), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {partition: kgo.NewOffset().At(0)}}))
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), kafkatest.Patience)
	defer cancel()
	var run string
	var first, last int64
	lines := 0
	show := func() {
		if run != "" && lines < 60 {
			t.Logf("%s/%d: offsets %d to %d: %s", topic, partition, first, last, run)
			lines++
		}
	}
	for at := int64(0); at < end && ctx.Err() == nil; {
		client.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
			what := fmt.Sprintf("records of producer %d, epoch %d, transactional %v", r.ProducerID, r.ProducerEpoch, r.Attrs.IsTransactional())
			if r.Attrs.IsControl() && len(r.Key) >= 4 {
				what = fmt.Sprintf("end of a transaction of producer %d, epoch %d, commit %v", r.ProducerID, r.ProducerEpoch, binary.BigEndian.Uint16(r.Key[2:]) == 1)
			}
			if what != run {
				show()
				run, first = what, r.Offset
			}
			last, at = r.Offset, r.Offset+1
		})
	}
	show()
}
