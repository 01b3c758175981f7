package kafka

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/stream"
)

// TestCodecs: batches of every codec are read.
func TestCodecs(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	var all []sent
	for _, codec := range []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()} {
		c.admin = c.client(kgo.ProducerBatchCompression(codec))
		all = append(all, c.fill(len(all), len(all)+50, 1)...)
	}
	c.finish(c.options(), all)
	c.model(all, 0)
}

// long returns a request of a length.
func long(n, size int) []byte {
	v := good(n)
	pad := fmt.Appendf(nil, `,"ext":{"pad":"%s"}}`, strings.Repeat("x", size))
	return append(v[:len(v)-1], pad...)
}

// TestLongRecords: records of 2 MB pass; those over the limit are dead letters, with their value if
// the topic takes it.
func TestLongRecords(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 1)
		large := map[string]string{"max.message.bytes": "5000000"}
		for _, topic := range []string{"large", "large-ok", "large-refused"} {
			if err := c.CreateTopic(topic, 1, large); err != nil {
				t.Fatal(err)
			}
		}
		producer := c.client(kgo.ProducerBatchMaxBytes(5_000_000))
		var values [][]byte
		for i, size := range []int{2_000_000, 100, 3_500_000, 100, 4_500_000, 100} {
			values = append(values, long(i, size))
			r := &kgo.Record{Topic: "large", Value: values[i], Headers: []kgo.RecordHeader{{Key: "n", Value: []byte(strconv.Itoa(i))}}}
			if err := producer.ProduceSync(context.Background(), r).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		for _, tt := range []struct {
			accepted, dead string
			max            int
			ok             string // the records that are accepted
			cut            string // those whose dead letter has no value
		}{
			{"large-ok", "large-refused", 3_000_000, "0 1 3 5", ""},
			{topicOK, "large-refused", 3_000_000, "1 3 5", ""},
			{"large-ok", topicDeadLetters, 4_000_000, "0 1 2 3 5", "4"},
			{topicOK, topicDeadLetters, 100_000, "1 3 5", "0 2 4"},
		} {
			o := c.options()
			o.Topics, o.Accepted, o.DeadLetters, o.MaxRecord, o.ExactlyOnce = []string{"large"}, tt.accepted, tt.dead, tt.max, once
			o.Group = strings.Join([]string{tt.accepted, tt.dead, strconv.Itoa(tt.max)}, "-")
			before := [2]int{len(c.read(tt.accepted)), len(c.read(tt.dead))}
			r := start(t, o)
			eventually(t, "all delivered", func() bool {
				return counted(t, r.Stream, metricPrefix+"records_total") == float64(len(values))
			})
			r.drained()
			var ok, cut []string
			for _, own := range c.read(tt.accepted)[before[0]:] {
				ok = append(ok, strconv.Itoa(numberOf(t, own)))
				if !bytes.Equal(own.Value, values[numberOf(t, own)]) {
					t.Errorf("record %d has changed", numberOf(t, own))
				}
			}
			for _, own := range c.read(tt.dead)[before[1]:] {
				reason, _ := lookup(own, stream.HeaderReason)
				if reason != stream.ReasonSize {
					t.Errorf("record %d: reason %q", numberOf(t, own), reason)
				}
				switch size, has := lookup(own, stream.HeaderSize); {
				case has && (len(own.Value) > 0 || own.Value == nil || size != strconv.Itoa(len(values[numberOf(t, own)]))):
					t.Errorf("record %d: %d bytes, size %s", numberOf(t, own), len(own.Value), size)
				case has:
					cut = append(cut, strconv.Itoa(numberOf(t, own)))
				case !bytes.Equal(own.Value, values[numberOf(t, own)]):
					t.Errorf("dead letter %d has changed", numberOf(t, own))
				}
			}
			if got := strings.Join(ok, " "); got != tt.ok {
				t.Errorf("%s, %s, %d: accepted %s, want %s", tt.accepted, tt.dead, tt.max, got, tt.ok)
			}
			if got := strings.Join(cut, " "); got != tt.cut {
				t.Errorf("%s, %s, %d: without value %s, want %s", tt.accepted, tt.dead, tt.max, got, tt.cut)
			}
		}
	})
}

