package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Use is what a stream is going to use of the brokers.
type Use struct {
	Read, Write []string // topics
	Group       string   // may be empty
}

const (
	// CheckTimeout is how long [Check] takes at most.
	CheckTimeout = 15 * time.Second
	// electionPause is how long Check waits before it asks again for the leader of a partition.
	electionPause = 200 * time.Millisecond
)

// Check asks the brokers that [Options.Client] names whether what a stream uses is there: that they
// can be reached and take the credentials, also under the addresses by which they know each other,
// that the topics exist, and that the group may be joined. It creates nothing. The error is one
// sentence with what to do next.
func Check(ctx context.Context, o Options, use Use) error {
	opts, err := o.Client()
	if err != nil {
		return err
	}
	if err := o.validate(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, CheckTimeout)
	defer cancel()
	client, err := kgo.NewClient(append(opts, kgo.WithLogger(silent{}))...)
	if err != nil {
		return err
	}
	defer client.Close()
	c := &check{o: &o, client: client}
	for _, step := range []func() error{
		func() error { return c.seeds(ctx) },
		func() error { return c.topics(ctx, use) },
		func() error { return c.leaders(ctx) },
		func() error { return c.group(ctx, use.Group) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// silent drops what the library says: Check says it itself.
type silent struct{}

func (silent) Level() kgo.LogLevel              { return kgo.LogLevelNone }
func (silent) Log(kgo.LogLevel, string, ...any) {}

// check is one run of Check.
type check struct {
	o       *Options
	client  *kgo.Client
	brokers map[int32]string // addresses by which brokers know each other
	leading []int32          // those that have a partition of a topic
}

// seeds wants an answer of one of the brokers that are named.
func (c *check) seeds(ctx context.Context) error {
	seeds := c.client.SeedBrokers()
	answers := make(chan error, len(seeds))
	for i, seed := range seeds {
		go func() {
			_, err := seed.Request(ctx, kmsg.NewPtrMetadataRequest())
			if err != nil {
				err = c.o.explain(c.o.Brokers[min(i, len(c.o.Brokers)-1)], err)
			}
			answers <- err
		}()
	}
	var worst error
	for range seeds {
		err := <-answers
		if err == nil {
			return nil
		}
		if worst == nil || closer(err) > closer(worst) {
			worst = err
		}
	}
	if len(seeds) > 1 {
		return fmt.Errorf("none of the %d brokers can be used: %w", len(seeds), worst)
	}
	return worst
}

// closer tells how far a broker was reached: what was refused by one says more than that another
// one is down.
func closer(err error) int {
	var dial *connectError
	switch {
	case !errors.As(err, &dial):
		return 2
	case dial.handshake:
		return 1
	}
	return 0
}

// topics wants all topics to be there, with leaders.
func (c *check) topics(ctx context.Context, use Use) error {
	names := slices.Concat(use.Read, use.Write)
	slices.Sort(names)
	names = slices.Compact(names)
	for {
		resp, err := c.metadata(ctx, names)
		if err != nil {
			return c.o.explain(strings.Join(c.o.Brokers, ", "), err)
		}
		wait, err := c.read(resp)
		if err == nil && !wait {
			return nil
		}
		if err != nil {
			return err
		}
		select { // a new topic has no leader for a moment
		case <-time.After(electionPause):
		case <-ctx.Done():
			return errors.New("a partition of the topics has no leader: wait until the cluster is well, or look at its brokers")
		}
	}
}

// metadata asks about topics.
func (c *check) metadata(ctx context.Context, names []string) (*kmsg.MetadataResponse, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{}
	for _, name := range names {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = new(name)
		req.Topics = append(req.Topics, t)
	}
	return req.RequestWith(ctx, c.client)
}

// read reads what was answered about topics. It reports whether to ask again.
func (c *check) read(resp *kmsg.MetadataResponse) (wait bool, err error) {
	c.brokers, c.leading = map[int32]string{}, nil
	for _, b := range resp.Brokers {
		c.brokers[b.NodeID] = fmt.Sprintf("%s:%d", b.Host, b.Port)
	}
	for _, t := range resp.Topics {
		name := ""
		if t.Topic != nil {
			name = *t.Topic
		}
		switch err := kerr.ErrorForCode(t.ErrorCode); {
		case err == nil:
		case errors.Is(err, kerr.LeaderNotAvailable):
			wait = true
		default:
			return false, c.o.topic(name, err)
		}
		for _, p := range t.Partitions {
			if p.Leader < 0 {
				wait = true
			} else if !slices.Contains(c.leading, p.Leader) {
				c.leading = append(c.leading, p.Leader)
			}
		}
	}
	return wait, nil
}

// leaders wants an answer of each broker that has a partition, by the address that it is known by.
func (c *check) leaders(ctx context.Context) error {
	answers := make(chan error, len(c.leading))
	for _, id := range c.leading {
		go func() {
			_, err := c.client.Broker(int(id)).Request(ctx, kmsg.NewPtrMetadataRequest())
			if err != nil {
				address := c.brokers[id]
				err = c.o.explain(address, err)
				if !slices.Contains(c.o.Brokers, address) {
					err = fmt.Errorf("%w (the brokers say themselves that broker %d is at %s: their advertised.listeners must be addresses that can be reached from here)", err, id, address)
				}
			}
			answers <- err
		}()
	}
	var failed error
	for range c.leading {
		if err := <-answers; err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}

// group wants to be allowed to use the group. Everything else about it may change until it is
// joined.
func (c *check) group(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.o.DialTimeout)
	defer cancel()
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorKey = name
	req.CoordinatorKeys = []string{name}
	resp, err := req.RequestWith(ctx, c.client)
	if err != nil {
		return nil // the coordinator may come later; consuming waits for it
	}
	code := resp.ErrorCode
	if len(resp.Coordinators) > 0 {
		code = resp.Coordinators[0].ErrorCode
	}
	if err := kerr.ErrorForCode(code); errors.Is(err, kerr.GroupAuthorizationFailed) {
		return c.o.explain(strings.Join(c.o.Brokers, ", "), fmt.Errorf("the group %s: %w", name, err))
	}
	return nil
}
