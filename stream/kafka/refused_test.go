package kafka

import (
	"context"
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/rtbwire/rtbwire/stream"
)

// judged makes the brokers refuse each batch for a topic that is judged so, as Kafka does it: all
// of the batch. It returns how many they have refused.
func (c *cluster) judged(judge func(topic string, batch *kmsg.RecordBatch) *kerr.Error) *atomic.Int64 {
	c.tb.Helper()
	names := map[[16]byte]string{}
	topics, err := kadm.NewClient(c.admin).ListTopics(context.Background())
	if err != nil {
		c.tb.Fatal(err)
	}
	for name, topic := range topics {
		names[topic.ID] = name
	}
	refused := new(atomic.Int64)
	c.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.ProduceResponse)
		bad := false
		for _, topic := range req.(*kmsg.ProduceRequest).Topics {
			own := kmsg.NewProduceResponseTopic()
			own.Topic, own.TopicID = topic.Topic, topic.TopicID
			name := topic.Topic
			if name == "" {
				name = names[topic.TopicID]
			}
			for _, p := range topic.Partitions {
				done := kmsg.NewProduceResponseTopicPartition()
				done.Partition, done.ErrorCode = p.Partition, kerr.NotLeaderForPartition.Code // tried again
				var batch kmsg.RecordBatch
				if err := batch.ReadFrom(p.Records); err != nil {
					c.tb.Error(err)
				} else if e := judge(name, &batch); e != nil {
					done.ErrorCode, bad = e.Code, true
					refused.Add(1)
				}
				own.Partitions = append(own.Partitions, done)
			}
			resp.Topics = append(resp.Topics, own)
		}
		return resp, nil, bad
	})
	return refused
}

// values returns the values of the records of a batch that is not compressed.
func values(tb testing.TB, batch *kmsg.RecordBatch) (all [][]byte) {
	tb.Helper()
	for text := batch.Records; len(text) > 0; {
		var r kmsg.Record
		length, size := kbin(text)
		if err := r.ReadFrom(text[:size+length]); err != nil {
			tb.Error(err)
			return nil
		}
		all, text = append(all, r.Value), text[size+length:]
	}
	return all
}

// kbin reads a length as records have it.
func kbin(text []byte) (value, size int) {
	var u uint64
	for i, b := range text {
		u |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return int(u>>1) ^ -int(u&1), i + 1
		}
	}
	return 0, len(text)
}

// plain makes producers compress nothing.
func (o *options) plain() {
	o.Client = append(slices.Clip(o.Client), kgo.ProducerBatchCompression(kgo.NoCompression()))
}

// unhurt checks that a stream has never begun anew, and remembers no record.
func (r *running) unhurt() {
	r.tb.Helper()
	if n := counted(r.tb, r.Stream, metricPrefix+"restarts_total"); n != 0 {
		r.tb.Errorf("%v restarts", n)
	}
	if n := r.group.suspects.many.Load(); n != 0 {
		r.tb.Errorf("%d suspects are left", n)
	}
}

// TestManyRefused: many records that the topic of accepted records refuses, in many batches, are
// dead letters, and no membership ends for them. All others are accepted, at last in their order.
func TestManyRefused(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		const records, partitions = 240, 3
		c := newCluster(t, partitions)
		isBad := func(i int) bool { return i%40 == 7 || i == 8 }
		all := c.fillWith(0, records, partitions, goods)
		var bad []string
		for i := range all {
			if all[i].refused = isBad(i); all[i].refused {
				bad = append(bad, string(all[i].record.Value))
			}
		}
		refused := c.judged(func(topic string, batch *kmsg.RecordBatch) *kerr.Error {
			if topic == topicOK && slices.ContainsFunc(values(t, batch), func(v []byte) bool { return slices.Contains(bad, string(v)) }) {
				return kerr.InvalidRecord
			}
			return nil
		})
		o := c.options()
		o.ExactlyOnce = once
		o.plain()
		r := c.finish(o, all)
		r.unhurt()
		if n := refused.Load(); n < int64(len(bad)) {
			t.Errorf("%d batches were refused", n)
		}
		duplicates := 0
		if !once {
			duplicates = records
		}
		c.model(all, duplicates)
		last, at := map[int32]int{}, map[int]int{}
		arrived := c.read(topicOK)
		for i, own := range arrived {
			at[numberOf(t, own)] = i
		}
		for i, own := range arrived {
			n := numberOf(t, own)
			if at[n] != i {
				continue // it comes again
			}
			if before, has := last[own.Partition]; has && before > n {
				t.Errorf("record %d came after %d", n, before)
			}
			last[own.Partition] = n
		}
		for _, own := range c.read(topicDeadLetters) {
			if reason, _ := lookup(own, stream.HeaderReason); reason != stream.ReasonUndeliverable {
				t.Errorf("reason %q", reason)
			}
		}
	})
}

