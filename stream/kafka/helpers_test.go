package kafka

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
)

// The topics and the group of tests.
const (
	topicIn, topicOK, topicDeadLetters, topicOut = "bids", "bids-ok", "bids-refused", "answers"
	group                                        = "edge"
)

// TestMain runs many tests at once: they wait most of the time.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = f.Value.Set("16")
	}
	os.Exit(m.Run())
}

// patience is how long tests wait for what must happen. Nothing depends on it but the time that a
// failure takes.
const patience = 60 * time.Second

// cluster is a cluster of fake brokers with the topics.
type cluster struct {
	*kfake.Cluster
	tb    testing.TB
	admin *kgo.Client
}

func newCluster(tb testing.TB, partitions int32, opts ...kfake.Opt) *cluster {
	tb.Helper()
	fake, err := kfake.NewCluster(append([]kfake.Opt{
		kfake.NumBrokers(1), kfake.SeedTopics(partitions, topicIn, topicOK, topicDeadLetters, topicOut),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0", "group.consumer.heartbeat.interval.ms": "100"}),
		kfake.GroupMinSessionTimeout(100 * time.Millisecond),
	}, opts...)...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(fake.Close)
	c := &cluster{Cluster: fake, tb: tb}
	c.admin = c.client()
	return c
}

// client returns a client of the cluster.
func (c *cluster) client(opts ...kgo.Opt) *kgo.Client {
	c.tb.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MetadataMinAge(50 * time.Millisecond)}, opts...)...)
	if err != nil {
		c.tb.Fatal(err)
	}
	c.tb.Cleanup(cl.Close)
	return cl
}

// options are those of a group and of its stream. Where both have a field, the group's is meant.
type options struct {
	GroupOptions
	streamOptions
}

type streamOptions struct{ stream.Options }

// options are those of a stream from topicIn to topicOK.
func (c *cluster) options() (o options) {
	o.GroupOptions = GroupOptions{
		Client: []kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.MetadataMinAge(50 * time.Millisecond), kgo.RetryBackoffFn(func(int) time.Duration { return 20 * time.Millisecond })},
		Topics: []string{topicIn}, Group: group, Accepted: topicOK, DeadLetters: topicDeadLetters,
		SessionTimeout: time.Second,
	}
	o.Options = stream.Options{
		CommitInterval: 50 * time.Millisecond, Jobs: 2,
		Log: slog.New(slog.NewTextHandler(testLog{c.tb}, &slog.HandlerOptions{Level: slog.LevelInfo})),
	}
	return o
}

// testLog writes to the log of a test.
type testLog struct{ tb testing.TB }

func (l testLog) Write(b []byte) (int, error) {
	defer func() { _ = recover() }() // a log after the end of the test
	l.tb.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

// running is a stream that runs.
type running struct {
	*stream.Stream
	group *Group
	tb    testing.TB
	stop  context.CancelFunc
	done  chan struct{}
	err   error
}

func start(tb testing.TB, o options) *running {
	tb.Helper()
	g, err := NewGroup(o.GroupOptions)
	if err != nil {
		tb.Fatal(err)
	}
	if err := g.Connect(&o.Options); err != nil {
		tb.Fatal(err)
	}
	s, err := stream.New(o.Options)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{Stream: s, group: g, tb: tb, stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.err = s.Run(ctx)
	}()
	tb.Cleanup(func() {
		cancel()
		<-r.done
	})
	return r
}

// ended waits for the end of Run, and returns its error.
func (r *running) ended() error {
	r.tb.Helper()
	select {
	case <-r.done:
		return r.err
	case <-time.After(patience):
		r.tb.Fatal("Run did not end")
		return nil
	}
}

// drained stops the stream, which must end without an error.
func (r *running) drained() {
	r.tb.Helper()
	r.stop()
	if err := r.ended(); err != nil {
		r.tb.Fatalf("Run: %v", err)
	}
}

// finish runs a stream until as many records are committed as were sent.
func (c *cluster) finish(o options, all []sent) *running {
	c.tb.Helper()
	r := start(c.tb, o)
	eventually(c.tb, "all committed", func() bool { return c.committed() == int64(len(all)) })
	r.drained()
	return r
}

// network is how a stream reaches the brokers, until it is cut.
type network struct {
	mu    sync.Mutex
	conns []net.Conn
	isCut bool
}

// option is for [GroupOptions.Client].
func (w *network) option() kgo.Opt {
	return kgo.Dialer(func(ctx context.Context, network, host string) (net.Conn, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.isCut {
			return nil, errTest
		}
		conn, err := new(net.Dialer).DialContext(ctx, network, host)
		if err == nil {
			w.conns = append(w.conns, conn)
		}
		return conn, err
	})
}

// cut closes all connections, and lets no other one be made. To the brokers that is a crash.
func (w *network) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = true
	for _, conn := range w.conns {
		_ = conn.Close()
	}
}

