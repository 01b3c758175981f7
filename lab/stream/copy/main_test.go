package main

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	partitions = 3
	records    = 500
	firstTime  = 1_700_000_000_000 // ms
)

// produce writes the records from first on.
func produce(t *testing.T, c *kgo.Client, first int) {
	t.Helper()
	for i := first; i < first+records; i++ {
		r := &kgo.Record{
			Topic: "from", Partition: int32(i % partitions), Key: fmt.Append(nil, "key ", i), Value: strconv.AppendInt(nil, int64(i), 10),
			Headers: []kgo.RecordHeader{{Key: "n", Value: fmt.Append(nil, i)}}, Timestamp: time.UnixMilli(int64(firstTime + i)),
		}
		if err := c.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCopies copies records in two runs, with a clean stop between: each of them arrives once, in
// its order, with everything it has, and everything is committed.
func TestCopies(t *testing.T) {
	for _, exactlyOnce := range []bool{false, true} {
		t.Run(fmt.Sprint("exactlyOnce=", exactlyOnce), func(t *testing.T) {
			cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, "from", "to"))
			if err != nil {
				t.Fatal(err)
			}
			defer cluster.Close()
			o := &options{brokers: cluster.ListenAddrs()[0], topic: "from", group: "g", to: "to", exactlyOnce: exactlyOnce, interval: 100 * time.Millisecond}
			c, err := kgo.NewClient(kgo.SeedBrokers(o.brokers), kgo.ConsumeTopics("to"), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
				kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			next := [partitions]int{0, 1, 2}
			for half := range 2 {
				produce(t, c, half*records)
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- run(ctx, o); stop() }()
				late := time.AfterFunc(time.Minute, stop)
				for n := 0; n < records; {
					f := c.PollFetches(ctx)
					if err := f.Err(); err != nil {
						t.Fatalf("%d of %d records have arrived: %v; %v", n, records, err, <-ended)
					}
					f.EachRecord(func(r *kgo.Record) {
						n++
						i := next[r.Partition]
						next[r.Partition] += partitions
						want := fmt.Sprintf("%d key %d %d %d", i, i, firstTime+i, i)
						if got := fmt.Sprintf("%s %s %d %s", r.Value, r.Key, r.Timestamp.UnixMilli(), r.Headers[0].Value); got != want {
							t.Errorf("partition %d: got %s, want %s", r.Partition, got, want)
						}
					})
				}
				late.Stop()
				stop()
				if err := <-ended; err != nil {
					t.Fatal(err)
				}
			}
			offsets, err := kadm.NewClient(c).FetchOffsets(t.Context(), "g")
			if err != nil {
				t.Fatal(err)
			}
			sum := int64(0)
			offsets.Each(func(r kadm.OffsetResponse) { sum += r.At })
			if sum != 2*records {
				t.Errorf("%d offsets are committed, want %d", sum, 2*records)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	if err := run(t.Context(), &options{brokers: "127.0.0.1:1"}); err == nil {
		t.Error("topics and groups without names were accepted")
	}
}
