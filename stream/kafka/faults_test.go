package kafka

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/rtbwire/rtbwire/stream"
)

// modes runs a test at least once and exactly once.
func modes(t *testing.T, run func(*testing.T, bool)) {
	for name, once := range map[string]bool{"at least once": false, "exactly once": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, once)
		})
	}
}

// TestCommitsFail: every third commit fails, and so does the last one at first. Nothing is lost,
// and a clean stop knows of no duplicate.
func TestCommitsFail(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	var commits, failed atomic.Int64
	c.ControlKey(int16(kmsg.OffsetCommit), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if commits.Add(1)%3 != 1 {
			return nil, nil, false
		}
		failed.Add(1)
		resp := req.ResponseKind().(*kmsg.OffsetCommitResponse)
		for _, topic := range req.(*kmsg.OffsetCommitRequest).Topics {
			own := kmsg.NewOffsetCommitResponseTopic()
			own.Topic, own.TopicID = topic.Topic, topic.TopicID
			for _, p := range topic.Partitions {
				done := kmsg.NewOffsetCommitResponseTopicPartition()
				done.Partition, done.ErrorCode = p.Partition, kerr.UnknownServerError.Code
				own.Partitions = append(own.Partitions, done)
			}
			resp.Topics = append(resp.Topics, own)
		}
		return resp, nil, true
	})
	o := c.options()
	o.CommitInterval = 5 * time.Millisecond
	all := c.fill(0, 300, 3)
	for round := range 4 {
		r := start(t, o)
		all = append(all, c.fill(len(all), len(all)+300, 3)...)
		eventually(t, "some delivered", func() bool { return c.count(topicOK) > int64(300*round) })
		r.drained()
	}
	c.finish(o, all)
	if failed.Load() == 0 {
		t.Error("no commit has failed")
	}
	c.model(all, 0)
}

// TestFetchErrors: fetches that fail are repeated.
func TestFetchErrors(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 3)
		all := c.fill(0, 300, 3)
		var fetches atomic.Int64
		c.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
			c.KeepControl()
			switch n := fetches.Add(1); {
			case n > 8:
				return nil, nil, false
			case n%4 == 1:
				return nil, errTest, true // closes the connection
			case n%4 == 2:
				resp := req.ResponseKind().(*kmsg.FetchResponse)
				resp.ErrorCode = kerr.UnknownServerError.Code
				return resp, nil, true
			case n%4 == 3: // one that the client does not repair by itself
				resp := req.ResponseKind().(*kmsg.FetchResponse)
				for _, topic := range req.(*kmsg.FetchRequest).Topics {
					own := kmsg.NewFetchResponseTopic()
					own.Topic, own.TopicID = topic.Topic, topic.TopicID
					for _, p := range topic.Partitions {
						done := kmsg.NewFetchResponseTopicPartition()
						done.Partition, done.ErrorCode = p.Partition, kerr.UnknownServerError.Code
						own.Partitions = append(own.Partitions, done)
					}
					resp.Topics = append(resp.Topics, own)
				}
				return resp, nil, true
			}
			return nil, nil, false
		})
		o := c.options()
		o.ExactlyOnce = once
		c.finish(o, all)
		fetches.Store(100) // for the reader of the test
		c.model(all, 0)
	})
}

// TestLeadersMove: partitions change their leaders all the time, and coordinators too.
func TestLeadersMove(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 3, kfake.NumBrokers(3))
		c.knowEpochs()
		o := c.options()
		o.ExactlyOnce = once
		r := start(t, o)
		var all []sent
		for range 8 {
			all = append(all, c.fill(len(all), len(all)+200, 3)...)
			c.ShufflePartitionLeaders()
		}
		eventually(t, "all committed", func() bool { return c.committed() == int64(len(all)) })
		r.drained()
		c.model(all, 0)
	})
}

