package stream

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// inputTopic is the topic that all contestants read.
const inputTopic = "bids"

// Traffic is what the records are: requests as live exchanges send them, one in forty of them with
// a defect or a payload.
var Traffic = simulate.Config{Seed: 21, Shape: simulate.Full, Defects: simulate.Percent(2), Payloads: simulate.Percent(1) / 2}

// input describes the topic.
type input struct {
	bytes  float64 // mean length of a value
	stored float64 // bytes of the broker's disk for a record
}

// fill makes the topic: the request's id is the key, and there are two headers.
func (b *broker) fill(ctx context.Context, records, partitions int) (in input, err error) {
	if err := b.create(ctx, partitions, inputTopic); err != nil {
		return in, err
	}
	g, err := simulate.New(Traffic)
	if err != nil {
		return in, err
	}
	var mu sync.Mutex
	var failed error
	for n := range records {
		value, label := g.AppendRequest(nil, uint64(n))
		in.bytes += float64(len(value)) / float64(records)
		r := &kgo.Record{
			Topic: inputTopic, Partition: int32(n % partitions), Key: []byte(label.ID()), Value: value,
			Headers: []kgo.RecordHeader{{Key: "exchange", Value: []byte("exchange-a")}, {Key: "region", Value: []byte("eu-west")}},
		}
		b.client.Produce(ctx, r, func(_ *kgo.Record, err error) {
			if err != nil {
				mu.Lock()
				failed = err
				mu.Unlock()
			}
		})
	}
	if err := b.client.Flush(ctx); err != nil {
		return in, err
	}
	if failed != nil {
		return in, failed
	}
	stored, err := b.stored(ctx, inputTopic)
	in.stored = float64(stored) / float64(records)
	return in, err
}
