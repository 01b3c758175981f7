// Command copy is a bare copy loop with franz-go, as good as can be: what "rtbwire stream" is
// compared with. It reads topics as a member of a group, writes every record to another topic, and
// looks at nothing.
//
// Records go to the partition with their own number, so that their order is kept and no key is
// hashed. They are produced as they were fetched, without a copy.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

type options struct {
	brokers, topic, group, to string
	exactlyOnce               bool
	interval                  time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.brokers, "brokers", "", "addresses of brokers, separated by `commas`")
	flag.StringVar(&o.topic, "topic", "", "the `topic` that is read, from its beginning")
	flag.StringVar(&o.group, "group", "", "the consumer `group`")
	flag.StringVar(&o.to, "accepted", "", "the `topic` that is written, with as many partitions")
	flag.BoolVar(&o.exactlyOnce, "exactly-once", false, "copy in transactions")
	flag.DurationVar(&o.interval, "commit-interval", time.Second, "how often offsets are committed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, &o); err != nil {
		fmt.Fprintln(os.Stderr, "copy:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options) error {
	if o.brokers == "" || o.topic == "" || o.group == "" || o.to == "" {
		return errors.New("--brokers, --topic, --group and --accepted are all needed")
	}
	if o.exactlyOnce {
		return transactions(ctx, o)
	}
	return atLeastOnce(ctx, o)
}

// shared are the options of both loops.
func (o *options) shared() []kgo.Opt {
	return []kgo.Opt{
		kgo.SeedBrokers(strings.Split(o.brokers, ",")...),
		kgo.ConsumerGroup(o.group),
		kgo.ConsumeTopics(o.topic),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.BlockRebalanceOnPoll(),
	}
}

// atLeastOnce commits what the brokers have acknowledged. Acknowledgements of a partition come in
// the order of its records, so that of the last record of a fetch stands for all of them.
func atLeastOnce(ctx context.Context, o *options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	settle := func(_ context.Context, c *kgo.Client, _ map[string][]int32) {
		late, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		if c.Flush(late) == nil && context.Cause(ctx) != errFailed {
			_ = c.CommitMarkedOffsets(late) // otherwise the next owner copies some records again
		}
	}
	c, err := kgo.NewClient(append(o.shared(), kgo.AutoCommitMarks(), kgo.AutoCommitInterval(o.interval), kgo.OnPartitionsRevoked(settle))...)
	if err != nil {
		return err
	}
	defer c.CloseAllowingRebalance() // which revokes
	var failed error
	note := func(_ *kgo.Record, err error) { // calls are one after the other
		if err != nil && failed == nil {
			failed = err
			cancel(errFailed)
		}
	}
	for {
		fetches := c.PollFetches(ctx)
		if ctx.Err() != nil {
			break
		}
		if err := fetches.Err(); err != nil {
			return err
		}
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			if len(p.Records) == 0 {
				return
			}
			last := p.Records[len(p.Records)-1]
			mark := map[string]map[int32]kgo.EpochOffset{p.Topic: {p.Partition: {Epoch: last.LeaderEpoch, Offset: last.Offset + 1}}}
			for _, r := range p.Records {
				promise := note
				if r == last {
					promise = func(r *kgo.Record, err error) {
						if note(r, err); failed == nil {
							c.MarkCommitOffsets(mark)
						}
					}
				}
				r.Topic = o.to
				c.Produce(context.WithoutCancel(ctx), r, promise)
			}
		})
		c.AllowRebalance()
	}
	if err := c.Flush(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	return failed
}

var errFailed = errors.New("a record could not be written")

// transactions copies in transactions that end every interval.
func transactions(ctx context.Context, o *options) error {
	s, err := kgo.NewGroupTransactSession(append(o.shared(), kgo.TransactionalID(o.group), kgo.RequireStableFetchOffsets())...)
	if err != nil {
		return err
	}
	defer s.CloseAllowingRebalance()
	late := context.WithoutCancel(ctx)
	for ctx.Err() == nil {
		if err := s.Begin(); err != nil {
			return err
		}
		part, cancel := context.WithTimeout(ctx, o.interval)
		err := transaction(part, s, o.to)
		cancel()
		if err != nil {
			return err
		}
		if _, err := s.End(late, kgo.TryCommit); err != nil {
			return err
		}
		s.AllowRebalance()
	}
	return nil
}

// transaction copies until ctx ends. What could not be written makes the commit fail.
func transaction(ctx context.Context, s *kgo.GroupTransactSession, to string) error {
	for {
		fetches := s.PollFetches(ctx)
		if ctx.Err() != nil && fetches.Empty() {
			return nil
		}
		if err := fetches.Err(); err != nil && ctx.Err() == nil {
			return err
		}
		fetches.EachRecord(func(r *kgo.Record) {
			r.Topic = to
			s.Produce(context.WithoutCancel(ctx), r, nil)
		})
	}
}