// eventually waits for a condition.
func eventually(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	for end := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// good is a request that is accepted.
func good(n int) []byte {
	return fmt.Appendf(nil, `{"id":"%d","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"page":"https://example.com/"},"device":{"ua":"Mozilla/5.0","ip":"192.0.2.1"}}`, n)
}

// deep is a text of many levels.
var deep = bytes.Repeat([]byte{'['}, 100_000)

// poison returns a value that is refused.
func poison(n int) []byte {
	switch n % 6 {
	case 0:
		return good(n)[:40]
	case 1:
		return []byte{0xff, 0x00, 0x80, byte(n)}
	case 2:
		return []byte{}
	case 3:
		return []byte(`{"id":"1","imp":{}}`)
	case 4:
		return deep
	}
	return nil
}

// sent is a record that was written to topicIn.
type sent struct {
	refused bool
	record  *kgo.Record
}

// fill writes records to topicIn, one in 10 of them poisoned, round the partitions.
func (c *cluster) fill(from, to int, partitions int) []sent {
	c.tb.Helper()
	return c.fillWith(from, to, partitions, func(i int) ([]byte, bool) {
		if i%10 == 3 {
			return poison(i / 10), true
		}
		return good(i), false
	})
}

func (c *cluster) fillWith(from, to, partitions int, value func(int) ([]byte, bool)) (all []sent) {
	c.tb.Helper()
	var records []*kgo.Record
	for i := from; i < to; i++ {
		v, refused := value(i)
		r := &kgo.Record{
			Topic: topicIn, Partition: int32(i % partitions), Value: v, Timestamp: time.UnixMilli(1700000000000 + int64(i)),
			Headers: []kgo.RecordHeader{{Key: "n", Value: []byte(strconv.Itoa(i))}, {Key: "empty", Value: []byte{}}, {Key: "nil"}},
		}
		switch i % 3 {
		case 0:
			r.Key = []byte("key " + strconv.Itoa(i%7))
		case 1:
			r.Key = []byte{}
		}
		records = append(records, r)
		all = append(all, sent{refused, r})
	}
	if err := c.admin.ProduceSync(context.Background(), records...).FirstErr(); err != nil {
		c.tb.Fatal(err)
	}
	return all
}

// read returns all records of a topic, partition by partition, in their order. Only what is
// committed counts.
func (c *cluster) read(topic string) (all []*kgo.Record) {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ends, err := kadm.NewClient(c.admin).ListCommittedOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		c.tb.Fatal(err)
	}
	left := map[int32]int64{}
	starts := map[int32]kgo.Offset{}
	ends.Each(func(o kadm.ListedOffset) {
		starts[o.Partition] = kgo.NewOffset().AtStart()
		if o.Offset > 0 {
			left[o.Partition] = o.Offset
		}
	})
	cl := c.client(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: starts}), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords())
	for len(left) > 0 {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			c.tb.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if !r.Attrs.IsControl() {
				all = append(all, r)
			}
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		})
	}
	slices.SortStableFunc(all, func(a, b *kgo.Record) int { return int(a.Partition - b.Partition) })
	return all
}

// count returns how many records are in a topic.
func (c *cluster) count(topic string) (n int64) {
	c.tb.Helper()
	for _, p := range c.PartitionInfos(topic) {
		n += p.LastStableOffset
	}
	return n
}

// lookup returns the value of a header.
func lookup(r *kgo.Record, name string) (value string, has bool) {
	for _, h := range r.Headers {
		if h.Key == name {
			return string(h.Value), true
		}
	}
	return "", false
}

// numberOf returns which of the sent records a record is.
func numberOf(tb testing.TB, r *kgo.Record) int {
	tb.Helper()
	v, _ := lookup(r, "n")
	n, err := strconv.Atoi(v)
	if err != nil {
		tb.Fatalf("record %d of %s/%d: header n is %q", r.Offset, r.Topic, r.Partition, v)
	}
	return n
}