// knowEpochs makes the brokers answer where the records of an epoch end, as Kafka does. The fake
// ones do not know it of an epoch that the last leader change has ended.
func (c *cluster) knowEpochs() {
	c.ControlKey(int16(kmsg.OffsetForLeaderEpoch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.OffsetForLeaderEpochResponse)
		for _, topic := range req.(*kmsg.OffsetForLeaderEpochRequest).Topics {
			own := kmsg.NewOffsetForLeaderEpochResponseTopic()
			own.Topic = topic.Topic
			for _, p := range topic.Partitions {
				done := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
				done.Partition, done.LeaderEpoch, done.EndOffset = p.Partition, p.LeaderEpoch, 1<<40
				own.Partitions = append(own.Partitions, done)
			}
			resp.Topics = append(resp.Topics, own)
		}
		return resp, nil, true
	})
}

// deny fails produce requests for a topic with an error; all of them if times is -1.
func (c *cluster) deny(topic string, err *kerr.Error, times int) *kfake.FaultHandle {
	return c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topic, Err: err, Count: times})
}

// TestDeadLettersDenied: dead letters that can't be written stop the stream, and nothing past the
// first of them is committed.
func TestDeadLettersDenied(t *testing.T) {
	t.Parallel()
	for _, e := range []*kerr.Error{kerr.TopicAuthorizationFailed, kerr.MessageTooLarge, kerr.InvalidRecord} {
		t.Run(e.Message, func(t *testing.T) {
			modes(t, func(t *testing.T, once bool) {
				c := newCluster(t, 1)
				all := c.fillWith(0, 500, 1, func(i int) ([]byte, bool) {
					if i == 400 {
						return []byte("not JSON"), true
					}
					return good(i), false
				})
				fault := c.deny(topicDeadLetters, e, -1)
				o := c.options()
				o.ExactlyOnce = once
				err := start(t, o).ended()
				if err == nil || !strings.Contains(err.Error(), topicDeadLetters) || !errors.Is(err, e) {
					t.Fatalf("Run: %v", err)
				}
				if at := c.committed(); at > 400 {
					t.Errorf("committed %d", at)
				}
				before := int(c.committed())
				delivered := int(c.count(topicOK))
				fault.Remove()
				r := start(t, o) // after it was repaired, nothing is missing
				eventually(t, "all committed", func() bool { return c.committed() == 500 })
				r.drained()
				c.model(all, max(delivered-before, 0))
			})
		})
	}
}

// TestTopicMissing: a topic to write to that does not exist is an error at once.
func TestTopicMissing(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	for _, set := range []func(*options){func(o *options) { o.Accepted = "no-such" }, func(o *options) { o.DeadLetters = "no-such" }} {
		o := c.options()
		set(&o)
		err := start(t, o).ended()
		if err == nil || !strings.Contains(err.Error(), `topic "no-such" does not exist`) {
			t.Errorf("Run: %v", err)
		}
	}
}

// TestWrongCredentials: wrong or missing credentials end Run with a clear error.
func TestWrongCredentials(t *testing.T) {
	t.Parallel()
	c := newClusterWith(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "admin", "secret"))
	c.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) { // as brokers do it
		c.KeepControl()
		if strings.HasSuffix(string(req.(*kmsg.SASLAuthenticateRequest).SASLAuthBytes), "secret") {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		resp.ErrorCode, resp.ErrorMessage = kerr.SaslAuthenticationFailed.Code, new("Authentication failed: Invalid username or password")
		return resp, nil, true
	})
	for name, tt := range map[string]struct {
		opts []kgo.Opt
		want string
	}{
		"wrong": {[]kgo.Opt{kgo.SASL(plain.Auth{User: "admin", Pass: "wrong"}.AsMechanism())}, "SASL_AUTHENTICATION_FAILED"},
		"none":  {nil, "is SASL missing"},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.options()
			o.Client = append(o.Client, tt.opts...)
			if err := start(t, o).ended(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Run: %v", err)
			}
		})
	}
}

// newClusterWith is newCluster without a client of its own.
func newClusterWith(tb testing.TB, opts ...kfake.Opt) *cluster {
	fake, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(1, topicIn, topicOK, topicDeadLetters)}, opts...)...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(fake.Close)
	return &cluster{Cluster: fake, tb: tb}
}

// TestNoBroker: brokers that are not there are waited for, until the stream is stopped.
func TestNoBroker(t *testing.T) {
	t.Parallel()
	// A port that was free a moment ago may be that of another test's broker by now.
	const nobody = "127.0.0.1:1"
	c := newCluster(t, 1)
	o := c.options()
	o.Client = []kgo.Opt{kgo.SeedBrokers(nobody)}
	r := start(t, o)
	eventually(t, "a second try", func() bool { return counted(t, r.Stream, metricPrefix+"restarts_total") >= 2 })
	r.drained()
}