// TestUntimely: a record whose timestamp a topic does not take is written with that of now and
// has its own in a header, be it a dead letter or not; whether the brokers say what topics take, or
// only refuse it.
func TestUntimely(t *testing.T) {
	t.Parallel()
	for name, told := range map[string]bool{"told": true, "refused": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modes(t, func(t *testing.T, once bool) {
				const records, limit = 300, time.Hour
				c := newCluster(t, 2)
				all := c.fill(0, records, 2)
				far := map[int]time.Time{}
				var late []*kgo.Record
				for i := records; i < records+60; i++ { // those that are late are with others
					r := &kgo.Record{
						Topic: topicIn, Partition: int32(i % 2), Value: good(i), Timestamp: time.UnixMilli(1700000000000 + int64(i)),
						Headers: []kgo.RecordHeader{{Key: "n", Value: []byte(strconv.Itoa(i))}},
					}
					if i%10 < 4 {
						r.Timestamp = time.Now().Add(2 * limit).Truncate(time.Millisecond)
						far[i] = r.Timestamp
					}
					if i%10 < 2 {
						r.Value = poison(3)
					}
					late = append(late, r)
					all = append(all, sent{i%10 < 2, r})
				}
				if err := c.admin.ProduceSync(context.Background(), late...).FirstErr(); err != nil {
					t.Fatal(err)
				}
				refused := c.judged(func(topic string, batch *kmsg.RecordBatch) *kerr.Error {
					if batch.MaxTimestamp > time.Now().Add(limit).UnixMilli() {
						return kerr.InvalidTimestamp
					}
					return nil
				})
				if told {
					c.describe(map[string]string{"message.timestamp.after.max.ms": strconv.FormatInt(limit.Milliseconds(), 10), "message.timestamp.before.max.ms": strconv.FormatInt(math.MaxInt64, 10)})
				}
				o := c.options()
				o.ExactlyOnce = once
				o.plain()
				began := time.Now().Truncate(time.Millisecond)
				r := c.finish(o, all)
				r.unhurt()
				if (refused.Load() == 0) != told {
					t.Errorf("%d batches were refused", refused.Load())
				}
				seen := map[int]bool{}
				for _, own := range append(c.read(topicOK), c.read(topicDeadLetters)...) {
					i := numberOf(t, own)
					seen[i] = true
					_, dead := lookup(own, stream.HeaderReason)
					if dead != all[i].refused {
						t.Errorf("record %d is in the wrong topic", i)
					}
					header, has := lookup(own, stream.HeaderTime)
					want, isFar := far[i]
					switch {
					case has != isFar:
						t.Errorf("record %d, %v: header %q", i, all[i].record.Timestamp, header)
					case !isFar && !own.Timestamp.Equal(all[i].record.Timestamp):
						t.Errorf("record %d: timestamp %v", i, own.Timestamp)
					case isFar && (header != strconv.FormatInt(want.UnixMilli(), 10) || own.Timestamp.Before(began) || own.Timestamp.After(time.Now())):
						t.Errorf("record %d: timestamp %v, header %q, want %d", i, own.Timestamp, header, want.UnixMilli())
					}
				}
				if len(seen) != len(all) {
					t.Errorf("%d records of %d", len(seen), len(all))
				}
			})
		})
	}
}

// describe makes the brokers say what is configured for all topics.
func (c *cluster) describe(configs map[string]string) {
	c.ControlKey(int16(kmsg.DescribeConfigs), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.DescribeConfigsResponse)
		for _, asked := range req.(*kmsg.DescribeConfigsRequest).Resources {
			own := kmsg.NewDescribeConfigsResponseResource()
			own.ResourceType, own.ResourceName = asked.ResourceType, asked.ResourceName
			for name, value := range configs {
				config := kmsg.NewDescribeConfigsResponseResourceConfig()
				config.Name, config.Value = name, new(value)
				own.Configs = append(own.Configs, config)
			}
			resp.Resources = append(resp.Resources, own)
		}
		return resp, nil, true
	})
}

