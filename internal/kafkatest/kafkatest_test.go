package kafkatest_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/rtbwire/rtbwire/internal/kafkatest"
)

func TestMain(m *testing.M) {
	if os.Getenv("RTBWIRE_KAFKATEST") == "" {
		fmt.Println("left out: set RTBWIRE_KAFKATEST=1, or use make verify STEPS=stream")
		return
	}
	os.Exit(m.Run())
}

// records returns n records for a topic of 2 partitions.
func records(topic string, n int) (list []*kgo.Record) {
	for i := range n {
		list = append(list, &kgo.Record{Topic: topic, Partition: int32(i % 2), Value: fmt.Append(nil, i)})
	}
	return list
}

// expect reads a topic and wants n records, each once and in order.
func expect(t *testing.T, c *kafkatest.Cluster, topic string, n int) {
	t.Helper()
	next := map[int32]int{0: 0, 1: 1}
	read := c.Read(t, topic)
	for _, r := range read {
		if got := string(r.Value); got != fmt.Sprint(next[r.Partition]) {
			t.Fatalf("partition %d: got %s, want %d", r.Partition, got, next[r.Partition])
		}
		next[r.Partition] += 2
	}
	if len(read) != n {
		t.Errorf("%d records, want %d", len(read), n)
	}
}

// TestKilled produces, kills the broker, starts it again on its data, and finds everything.
func TestKilled(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Options{})
	c.NewTopic(t, "a", 2)
	c.Produce(t, records("a", 1000))
	c.Node(1).Kill()
	c.Node(1).Launch(t)
	expect(t, c, "a", 1000)
	if got := c.Ends(t, "a").Sum(); got != 1000 {
		t.Errorf("ends add up to %d", got)
	}
	c.DeleteTopic(t, "a")
	c.NewTopic(t, "a", 2)
	expect(t, c, "a", 0)
}

// TestTransactions reads what was committed, and nothing of what was not.
func TestTransactions(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Options{})
	c.NewTopic(t, "a", 2)
	client := c.NewClient(t, kgo.TransactionalID("t"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	ctx := context.Background()
	for round, end := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit, kgo.TryAbort} {
		if err := client.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := client.ProduceSync(ctx, records("a", 100)...).FirstErr(); err != nil {
			t.Fatal(round, err)
		}
		if err := client.EndTransaction(ctx, end); err != nil {
			t.Fatal(round, err)
		}
	}
	expect(t, c, "a", 100)
}

// TestCommitted commits offsets in a transaction that ends while somebody asks for them: the answer
// is what holds after its end.
func TestCommitted(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Options{})
	c.NewTopic(t, "a", 2)
	c.Produce(t, records("a", 10))
	admin, err := c.Admin()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), kafkatest.Patience)
	defer cancel()
	before := kadm.Offsets{}
	before.AddOffset("a", 0, 1, -1)
	before.AddOffset("a", 1, 1, -1)
	if err := admin.CommitAllOffsets(ctx, "g", before); err != nil {
		t.Fatal(err)
	}
	session, err := kgo.NewGroupTransactSession(append(c.Opts(), kgo.TransactionalID("t"), kgo.ConsumerGroup("g"), kgo.ConsumeTopics("a"))...)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for read := 0; read < 8 && ctx.Err() == nil; {
		read += session.PollFetches(ctx).NumRecords()
	}
	if err := session.Begin(); err != nil {
		t.Fatal(err)
	}
	client := session.Client()
	id, epoch, err := client.ProducerID(ctx)
	if err != nil {
		t.Fatal(err)
	}
	add := kmsg.NewPtrAddOffsetsToTxnRequest()
	add.TransactionalID, add.ProducerID, add.ProducerEpoch, add.Group = "t", id, epoch, "g"
	if resp, err := add.RequestWith(ctx, client); err != nil || resp.ErrorCode != 0 {
		t.Fatal(resp, err)
	}
	commit := kmsg.NewPtrTxnOffsetCommitRequest()
	commit.TransactionalID, commit.Group, commit.ProducerID, commit.ProducerEpoch = "t", "g", id, epoch
	commit.MemberID, commit.Generation = client.GroupMetadata()
	topic := kmsg.NewTxnOffsetCommitRequestTopic()
	topic.Topic = "a"
	for p := range int32(2) {
		at := kmsg.NewTxnOffsetCommitRequestTopicPartition()
		at.Partition, at.Offset = p, 5
		topic.Partitions = append(topic.Partitions, at)
	}
	commit.Topics = append(commit.Topics, topic)
	if resp, err := commit.RequestWith(ctx, client); err != nil || resp.Topics[0].Partitions[0].ErrorCode != 0 {
		t.Fatal(resp, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		time.Sleep(500 * time.Millisecond)
		if committed, err := session.End(ctx, kgo.TryCommit); err != nil || !committed {
			t.Errorf("committed %v: %v", committed, err)
		}
	}()
	if got := c.Committed(t, "g").Sum(); got != 10 {
		t.Errorf("%d are committed, want 10", got)
	}
	<-ended
}

// TestLeaders has three brokers: with one of them gone, the others go on.
func TestLeaders(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Options{Brokers: 3})
	c.NewTopic(t, "a", 2)
	c.Produce(t, records("a", 100))
	c.Node(1).Kill()
	expect(t, c, "a", 100)
	c.Node(1).Launch(t)
	c.Node(2).Shut(t)
	expect(t, c, "a", 100)
}

// TestAccess comes in with all kinds of users, and not without.
func TestAccess(t *testing.T) {
	for _, o := range []kafkatest.Options{{SASL: true, ACL: true}, {TLS: true, Clients: true}, {SASL: true, TLS: true}} {
		t.Run(fmt.Sprintf("sasl=%v,tls=%v", o.SASL, o.TLS), func(t *testing.T) {
			c := kafkatest.Start(t, o)
			c.NewTopic(t, "a", 2)
			try := func(opts ...kgo.Opt) error {
				opts = append(opts, kgo.SeedBrokers(c.Secure()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
				if o.TLS {
					opts = append(opts, kgo.DialTLSConfig(c.TLS(t)))
				}
				ctx, cancel := context.WithTimeout(context.Background(), kafkatest.Patience)
				defer cancel()
				client := c.NewClient(t, opts...)
				return client.ProduceSync(ctx, &kgo.Record{Topic: "a", Value: []byte("x")}).FirstErr()
			}
			if !o.SASL {
				if err := try(); err != nil {
					t.Error(err)
				}
				return
			}
			c.Users(t)
			for _, mechanism := range []kgo.Opt{
				kgo.SASL(plain.Auth{User: kafkatest.User, Pass: kafkatest.Password}.AsMechanism()),
				kgo.SASL(scram.Auth{User: kafkatest.User, Pass: kafkatest.Password}.AsSha256Mechanism()),
				kgo.SASL(scram.Auth{User: kafkatest.User, Pass: kafkatest.Password}.AsSha512Mechanism()),
			} {
				if err := try(mechanism); err != nil {
					t.Error(err)
				}
			}
			if !o.ACL {
				return
			}
			mechanism := kgo.SASL(plain.Auth{User: kafkatest.User, Pass: kafkatest.Password}.AsMechanism())
			c.Deny(t, "a")
			for end := time.Now().Add(kafkatest.Patience); ; {
				if err := try(mechanism); err != nil {
					break
				}
				if time.Now().After(end) {
					t.Fatal("it may write all the same")
				}
			}
			c.Allow(t, "a")
		})
	}
}
