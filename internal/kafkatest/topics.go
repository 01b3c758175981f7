package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func (c *Cluster) adminOf(tb testing.TB) *kadm.Client {
	tb.Helper()
	admin, err := c.Admin()
	if err != nil {
		tb.Fatal(err)
	}
	return admin
}

// within returns a context that ends when the test's patience does.
func within(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	tb.Cleanup(cancel)
	return ctx
}

// NewClient returns a client that ends with the test. Options come after those for the cluster.
func (c *Cluster) NewClient(tb testing.TB, opts ...kgo.Opt) *kgo.Client {
	tb.Helper()
	client, err := kgo.NewClient(append(c.Opts(), opts...)...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(client.Close)
	return client
}

// NewTopic makes a topic. Settings are pairs of a name and a value.
func (c *Cluster) NewTopic(tb testing.TB, topic string, partitions int, settings ...string) {
	tb.Helper()
	configs := map[string]*string{}
	for i := 0; i < len(settings); i += 2 {
		configs[settings[i]] = &settings[i+1]
	}
	if _, err := c.adminOf(tb).CreateTopic(within(tb), int32(partitions), -1, configs, topic); err != nil {
		tb.Fatalf("topic %s: %v", topic, err)
	}
	c.agree(tb, topic, partitions)
}

// DeleteTopic deletes a topic.
func (c *Cluster) DeleteTopic(tb testing.TB, topic string) {
	tb.Helper()
	if _, err := c.adminOf(tb).DeleteTopic(within(tb), topic); err != nil {
		tb.Fatalf("topic %s: %v", topic, err)
	}
	c.agree(tb, topic, 0)
}

// agree waits until every broker that is there knows a topic, with leaders for that many
// partitions, or with 0 until none knows it: they learn of changes a little later.
func (c *Cluster) agree(tb testing.TB, topic string, partitions int) {
	tb.Helper()
	for _, n := range c.nodes {
		if n.gone() {
			continue
		}
		client, err := kgo.NewClient(kgo.SeedBrokers(n.Address()))
		if err != nil {
			tb.Fatal(err)
		}
		persist(tb, func(ctx context.Context) error {
			request := kmsg.NewPtrMetadataRequest()
			request.Topics = []kmsg.MetadataRequestTopic{{Topic: &topic}}
			response, err := request.RequestWith(ctx, client.Broker(n.ID))
			if err != nil {
				return err
			}
			led := 0
			for _, p := range response.Topics[0].Partitions {
				if p.ErrorCode == 0 && p.Leader >= 0 {
					led++
				}
			}
			if led != partitions {
				return fmt.Errorf("topic %s has %d partitions at broker %d, want %d", topic, led, n.ID, partitions)
			}
			return nil
		})
		client.Close()
	}
}

// Positions are offsets by topic and partition.
type Positions map[string]map[int32]int64

// Sum adds them up.
func (p Positions) Sum() (sum int64) {
	for _, partitions := range p {
		for _, at := range partitions {
			sum += at
		}
	}
	return sum
}

// Ends returns the offset after the last record of each partition.
func (c *Cluster) Ends(tb testing.TB, topics ...string) Positions {
	tb.Helper()
	admin, all := c.adminOf(tb), Positions{}
	persist(tb, func(ctx context.Context) error {
		offsets, err := admin.ListEndOffsets(ctx, topics...)
		if err == nil {
			err = offsets.Error()
		}
		if err == nil {
			offsets.Each(func(o kadm.ListedOffset) { all.set(o.Topic, o.Partition, o.Offset) })
		}
		return err
	})
	return all
}

// persist tries something until it works: brokers of tests come and go.
//
// The client asks the brokers that it knows again and again, and an attempt of its own can take
// longer than the test has.
func persist(tb testing.TB, try func(context.Context) error) {
	tb.Helper()
	for end := time.Now().Add(Patience); ; time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), attempt)
		err := try(ctx)
		cancel()
		switch {
		case err == nil:
			return
		case time.Now().After(end):
			tb.Fatal(err)
		case errors.Is(err, context.DeadlineExceeded):
			tb.Logf("no answer for %v: it is asked again", attempt)
		}
	}
}