// TestTimely: what a topic takes ends a margin before its limits; a record without a time has none
// that could be refused.
func TestTimely(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	c := catalog{limits: map[string]topicLimits{
		"all": {past: timeNoLimit, future: timeNoLimit}, "hour": {past: 3_600_000, future: 3_600_000}, "brief": {past: 1000, future: 0},
	}}
	for _, tt := range []struct {
		topic string
		at    time.Time
		want  bool
	}{
		{"all", time.UnixMilli(0), true},
		{"all", time.UnixMilli(4_000_000_000_000), true},
		{"hour", now.Add(timeMargin*time.Millisecond - time.Hour), true},
		{"hour", now.Add(timeMargin*time.Millisecond - time.Hour - time.Millisecond), false},
		{"hour", now.Add(time.Hour - timeMargin*time.Millisecond), true},
		{"hour", now.Add(time.Hour - timeMargin*time.Millisecond + time.Millisecond), false},
		{"hour", time.UnixMilli(math.MaxInt64), false},
		{"hour", time.UnixMilli(math.MinInt64), false},
		{"hour", time.UnixMilli(timeNone), true},
		{"hour", time.Time{}, true},
		{"brief", now.Add(-500 * time.Millisecond), true},
		{"brief", now.Add(-501 * time.Millisecond), false},
		{"brief", now, true},
		{"brief", now.Add(time.Millisecond), false},
	} {
		if got := c.timely(&stream.Record{Time: tt.at}, tt.topic, now); got != tt.want {
			t.Errorf("topic %s, %v: %v", tt.topic, tt.at, got)
		}
	}
}

// TestSuspects: a record is known until it is committed: the one at the committed offset is read
// next. What it was refused with decides what follows.
func TestSuspects(t *testing.T) {
	t.Parallel()
	var s suspects
	lane := stream.LaneID{Name: "bids", Number: 3}
	at := func(position int64, lane stream.LaneID) place { return place{lane, position, accepted} }
	for position := range int64(3) {
		s.add(at(position, lane), kerr.InvalidRecord)
	}
	other := stream.LaneID{Name: "bids", Number: 4}
	s.add(at(0, other), kerr.InvalidRecord)
	s.forget(lane, 1)
	for _, tt := range []struct {
		at  place
		has bool
	}{{at(0, lane), false}, {at(1, lane), true}, {at(2, lane), true}, {at(0, other), true}, {place{lane, 1, deadLetters}, false}} {
		if _, has := s.of(tt.at); has != tt.has {
			t.Errorf("%+v: %v", tt.at, has)
		}
	}
	late := at(1, lane)
	for _, want := range []suspicion{{retimed: true}, {true, kerr.InvalidTimestamp}} {
		s.add(late, kerr.InvalidTimestamp)
		if own, _ := s.of(late); own != want {
			t.Errorf("%+v, want %+v", own, want)
		}
	}
	s.add(at(2, lane), kerr.InvalidRecord)
	if s.refused(at(2, lane)) == nil || s.refused(late) == nil || s.refused(at(0, other)) != nil {
		t.Errorf("%+v", s.by)
	}
	s.forget(lane, 3)
	s.forget(other, 1)
	if n := s.many.Load(); n != 0 {
		t.Errorf("%d are left", n)
	}
}

// TestSenderHeaders: a header that the record had and that has one of our names is written under
// another one, so that each of ours is there once and says what the stream found.
func TestSenderHeaders(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 1)
		ours := []string{
			stream.HeaderReason, stream.HeaderNBR, stream.HeaderPath, stream.HeaderOffset, stream.HeaderSource,
			stream.HeaderSize, stream.HeaderDropped, stream.HeaderTime,
		}
		var records []*kgo.Record
		for i, value := range [][]byte{good(0), poison(3), nil} {
			r := &kgo.Record{Topic: topicIn, Value: value, Headers: []kgo.RecordHeader{{Key: "n", Value: []byte(strconv.Itoa(i))}}}
			for _, name := range ours {
				r.Headers = append(r.Headers, kgo.RecordHeader{Key: name, Value: []byte("a claim")}, kgo.RecordHeader{Key: name, Value: []byte("another")})
			}
			records = append(records, r)
		}
		if err := c.admin.ProduceSync(context.Background(), records...).FirstErr(); err != nil {
			t.Fatal(err)
		}
		o := c.options()
		o.ExactlyOnce = once
		r := start(t, o)
		eventually(t, "all committed", func() bool { return c.committed() == int64(len(records)) })
		r.drained()
		written := map[string]int{}
		for _, own := range append(c.read(topicOK), c.read(topicDeadLetters)...) {
			written[own.Topic]++
			count := map[string]int{}
			for _, h := range own.Headers {
				if count[h.Key]++; slices.Contains(ours, h.Key) && string(h.Value) == "a claim" {
					t.Errorf("%s of %s is the sender's", h.Key, own.Topic)
				}
			}
			for i, name := range ours {
				want := 0
				if own.Topic == topicDeadLetters && i < 5 {
					want = 1
				}
				if count[name] != want || count[stream.SenderPrefix+name] != 2 {
					t.Errorf("%s: %d headers %s, want %d, and %d of the sender", own.Topic, count[name], name, want, count[stream.SenderPrefix+name])
				}
			}
			if reason, dead := lookup(own, stream.HeaderReason); dead && reason == "a claim" {
				t.Errorf("reason %q", reason)
			}
		}
		if written[topicOK] != 1 || written[topicDeadLetters] != 2 {
			t.Errorf("written: %v", written)
		}
	})
}