// model checks what became of all records that were sent: each one is in its place, as it was, in
// the order of its partition; and exactly once, unless duplicates may be.
func (c *cluster) model(all []sent, duplicates int) (found int) {
	c.tb.Helper()
	accepted, dead := map[int]int{}, map[int]int{}
	for topic, count := range map[string]map[int]int{topicOK: accepted, topicDeadLetters: dead} {
		last := map[string]int{}
		for _, r := range c.read(topic) {
			i := numberOf(c.tb, r)
			if i >= len(all) {
				c.tb.Fatalf("record %d was never sent", i)
			}
			count[i]++
			found++
			c.same(all[i].record, r, topic)
			if count[i] > 1 || duplicates > 0 {
				continue
			}
			from := fmt.Sprintf("%d to %d", all[i].record.Partition, r.Partition)
			if before, has := last[from]; has && before > i {
				c.tb.Errorf("%s: record %d came after %d (partition %s)", topic, i, before, from)
			}
			last[from] = i
		}
	}
	extra := found - len(all)
	missing, wrong := 0, 0
	for i, s := range all {
		right, other := accepted, dead
		if s.refused {
			right, other = dead, accepted
		}
		if right[i] == 0 {
			missing++
		}
		if other[i] > 0 {
			wrong++
		}
	}
	if missing > 0 || wrong > 0 || extra > duplicates {
		c.tb.Fatalf("%d records: %d missing, %d in the wrong place, %d too many (allowed: %d)", len(all), missing, wrong, extra, duplicates)
	}
	return found
}

// same checks that a record is the one that was sent.
func (c *cluster) same(want, got *kgo.Record, topic string) {
	c.tb.Helper()
	if !bytes.Equal(want.Key, got.Key) || (want.Key == nil) != (got.Key == nil) {
		c.tb.Errorf("key %q became %q", want.Key, got.Key)
	}
	if !bytes.Equal(want.Value, got.Value) || (want.Value == nil) != (got.Value == nil) {
		c.tb.Errorf("value %.60q became %.60q", want.Value, got.Value)
	}
	if !want.Timestamp.Equal(got.Timestamp) {
		c.tb.Errorf("timestamp %v became %v", want.Timestamp, got.Timestamp)
	}
	headers := got.Headers
	if topic == topicDeadLetters {
		if len(headers) != len(want.Headers)+5 {
			c.tb.Errorf("headers of a dead letter: %q", headers)
			return
		}
		headers = headers[:len(want.Headers)]
		source, _ := lookup(got, stream.HeaderSource)
		if own := sourceOf(want); source != own {
			c.tb.Errorf("source %q, want %q", source, own)
		}
	}
	if !slices.EqualFunc(want.Headers, headers, func(a, b kgo.RecordHeader) bool {
		return a.Key == b.Key && bytes.Equal(a.Value, b.Value) && (a.Value == nil) == (b.Value == nil)
	}) {
		c.tb.Errorf("headers %q became %q", want.Headers, headers)
	}
}

// committed returns the sum of the committed offsets of the group.
func (c *cluster) committed() (sum int64) {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	offsets, err := kadm.NewClient(c.admin).FetchOffsets(ctx, group)
	if err != nil {
		return -1
	}
	offsets.Each(func(o kadm.OffsetResponse) {
		if o.Topic == topicIn && o.At > 0 {
			sum += o.At
		}
	})
	return sum
}

// destination is an upstream.
type destination struct {
	mu   sync.Mutex
	got  map[string]int // by source
	list []string
	do   func(context.Context, stream.Delivery) ([]byte, error)
}

func (d *destination) Deliver(ctx context.Context, own stream.Delivery) ([]byte, error) {
	answer, err := d.do(ctx, own)
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.got == nil {
			d.got = map[string]int{}
		}
		d.got[own.Source()]++
		d.list = append(d.list, own.Source())
	}
	return answer, err
}

// delivered returns how often each record was delivered.
func (d *destination) delivered() map[string]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.got)
}

var errTest = errors.New("for a test")

// sourceOf returns the place of a record, as headers have it.
func sourceOf(r *kgo.Record) string {
	return fmt.Sprintf("%s/%d/%d", r.Topic, r.Partition, r.Offset)
}

// metricPrefix begins the names of all metrics of a stream.
const metricPrefix = "rtbwire_stream_"

// counted returns the sum of a metric over its labels.
func counted(tb testing.TB, s *stream.Stream, name string) (sum float64) {
	tb.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(s.Collector())
	families, err := registry.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return sum
}

func gauged(tb testing.TB, s *stream.Stream, name string) float64 {
	tb.Helper()
	return counted(tb, s, name)
}
