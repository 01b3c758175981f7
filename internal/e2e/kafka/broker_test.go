//go:build unix

package kafka

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/internal/kafkatest"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestBrokerKilled kills the only broker under load and starts it again on its data. The program
// goes on by itself, and nothing is lost. If the broker is gone for longer than the session, the
// group forgets its member, and delivered but uncommitted records are read again.
//
// There is no such test for transactions. Kafka 4.3 drops the commit markers of a transaction when
// the only broker is killed before it has written them: as it starts again it takes partitions
// without a leader for deleted ones. The group's offsets are committed then, and the records are
// not. TestLeaders has transactions on three brokers.
func TestBrokerKilled(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Options{})
	s := newStage(t, c, len(codecs))
	f := newFeeder(t, s)
	f.on(rate / 2)
	p := s.run(t)
	bound := 0
	for range testkit.Scale(t, 1, 3, 5) {
		s.more(t, rate/2, p)
		committed := s.Committed(t, s.group).Sum()
		c.Node(1).Kill()
		bound += int(f.begun.Load() - committed)
		time.Sleep(time.Second)
		c.Node(1).Launch(t)
	}
	s.more(t, rate/2, p)
	f.stop()
	bound += s.settled(t)
	s.done(t, p)
	p.Stop(t)
	s.account(t, bound)
}

// TestTermWithoutBroker ends the program while there is no broker: it can't commit, and says so by
// its status at the deadline. Nothing is lost.
func TestTermWithoutBroker(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Options{})
	s := newStage(t, c, len(codecs))
	f := newFeeder(t, s)
	f.on(rate / 2)
	p := s.run(t, "--drain-timeout", "2s")
	s.more(t, rate/2, p)
	c.Node(1).Kill()
	p.Signal(t, 15)
	if status := p.Status(t); status != 2 && status != 0 {
		t.Errorf("exit status %d: %s", status, p.Text())
	}
	c.Node(1).Launch(t)
	bound := s.ahead(t)
	p = s.run(t)
	f.stop()
	bound += s.settled(t)
	s.done(t, p)
	p.Stop(t)
	s.account(t, bound)
}

// TestLeaders has three brokers that are shut down, killed and started again one after the other
// under load, so that leaders of partitions, of the group and of transactions move. Nothing is
// lost, nothing comes twice.
func TestLeaders(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Options{Brokers: 3, HeapMB: 320})
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, c, 2*len(codecs))
		f := newFeeder(t, s)
		f.on(rate / 4)
		p := s.run(t, args...)
		s.more(t, rate/4, p)
		for id := 1; id <= testkit.Scale(t, 2, 3, 3); id++ {
			if id%2 == 1 {
				c.Node(id).Shut(t)
			} else {
				c.Node(id).Kill()
			}
			s.more(t, rate/4, p)
			c.Node(id).Launch(t)
			s.inSync(t)
			s.elect(t)
			s.more(t, rate/4, p)
		}
		f.stop()
		twice := s.settled(t)
		s.done(t, p)
		p.Stop(t)
		s.account(t, twice)
	})
}

// inSync waits until all replicas of the stage's topics have everything.
func (s *stage) inSync(t *testing.T) {
	t.Helper()
	admin, err := s.Admin()
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, "all replicas", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), kafkatest.Patience)
		defer cancel()
		topics, err := admin.ListTopics(ctx, s.source, s.accepted, s.dead)
		if err != nil || topics.Error() != nil {
			return false
		}
		all := true
		topics.EachPartition(func(d kadm.PartitionDetail) { all = all && len(d.ISR) == len(d.Replicas) })
		return all
	})
}

// elect moves leaders back to where they belong.
func (s *stage) elect(t *testing.T) {
	t.Helper()
	admin, err := s.Admin()
	if err != nil {
		t.Fatal(err)
	}
	var set kadm.TopicsSet
	for _, topic := range []string{s.source, s.accepted, s.dead} {
		for partition := range s.partitions {
			set.Add(topic, int32(partition))
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), kafkatest.Patience)
	defer cancel()
	if _, err := admin.ElectLeaders(ctx, kadm.ElectPreferredReplica, set); err != nil {
		t.Log(err) // brokers come and go
	}
}

// TestTopicMadeAgain deletes the topic that is read while the program runs, and makes it again:
// with fewer records than before, and with more. What is in the new one is read, from its
// beginning. If the program ends with an error, it is started again, as a service manager would.
func TestTopicMadeAgain(t *testing.T) {
	for name, n := range map[string]int{"fewer": 500, "more": 4000} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, args []string) {
				s := newStage(t, shared.get(t), len(codecs))
				f := newFeeder(t, s)
				f.all(2000)
				p := s.run(t, args...)
				s.done(t, p)
				s.DeleteTopic(t, s.source)
				time.Sleep(time.Second)
				s.NewTopic(t, s.source, s.partitions)
				f = newFeeder(t, s) // its clients know the new topic
				f.next = 2000
				f.all(n)
				starts := 0
				waitFor(t, "the records of the new topic", func() bool {
					select {
					case <-p.Ended:
						if p.ProcessState.ExitCode() == 0 {
							t.Fatalf("it has ended as if all was well: %s", p.Text())
						}
						starts++
						p = s.run(t, args...)
					default:
					}
					return s.Ends(t, s.accepted, s.dead).Sum() >= int64(2000+n)
				})
				t.Logf("the program was started again %d times", starts)
				p.Stop(t)
				s.unsure.Store(true) // offsets belong to two topics
				a := s.arrived(t)
				for number := range 2000 + n {
					if a.times(number) == 0 {
						t.Fatalf("record %d was lost", number)
					}
				}
				t.Logf("%d records, %d duplicates", 2000+n, a.duplicates())
			})
		})
	}
}

// TestTopicLater starts the program before the topic exists that it reads.
func TestTopicLater(t *testing.T) {
	s := newStage(t, shared.get(t), 2)
	s.DeleteTopic(t, s.source)
	p := s.begin(t)
	time.Sleep(2 * time.Second)
	s.NewTopic(t, s.source, 2)
	newFeeder(t, s).all(500)
	select {
	case <-p.Ended:
		t.Logf("it has ended: %s", last(p.Text()))
		p = s.run(t)
	default:
	}
	s.done(t, p)
	p.Stop(t)
	s.account(t, 0)
}

// TestPartitionsAdded adds partitions to the topic while the program runs: their records are read
// from the first one, also by a group that began at the end.
func TestPartitionsAdded(t *testing.T) {
	for _, from := range []string{"earliest", "latest"} {
		t.Run(from, func(t *testing.T) {
			s := newStage(t, shared.get(t), 2)
			p := s.run(t, "--from", from)
			s.members(t, 1, p)
			time.Sleep(2 * time.Second) // it has to find the end, too
			f := newFeeder(t, s)
			f.all(500)
			s.done(t, p)
			admin, err := s.Admin()
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), kafkatest.Patience)
			defer cancel()
			if _, err := admin.UpdatePartitions(ctx, 4, s.source, s.accepted, s.dead); err != nil {
				t.Fatal(err)
			}
			s.sent = append(s.sent, map[int64]int{}, map[int64]int{})
			two := s.make
			s.make = func(n int) *kgo.Record {
				if n < 500 {
					return two(n)
				}
				return record(s.source, n, 4)
			}
			f = newFeeder(t, s)
			f.next = 500
			f.all(1000)
			s.done(t, p)
			p.Stop(t)
			s.account(t, 0)
		})
	}
}