// TestLongKeys: keys and headers that the topic of dead letters does not take stop nobody. Their
// dead letters say where the record is.
func TestLongKeys(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 1)
		if err := c.CreateTopic("large", 1, map[string]string{"max.message.bytes": "5000000"}); err != nil {
			t.Fatal(err)
		}
		text := bytes.Repeat([]byte{'k'}, 1_500_000)
		records := []*kgo.Record{
			{Key: text, Value: good(0)},
			{Headers: []kgo.RecordHeader{{Key: "long", Value: text}}, Value: poison(0)},
			{Key: text},
			{Key: []byte("short"), Value: good(3)},
		}
		for _, r := range records {
			r.Topic = "large"
		}
		if err := c.client(kgo.ProducerBatchMaxBytes(5_000_000)).ProduceSync(context.Background(), records...).FirstErr(); err != nil {
			t.Fatal(err)
		}
		o := c.options()
		o.Topics, o.ExactlyOnce = []string{"large"}, once
		r := start(t, o)
		eventually(t, "all delivered", func() bool {
			return counted(t, r.Stream, metricPrefix+"records_total") == float64(len(records))
		})
		r.drained()
		if ok := c.read(topicOK); len(ok) != 1 || !bytes.Equal(ok[0].Value, records[3].Value) {
			t.Errorf("%d records are accepted", len(ok))
		}
		for i, dead := range c.read(topicDeadLetters) {
			source, _ := lookup(dead, stream.HeaderSource)
			dropped, _ := lookup(dead, stream.HeaderDropped)
			if source != fmt.Sprintf("large/0/%d", i) || dropped != "key,headers" || dead.Key != nil || len(dead.Value) > 0 || len(dead.Headers) != 7 {
				t.Errorf("dead letter %d: source %s, dropped %q, key of %d bytes, value of %d, %d headers", i, source, dropped, len(dead.Key), len(dead.Value), len(dead.Headers))
			}
		}
	})
}

// TestRefusedByBroker: records that the topic of accepted records does not take are dead letters,
// all others are accepted in their order.
func TestRefusedByBroker(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 1)
		all := c.fillWith(0, 100, 1, goods)
		fault := c.deny(topicOK, kerr.InvalidRecord, 2) // the first batch, then the first record alone
		o := c.options()
		o.ExactlyOnce = once
		r := c.finish(o, all)
		if fault.Hits() != 2 {
			t.Errorf("%d faults", fault.Hits())
		}
		dead := c.read(topicDeadLetters)
		if len(dead) != 1 {
			t.Fatalf("%d dead letters", len(dead))
		}
		if reason, _ := lookup(dead[0], stream.HeaderReason); reason != stream.ReasonUndeliverable {
			t.Errorf("reason %q", reason)
		}
		all[numberOf(t, dead[0])].refused = true
		c.model(all, 0)
		if n := r.group.suspects.many.Load(); n != 0 {
			t.Errorf("%d suspects are left", n)
		}
		if n := counted(t, r.Stream, metricPrefix+"restarts_total"); n != 0 {
			t.Errorf("%v restarts", n)
		}
	})
}

// TestUpstream: accepted records are delivered with the verdict, answers are written; those that
// can't be delivered are dead letters, and nobody waits for them.
func TestUpstream(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	all := c.fill(0, 900, 3)
	d := &destination{do: func(_ context.Context, own stream.Delivery) ([]byte, error) {
		if own.Decision.Action != inspect.ActionForward || own.Partner != "exchange-a" || len(own.Headers) != 3 {
			t.Errorf("delivery %+v", own)
		}
		switch own.Position % 50 {
		case 7:
			return nil, &stream.Undeliverable{Attempts: 5, Err: errTest}
		case 8:
			return nil, nil
		}
		return append([]byte("answer to "), own.Value...), nil
	}}
	o := c.options()
	o.Accepted, o.Upstream, o.Responses, o.Facts = "", d, topicOut, inspect.Facts{Partner: "exchange-a"}
	c.finish(o, all)
	dead, got, answers := map[string]string{}, d.delivered(), map[string]bool{}
	for _, own := range c.read(topicDeadLetters) {
		source, _ := lookup(own, stream.HeaderSource)
		dead[source], _ = lookup(own, stream.HeaderReason)
	}
	for _, own := range c.read(topicOut) {
		source, _ := lookup(own, stream.HeaderSource)
		answers[source] = true
	}
	for _, s := range all {
		source := sourceOf(s.record)
		late := !s.refused && s.record.Offset%50 == 7
		silent := s.record.Offset%50 == 8
		switch {
		case (s.refused || late) != (dead[source] != ""), late && dead[source] != stream.ReasonUndeliverable:
			t.Errorf("%s: dead letter %q", source, dead[source])
		case !s.refused && !late && got[source] != 1:
			t.Errorf("%s: delivered %d times", source, got[source])
		case answers[source] != (got[source] == 1 && !silent):
			t.Errorf("%s: answer %v", source, answers[source])
		}
	}
}