// TestCrash: a stream that is cut off from the brokers loses nothing. What another one delivers
// again is bounded by what was in flight.
func TestCrash(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 3)
		var all []sent
		duplicates := 0
		for range 3 {
			var w network
			o := c.options()
			o.ExactlyOnce, o.SessionTimeout, o.DrainTimeout = once, 300*time.Millisecond, time.Millisecond
			o.Client = append(o.Client, w.option())
			r := start(t, o)
			before := c.count(topicOK)
			all = append(all, c.fill(len(all), len(all)+1000, 3)...)
			eventually(t, "some delivered", func() bool { return c.count(topicOK) > before })
			w.cut()
			r.stop()
			if !once {
				duplicates += len(all) - int(c.committed())
			}
			_ = r.ended()
		}
		o := c.options()
		o.ExactlyOnce = once
		c.finish(o, all)
		found := c.model(all, duplicates)
		t.Logf("%d records, %d in their places, at most %d twice", len(all), found, duplicates)
	})
}

// TestStops: a clean stop at any moment loses nothing and delivers nothing twice.
func TestStops(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 3)
		o := c.options()
		o.ExactlyOnce = once
		var all []sent
		for i := range 6 {
			before := c.count(topicOK)
			r := start(t, o)
			all = append(all, c.fill(len(all), len(all)+1000, 3)...)
			eventually(t, "some delivered", func() bool { return c.count(topicOK) > before+int64(i*100) })
			r.drained()
		}
		c.finish(o, all)
		c.model(all, 0)
	})
}

// TestMembers: members of a group that come and go share the partitions, and deliver each record
// once.
func TestMembers(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 6)
		o := c.options()
		o.ExactlyOnce = once
		var all []sent
		more := func() { all = append(all, c.fill(len(all), len(all)+600, 6)...) }
		more()
		first := start(t, o)
		eventually(t, "first reads", func() bool { return c.count(topicOK) > 0 })
		more()
		second := start(t, o)
		eventually(t, "second has partitions", func() bool { return gauged(t, second.Stream, metricPrefix+"partitions") == 3 })
		more()
		third := start(t, o)
		eventually(t, "third has partitions", func() bool { return gauged(t, third.Stream, metricPrefix+"partitions") == 2 })
		more()
		first.drained()
		more()
		eventually(t, "the others have all partitions", func() bool {
			return gauged(t, second.Stream, metricPrefix+"partitions")+gauged(t, third.Stream, metricPrefix+"partitions") == 6
		})
		second.drained()
		more()
		eventually(t, "all committed", func() bool { return c.committed() == int64(len(all)) })
		third.drained()
		c.model(all, 0)
	})
}

// TestTopicAgain: a topic that is deleted and made again is read from its beginning.
func TestTopicAgain(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 2)
		o := c.options()
		o.ExactlyOnce = once
		c.fill(0, 100, 2)
		r := start(t, o)
		eventually(t, "all committed", func() bool { return c.committed() == 100 })
		if err := c.DeleteTopic(topicIn); err != nil {
			t.Fatal(err)
		}
		if err := c.CreateTopic(topicIn, 2, nil); err != nil {
			t.Fatal(err)
		}
		c.admin = c.client() // that knows nothing of the old topic
		c.fill(100, 150, 2)
		eventually(t, "the new topic is read", func() bool { return c.count(topicOK)+c.count(topicDeadLetters) >= 150 })
		eventually(t, "its offsets are committed", func() bool { return c.committed() == 50 })
		r.drained()
	})
}

// TestOutOfRange: where committed offsets are gone, reading goes on with what is there.
func TestOutOfRange(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	all := c.fill(0, 100, 1)
	o := c.options()
	r := start(t, o)
	eventually(t, "all committed", func() bool { return c.committed() == 100 })
	r.drained()
	c.fill(100, 200, 1)
	if err := c.DeleteRecords(topicIn, 0, 150); err != nil {
		t.Fatal(err)
	}
	r = start(t, o)
	eventually(t, "all committed", func() bool { return c.committed() == 200 })
	if n := counted(t, r.Stream, metricPrefix+"resets_total"); n != 1 {
		t.Errorf("%v resets", n)
	}
	r.drained()
	if n := c.count(topicOK) + c.count(topicDeadLetters); n != int64(len(all))+50 {
		t.Errorf("%d records", n)
	}
}

