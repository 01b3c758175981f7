package kafka

import (
	"context"
	"maps"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/rtbwire/rtbwire/stream"
)

// lagInterval is the time between two questions about the ends of partitions.
const lagInterval = 5 * time.Second

// measure asks now and then how long the partitions are: fetches say so too, but there are none
// while the stream waits for its destination. It also sees topics that get more partitions.
func (n *session) measure(ctx context.Context) {
	tick := time.NewTicker(lagInterval)
	defer tick.Stop()
	admin := kadm.NewClient(n.cl)
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		n.measureOnce(ctx, admin)
	}
}

func (n *session) measureOnce(ctx context.Context, admin *kadm.Client) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	ends, err := admin.ListEndOffsets(ctx, n.o.Topics...)
	if err != nil {
		n.log.Debug("the brokers do not say how long the partitions are", "error", err)
		return
	}
	counts := maps.Clone(*n.known.counts.Load())
	for topic, numbers := range ends {
		if many := int32(len(numbers)); many > counts[topic] {
			counts[topic] = many
			n.cl.ForceMetadataRefresh() // so that they are assigned to somebody soon
		}
		for number, end := range numbers {
			if lane := n.f.Lane(stream.LaneID{Name: topic, Number: number}); lane != nil && end.Err == nil {
				lane.SetEnd(end.Offset)
			}
		}
	}
	n.known.counts.Store(&counts)
}
