//go:build unix

package kafka

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/internal/kafkatest"
)

// codecs are all ways in which Kafka compresses batches. Those of partition p have number p
// modulo 5.
var codecs = []kgo.CompressionCodec{
	kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression(),
}

// feeder sends the records of a stage, from number 0 on.
type feeder struct {
	t       *testing.T
	s       *stage
	clients []*kgo.Client // by codec
	next    int
	begun   atomic.Int64 // how many records were given to the clients

	quit    chan struct{}
	stopped sync.WaitGroup
}

// newFeeder returns a feeder. It goes on while brokers are gone.
func newFeeder(t *testing.T, s *stage, opts ...kgo.Opt) *feeder {
	t.Helper()
	f := &feeder{t: t, s: s}
	for _, codec := range codecs[:min(len(codecs), s.partitions)] {
		f.clients = append(f.clients, s.NewClient(t, append([]kgo.Opt{
			kgo.ProducerBatchCompression(codec), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchMaxBytes(8 << 20),
			kgo.MaxBufferedBytes(64 << 20),
		}, opts...)...))
	}
	return f
}

// send sends the next n records, and does not wait for them.
func (f *feeder) send(n int) {
	for range n {
		number := f.next
		r := f.s.make(number)
		f.next++
		f.begun.Add(1)
		f.clients[int(r.Partition)%len(f.clients)].Produce(context.Background(), r, func(r *kgo.Record, err error) {
			if errors.Is(err, kgo.ErrClientClosed) {
				return // the test is over
			}
			if err != nil {
				f.t.Errorf("record %d was not sent: %v", number, err)
				return
			}
			f.s.note(r, number)
		})
	}
}

// flush waits until all records that were sent are there.
func (f *feeder) flush() {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), kafkatest.Patience)
	defer cancel()
	for _, client := range f.clients {
		if err := client.Flush(ctx); err != nil {
			f.t.Fatal(err)
		}
	}
}

// all sends the next n records, and waits until they are there.
func (f *feeder) all(n int) {
	f.t.Helper()
	f.send(n)
	f.flush()
}

// on sends that many records a second until stop.
func (f *feeder) on(rate int) {
	f.quit = make(chan struct{})
	f.s.unsure.Store(true)
	f.stopped.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-f.quit:
				return
			case <-tick.C:
				f.send(rate / 100)
			}
		}
	})
	f.t.Cleanup(f.end)
}

func (f *feeder) end() {
	if f.quit != nil {
		close(f.quit)
		f.stopped.Wait()
		f.quit = nil
	}
}

// stop ends on, and waits until all records are there.
func (f *feeder) stop() {
	f.t.Helper()
	f.end()
	f.flush()
	f.s.unsure.Store(false)
}

// more waits until the group has committed that many further records.
func (s *stage) more(t *testing.T, n int, running ...*process) {
	t.Helper()
	begin := s.Committed(t, s.group).Sum()
	waitFor(t, "progress", func() bool {
		for _, p := range running {
			p.running(t)
		}
		return s.Committed(t, s.group).Sum() >= begin+int64(n)
	})
}