// TestSpoiledProduce: errors of a broker that pass are waited for.
func TestSpoiledProduce(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		for _, e := range []*kerr.Error{kerr.NotEnoughReplicas, kerr.NotLeaderForPartition} {
			c := newCluster(t, 2)
			all := c.fill(0, 300, 2)
			denied := c.deny(topicOK, e, 3)
			o := c.options()
			o.ExactlyOnce = once
			c.finish(o, all)
			if denied.Hits() != 3 {
				t.Errorf("%d denied", denied.Hits())
			}
			c.model(all, 0)
		}
	})
}

// TestDrainDeadline: what does not arrive before the drain deadline is not committed.
func TestDrainDeadline(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	c.fillWith(0, 100, 1, func(i int) ([]byte, bool) { return good(i), false })
	reached := make(chan struct{}, 1000)
	o := c.options()
	o.Accepted, o.DrainTimeout = "", 20*time.Millisecond
	o.Upstream = &destination{do: func(ctx context.Context, d stream.Delivery) ([]byte, error) {
		if d.Position < 50 {
			return nil, nil
		}
		reached <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	r := start(t, o)
	<-reached
	r.stop()
	if err := r.ended(); !errors.Is(err, stream.ErrDrain) {
		t.Fatalf("Run: %v", err)
	}
	if at := c.committed(); at != 50 {
		t.Errorf("committed %d", at)
	}
}

// TestRemoved: a member that the group has removed in the middle of a transaction joins again, and
// what it had read is read again.
func TestRemoved(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 2)
		all := c.fill(0, 200, 2)
		o := c.options()
		o.ExactlyOnce = once
		r := start(t, o)
		eventually(t, "some committed", func() bool { return c.committed() == 200 })
		removed := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Group: group, TopLevel: true, Err: kerr.UnknownMemberID, Count: 1},
			kfake.Fault{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Group: group, Err: kerr.UnknownMemberID, Count: 1})
		defer removed.Remove()
		all = append(all, c.fill(200, 400, 2)...)
		eventually(t, "all committed", func() bool { return c.committed() == int64(len(all)) })
		r.drained()
		c.model(all, 0) // this process knows what it had delivered
	})
}

// TestNotReady: a member that the group has removed, and that can't join again, is not ready and
// says why, until it is a member again. It is the same session all the while.
func TestNotReady(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 1)
		o := c.options()
		o.ExactlyOnce = once
		r := start(t, o)
		eventually(t, "it reads", r.Ready)
		apart := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Group: group, TopLevel: true, Err: kerr.UnknownMemberID, Count: 1},
			kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Group: group, TopLevel: true, Err: kerr.UnknownServerError, Count: -1})
		eventually(t, "it says that it does not read", func() bool { return strings.Contains(r.NotReady(), "no member of its group") })
		apart.Remove()
		eventually(t, "it reads again", r.Ready)
		if n := counted(t, r.Stream, metricPrefix+"restarts_total"); n != 0 {
			t.Errorf("it has begun again %v times", n)
		}
		r.drained()
	})
}

// TestIdleMembers: members that are idle give partitions back several times, and know it. Otherwise
// they would report the lag of partitions that others have.
func TestIdleMembers(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		const partitions = 12
		c := newCluster(t, partitions)
		o := c.options()
		o.ExactlyOnce = once
		var members []*running
		for n := 1; n <= 4; n++ {
			members = append(members, start(t, o))
			eventually(t, "an equal share for each", func() bool {
				for _, r := range members {
					if gauged(t, r.Stream, metricPrefix+"partitions") != float64(partitions/n) {
						return false
					}
				}
				return true
			})
		}
		all := c.fill(0, 1200, partitions)
		eventually(t, "all committed", func() bool { return c.committed() == int64(len(all)) })
		for _, r := range members {
			r.drained()
		}
		c.model(all, 0)
	})
}