func (p Positions) set(topic string, partition int32, at int64) {
	if p[topic] == nil {
		p[topic] = map[int32]int64{}
	}
	p[topic][partition] = at
}

// Committed returns the offsets that a group has committed; none if there is no such group. It
// waits for the end of transactions: their producer goes on once a commit is decided, and the
// offsets are written a little later.
func (c *Cluster) Committed(tb testing.TB, group string) Positions {
	tb.Helper()
	admin, all := c.adminOf(tb), Positions{}
	var fresh *kgo.Client
	defer func() {
		if fresh != nil {
			fresh.Close()
		}
	}()
	persist(tb, func(ctx context.Context) error {
		offsets, err := admin.FetchOffsets(kadm.RequireStable(ctx), group)
		if errors.Is(err, kerr.GroupIDNotFound) {
			return nil
		}
		if err == nil {
			err = offsets.Error()
		}
		if err != nil && !errors.Is(err, kerr.UnstableOffsetCommit) {
			// Once a client knows the coordinator of a group, it asks no other broker for offsets,
			// also when that broker is gone and the group has another one (franz-go v1.22.2).
			client, newErr := kgo.NewClient(c.Opts()...)
			if newErr != nil {
				return newErr
			}
			if fresh != nil {
				fresh.Close()
			}
			admin, fresh = kadm.NewClient(client), client
		}
		if err != nil {
			return err
		}
		offsets.Each(func(o kadm.OffsetResponse) { all.set(o.Topic, o.Partition, o.At) })
		return nil
	})
	return all
}

// Produce writes records, and waits until all of them are there. They keep the partition that they
// name.
func (c *Cluster) Produce(tb testing.TB, records []*kgo.Record, opts ...kgo.Opt) {
	tb.Helper()
	client := c.NewClient(tb, append([]kgo.Opt{
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchMaxBytes(8 << 20),
	}, opts...)...)
	defer client.Close()
	if err := client.ProduceSync(within(tb), records...).FirstErr(); err != nil {
		tb.Fatal(err)
	}
}

// Read returns all records of topics, in each partition in their order, as a reader of committed
// records sees them. What is part of a transaction that is still open is waited for.
func (c *Cluster) Read(tb testing.TB, topics ...string) (records []*kgo.Record) {
	tb.Helper()
	ends := c.Ends(tb, topics...)
	left := map[string]map[int32]int64{} // how far to read, without the partitions that are done
	from := map[string]map[int32]kgo.Offset{}
	for topic, partitions := range ends {
		for partition, end := range partitions {
			if end == 0 {
				continue
			}
			if left[topic] == nil {
				left[topic], from[topic] = map[int32]int64{}, map[int32]kgo.Offset{}
			}
			left[topic][partition], from[topic][partition] = end, kgo.NewOffset().At(0)
		}
	}
	if len(left) == 0 {
		return nil
	}
	// Control records tell where a transaction has ended; a partition can end with one.
	client := c.NewClient(tb, kgo.ConsumePartitions(from), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), kgo.FetchMaxBytes(16<<20), kgo.FetchMaxPartitionBytes(8<<20))
	defer client.Close()
	ctx := within(tb)
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			tb.Fatalf("after %d records, these partitions have more: %v", len(records), left)
		}
		fetches.EachError(func(topic string, partition int32, err error) {
			tb.Logf("%s/%d: %v", topic, partition, err)
		})
		fetches.EachRecord(func(r *kgo.Record) {
			if !r.Attrs.IsControl() {
				records = append(records, r)
			}
			if r.Offset+1 >= left[r.Topic][r.Partition] {
				delete(left[r.Topic], r.Partition)
				if len(left[r.Topic]) == 0 {
					delete(left, r.Topic)
				}
			}
		})
	}
	return records
}

// Header returns the value of a record's last header of that name, and whether it has one.
func Header(r *kgo.Record, name string) (value []byte, ok bool) {
	for _, h := range r.Headers {
		if h.Key == name {
			value, ok = h.Value, true
		}
	}
	return value, ok
}