// TestUpstreamDown: while the upstream is down nothing past it is committed, and a clean stop gives
// nothing twice to another member.
func TestUpstreamDown(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	all := c.fillWith(0, 3000, 3, goods)
	var down atomic.Bool
	var asked atomic.Int64
	d := &destination{do: func(ctx context.Context, own stream.Delivery) ([]byte, error) {
		asked.Add(1)
		for down.Load() {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(time.Millisecond):
			}
		}
		return nil, nil
	}}
	o := c.options()
	o.Accepted, o.Upstream, o.DrainTimeout = "", d, 50*time.Millisecond
	down.Store(true)
	r := start(t, o)
	eventually(t, "deliveries", func() bool { return asked.Load() > 0 })
	r.stop()
	if err := r.ended(); err != stream.ErrDrain {
		t.Errorf("Run: %v", err)
	}
	if at := c.committed(); at != 0 || len(d.delivered()) != 0 {
		t.Errorf("committed %d, delivered %d", at, len(d.delivered()))
	}
	down.Store(false)
	o.DrainTimeout = 0
	for n := 0; n < len(all); {
		r := start(t, o)
		eventually(t, "more", func() bool { return len(d.delivered()) > n })
		r.drained()
		n = len(d.delivered())
		if at := c.committed(); at != int64(n) {
			t.Errorf("committed %d of %d", at, n)
		}
	}
	for source, n := range d.delivered() {
		if n != 1 {
			t.Errorf("%s was delivered %d times", source, n)
		}
	}
}

// TestMemory: a destination that does not move stops reading at the limit.
func TestMemory(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 2)
	c.admin = c.client(kgo.ProducerBatchCompression(kgo.NoCompression()))
	const size = 20_000
	c.fillWith(0, 400, 2, func(i int) ([]byte, bool) { return long(i, size), false }) // 8 MB
	var open atomic.Bool
	d := &destination{do: func(ctx context.Context, own stream.Delivery) ([]byte, error) {
		for !open.Load() && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		return nil, ctx.Err()
	}}
	o := c.options()
	o.Accepted, o.Upstream, o.MaxInFlight = "", d, stream.MaxInFlightMin
	r := start(t, o)
	eventually(t, "full", func() bool { return gauged(t, r.Stream, metricPrefix+"in_flight_bytes") >= stream.MaxInFlightMin })
	most := 0.0
	for range 20 {
		most = max(most, gauged(t, r.Stream, metricPrefix+"in_flight_bytes"))
		time.Sleep(time.Millisecond)
	}
	if most > stream.MaxInFlightMin+2*fetchMin {
		t.Errorf("%v bytes in flight", most)
	}
	open.Store(true)
	eventually(t, "all committed", func() bool { return c.committed() == 400 })
	eventually(t, "nothing in flight", func() bool { return gauged(t, r.Stream, metricPrefix+"in_flight_bytes") == 0 })
	r.drained()
}

// TestPartitions: records keep their order from one partition to one partition, also where the
// topics have different numbers of them.
func TestPartitions(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 5)
	if err := c.CreateTopic("two", 2, nil); err != nil {
		t.Fatal(err)
	}
	all := c.fillWith(0, 500, 5, goods)
	o := c.options()
	r := start(t, o)
	eventually(t, "all committed", func() bool { return c.committed() == int64(len(all)) })
	r.drained()
	for _, own := range c.read(topicOK) {
		if from := all[numberOf(t, own)].record.Partition; own.Partition != from {
			t.Fatalf("a record of partition %d is in %d", from, own.Partition)
		}
	}
	o.Accepted, o.Group = "two", "other"
	r = start(t, o)
	eventually(t, "all delivered", func() bool { return c.count("two") == int64(len(all)) })
	r.drained()
	last, byKey := map[string]int{}, map[string]int32{}
	for _, own := range c.read("two") {
		i := numberOf(t, own)
		from := all[i].record
		way := fmt.Sprint(from.Partition, own.Partition)
		if before, has := last[way]; has && before > i {
			t.Fatalf("record %d came after %d", i, before)
		}
		last[way] = i
		key := "no key " + strconv.Itoa(int(from.Partition))
		if from.Key != nil {
			key = "key " + string(from.Key)
		}
		if before, has := byKey[key]; has && before != own.Partition {
			t.Fatalf("%s is in partitions %d and %d", key, before, own.Partition)
		}
		byKey[key] = own.Partition
	}
}

