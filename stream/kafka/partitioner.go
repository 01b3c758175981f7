package kafka

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
)

// route gives a record its topic, and tells the partitioner where it was read: the partition, and
// in Offset, which has no meaning for a record that is written, how many partitions its topic has.
func (n *session) route(r *kgo.Record, from stream.LaneID, topic string) {
	r.Topic, r.Partition, r.Offset = topic, from.Number, int64(n.known.partitionsOf(from.Name))
}

// samePartition writes a record to the partition with the number of the one that it was read from,
// if both topics have as many. Otherwise its key decides, as Kafka's own clients do it. A record
// without a key goes to a partition that depends on the one it was read from alone. So all records
// of a partition that have the same key, or none, keep their order.
type samePartition struct{ byKey kgo.TopicPartitioner }

// ForTopic implements [kgo.Partitioner].
func (samePartition) ForTopic(topic string) kgo.TopicPartitioner {
	return samePartition{kgo.StickyKeyPartitioner(nil).ForTopic(topic)}
}

// RequiresConsistency implements [kgo.TopicPartitioner]: a record waits for its partition.
func (samePartition) RequiresConsistency(*kgo.Record) bool { return true }

// Partition implements [kgo.TopicPartitioner].
func (s samePartition) Partition(r *kgo.Record, n int) int {
	switch {
	case r.Offset == int64(n) && int(r.Partition) < n:
		return int(r.Partition)
	case r.Key != nil:
		return s.byKey.Partition(r, n)
	}
	return int(r.Partition) % n
}