// TestAnswers: an answer is written if its topic takes it, however long it is. One that is refused
// takes no others with it.
func TestAnswers(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	const many, size, limit = 40, 3_000_000, 5_000_000
	if err := c.CreateTopic("long-answers", 1, map[string]string{"max.message.bytes": strconv.Itoa(limit)}); err != nil {
		t.Fatal(err)
	}
	c.fillWith(0, many, 1, goods)
	refused := c.judged(func(topic string, batch *kmsg.RecordBatch) *kerr.Error {
		if topic == "long-answers" && slices.ContainsFunc(values(t, batch), func(v []byte) bool { return string(v) == "answer 9" }) {
			return kerr.InvalidRecord
		}
		return nil
	})
	gate := make(chan struct{})
	d := &destination{do: func(_ context.Context, own stream.Delivery) ([]byte, error) {
		switch own.Position {
		case 3:
			return long(3, size), nil
		case 4:
			return long(4, limit), nil
		}
		<-gate // so that answers are in one batch
		return []byte("answer " + strconv.FormatInt(own.Position, 10)), nil
	}}
	o := c.options()
	o.Accepted, o.Upstream, o.Responses = "", d, "long-answers"
	o.plain()
	r := start(t, o)
	eventually(t, "a long answer", func() bool { return c.count("long-answers") == 1 })
	close(gate)
	eventually(t, "all committed", func() bool { return c.committed() == many })
	r.drained()
	r.unhurt()
	if refused.Load() == 0 {
		t.Error("nothing was refused")
	}
	seen := map[string]bool{}
	for _, own := range c.read("long-answers") {
		source, _ := lookup(own, stream.HeaderSource)
		seen[source] = true
	}
	if len(seen) != many-2 || seen["bids/0/4"] || seen["bids/0/9"] || c.count("long-answers") != many-2 {
		t.Errorf("%d answers: %v", c.count("long-answers"), seen)
	}
}

// TestCommittedZero: a group that has committed the offset 0 knows where it is: what was deleted
// before it was read is missing, and counts.
func TestCommittedZero(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	c.fill(0, 100, 1)
	offsets := kadm.Offsets{}
	offsets.AddOffset(topicIn, 0, 0, -1)
	if _, err := kadm.NewClient(c.admin).CommitOffsets(context.Background(), group, offsets); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteRecords(topicIn, 0, 50); err != nil {
		t.Fatal(err)
	}
	r := start(t, c.options())
	eventually(t, "all committed", func() bool { return c.committed() == 100 })
	if n := counted(t, r.Stream, metricPrefix+"resets_total"); n != 1 {
		t.Errorf("%v resets", n)
	}
	r.drained()
}

// TestAloneInTransactions: while records are written alone, a transaction has few of them, so that
// it ends before the broker ends it, however many are in a batch.
func TestAloneInTransactions(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	const records = 200
	all := c.fillWith(0, records, 1, goods)
	all[records-1].refused = true
	bad := string(all[records-1].record.Value)
	var alone, most atomic.Int64 // batches since the last transaction ended
	c.ControlKey(int16(kmsg.EndTxn), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		alone.Store(0)
		return nil, nil, false
	})
	c.judged(func(topic string, batch *kmsg.RecordBatch) *kerr.Error {
		if topic == topicOK {
			most.Store(max(most.Load(), alone.Add(1)))
		}
		if topic == topicOK && slices.ContainsFunc(values(t, batch), func(v []byte) bool { return string(v) == bad }) {
			return kerr.InvalidRecord
		}
		return nil
	})
	o := c.options()
	o.ExactlyOnce = true
	o.plain()
	c.finish(o, all).unhurt()
	c.model(all, 0)
	if n := most.Load(); n < aloneMax/2 || n > aloneMax {
		t.Errorf("%d batches in a transaction, want at most %d", n, aloneMax)
	}
}