// TestWindows: windows count by event time; a record that is read again is not a duplicate, another
// record with its id is one.
func TestWindows(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	c.fillWith(0, 60, 1, func(i int) ([]byte, bool) { return good(i % 50), false })
	windows, err := window.New(window.Options{EventTime: true})
	if err != nil {
		t.Fatal(err)
	}
	engine := refusesSeen(t)
	for round := range 2 { // the second group reads everything again
		o := c.options()
		o.Group, o.Windows, o.Engine, o.Jobs = "windows-"+strconv.Itoa(round), windows, engine, 1
		r := start(t, o)
		eventually(t, "all delivered", func() bool { return counted(t, r.Stream, metricPrefix+"records_total") == 60 })
		r.drained()
		if n := counted(t, r.Stream, metricPrefix+"dead_letters_total"); n != 10 {
			t.Errorf("round %d: %v dead letters, want 10", round, n)
		}
	}
}

// refusesSeen returns an engine that refuses duplicates.
func refusesSeen(t *testing.T) *inspect.Engine {
	t.Helper()
	engine, err := inspect.New(inspect.Config{Global: inspect.Layer{
		Severities: []inspect.Setting{{Reasons: "fraud.*", Severity: inspect.Off}, {Reasons: "fraud.window.seen", Severity: inspect.Observe}, {Reasons: "fraud.score", Severity: inspect.Refuse}},
		Fraud:      inspect.FraudSettings{Threshold: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// TestWindowsOfPartners: records of another partner, and of nobody known, make windows forget none
// of a partner's ids, however many they are.
func TestWindowsOfPartners(t *testing.T) {
	t.Parallel()
	const ids, capacity, flood = 50, 300, 3000
	windows, err := window.New(window.Options{
		EventTime: true, Shared: window.Limits{IFAs: capacity, Addresses: capacity, IDs: capacity}, Partners: map[string]window.Partner{"quiet": {}, "loud": {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	quiet, loud := newCluster(t, 1), newCluster(t, 1)
	judge := func(c *cluster, partner string, records, deadLetters int) {
		t.Helper()
		o := c.options()
		o.Group, o.Windows, o.Engine, o.Facts.Partner = "of-"+partner, windows, refusesSeen(t), partner
		r := start(t, o)
		eventually(t, "all delivered", func() bool { return counted(t, r.Stream, metricPrefix+"records_total") == float64(records) })
		r.drained()
		if n := counted(t, r.Stream, metricPrefix+"dead_letters_total"); n != float64(deadLetters) {
			t.Errorf("partner %q: %v dead letters, want %d", partner, n, deadLetters)
		}
	}
	quiet.fillWith(0, ids, 1, goods)
	loud.fillWith(0, flood, 1, goods)
	judge(quiet, "quiet", ids, 0)
	judge(loud, "loud", flood, 0)
	judge(loud, "", flood, 0)
	quiet.fillWith(ids, 2*ids, 1, func(i int) ([]byte, bool) { return good(i - ids), true })
	judge(quiet, "quiet", ids, ids)
}

// TestSwap: another engine judges the records that come then.
func TestSwap(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	r := start(t, c.options())
	bad := func(int) ([]byte, bool) { return []byte(`{"id":"1","imp":[]}`), true }
	c.fillWith(0, 10, 1, bad)
	eventually(t, "refused", func() bool { return c.count(topicDeadLetters) == 10 })
	engine, err := inspect.New(inspect.Config{Global: inspect.Layer{Severities: []inspect.Setting{{Reasons: "*", Severity: inspect.Off}}}})
	if err != nil {
		t.Fatal(err)
	}
	r.Swap(stream.Judging{Engine: engine})
	r.ReloadFailed(errTest)
	c.fillWith(10, 20, 1, bad)
	eventually(t, "accepted", func() bool { return c.count(topicOK) == 10 })
	if now := r.Configuration(); now.Generation != 2 || now.Problem == "" {
		t.Errorf("configuration %+v", now)
	}
	if rejects := r.Rejects(); len(rejects) == 0 || rejects[0].Reason == "" {
		t.Errorf("rejects %+v", rejects)
	}
	r.drained()
}

// TestSwapPartner: engine and facts change together. Under each of two configurations the partner's
// own layer refuses everything; an engine that does not know the partner would accept it.
func TestSwapPartner(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	of := func(partner string) stream.Judging {
		layer := func(s inspect.Severity) inspect.Layer {
			return inspect.Layer{Severities: []inspect.Setting{{Reasons: "*", Severity: s}}}
		}
		engine, err := inspect.New(inspect.Config{Global: layer(inspect.Off), Partners: map[string]inspect.Partner{partner: {Layer: layer(inspect.Refuse)}}})
		if err != nil {
			t.Fatal(err)
		}
		return stream.Judging{Engine: engine, Facts: inspect.Facts{Partner: partner}}
	}
	both := [...]stream.Judging{of("exchange-a"), of("exchange-b")}
	const records = 20_000
	c.fillWith(0, records, 1, func(int) ([]byte, bool) { return []byte(`{"id":"1","imp":[]}`), true })
	o := c.options()
	o.Engine, o.Facts = both[0].Engine, both[0].Facts
	r := start(t, o)
	eventually(t, "all refused", func() bool {
		for i := range 200 {
			r.Swap(both[i%2])
			time.Sleep(10 * time.Microsecond)
		}
		return c.count(topicDeadLetters)+c.count(topicOK) == records
	})
	if n := c.count(topicOK); n > 0 {
		t.Errorf("%d records are accepted", n)
	}
	r.drained()
}

// TestInflates: a batch that inflates to more than the limit ends Run, which says what to change.
func TestInflates(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	c.admin = c.client(kgo.ProducerBatchCompression(kgo.ZstdCompression()), kgo.ProducerBatchMaxBytes(8<<20))
	if err := c.admin.ProduceSync(context.Background(), &kgo.Record{Topic: topicIn, Value: long(1, 2*stream.MaxInFlightMin)}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	o := c.options()
	o.MaxInFlight = stream.MaxInFlightMin
	if err := start(t, o).ended(); err == nil || !strings.Contains(err.Error(), "--max-in-flight") {
		t.Errorf("Run: %v", err)
	}
}

// TestTransactionsOfOthers: a topic that is written in transactions has marks at their ends, which
// have offsets and are no records. What is aborted is no record either. The group gets to the end
// all the same, so that nothing seems to be left.
func TestTransactionsOfOthers(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 2)
		producer := c.admin
		c.admin = c.client(kgo.TransactionalID("exchange"))
		transaction := func(from, to int, end kgo.TransactionEndTry) []sent {
			if err := c.admin.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			records := c.fill(from, to, 2)
			if err := c.admin.EndTransaction(context.Background(), end); err != nil {
				t.Fatal(err)
			}
			return records
		}
		all := transaction(0, 100, kgo.TryCommit)
		o := c.options()
		o.ExactlyOnce = once
		r := start(t, o)
		eventually(t, "all delivered", func() bool { return counted(t, r.Stream, metricPrefix+"records_total") == 100 })
		transaction(100, 200, kgo.TryAbort)
		all = append(all, transaction(100, 110, kgo.TryCommit)...)
		transaction(110, 120, kgo.TryAbort)
		var end int64
		for _, p := range c.PartitionInfos(topicIn) {
			end += p.HighWatermark
		}
		eventually(t, "all committed", func() bool { return c.committed() == end })
		eventually(t, "no lag", func() bool { return gauged(t, r.Stream, metricPrefix+"lag_records") == 0 })
		r.drained()
		if n := counted(t, r.Stream, metricPrefix+"records_total"); n != 110 {
			t.Errorf("%v records are counted", n)
		}
		c.admin = producer
		c.model(all, 0)
	})
}
