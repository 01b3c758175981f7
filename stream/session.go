package stream

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// session is one membership in the group: a client, and the goroutines that work for it. It ends
// with Run, or with an error after which the next one begins at the committed offsets.
type session struct {
	s   *Stream
	o   *Options
	cl  *kgo.Client
	cut context.CancelFunc        // ends all requests of the client
	txn *kgo.GroupTransactSession // with ExactlyOnce

	// work ends when what is still on its way is given up.
	work   context.Context
	giveUp context.CancelFunc
	// failed is closed when err is set.
	failed   chan struct{}
	failOnce sync.Once
	err      error

	room       *room
	todo       *queue[*chunk]
	deliveries *queue[delivery]
	working    sync.WaitGroup
	alone      sync.RWMutex // locked while a record is written alone

	mu         sync.Mutex
	partitions map[topicPartition]*partition
	committing sync.Mutex    // while offsets are committed, and while partitions leave
	asked      chan struct{} // a rebalance waits

	ids    map[string]kadm.TopicID          // of the topics that are read
	limits map[string]int                   // the size of the largest batch, by topic that is written
	counts atomic.Pointer[map[string]int32] // how many partitions a topic has that is read

	drained bool // of transactions: whether the last one had everything
	// left is true when partitions have left since the last transaction ended, and waiting ends a
	// poll that waits for one to begin. See settleRebalance.
	left    atomic.Bool
	waiting atomic.Pointer[context.CancelFunc]
}

type topicPartition struct {
	topic     string
	partition int32
}

// Bounds of fetches; see [Options.MaxInFlight].
const (
	fetchShare        = 4
	fetchLeast        = 1 << 20
	fetchPartition    = 1 << 20
	brokerReadDefault = 100 << 20
	// fetchWait is how long a broker waits for records; partitions that come wait for it too.
	fetchWait = 500 * time.Millisecond
)

// Bounds of the membership.
const (
	// heartbeats is how many heartbeats fit into the session timeout.
	heartbeats     = 10
	heartbeatMost  = 3 * time.Second
	heartbeatLeast = 100 * time.Millisecond
	// rebalanceTimeout is how long the group waits for a member to give partitions back, and
	// revokeTimeout how long the member waits for records on their way.
	rebalanceTimeout = time.Minute
	revokeTimeout    = 20 * time.Second
	// transactionTimeout is how long a transaction stays open that nobody ends, after a crash say.
	// Readers of committed records wait for it.
	transactionTimeout = 10 * time.Second
	// metadataAge is how soon the leaders of partitions are asked for again.
	metadataAge = time.Second
	// metadataAgeMost is how soon partitions are noticed that are added to a topic.
	metadataAgeMost = 10 * time.Second
)

// transactionalID returns a name for the transactions of one process.
func transactionalID(group string) string { return "rtbwire-" + group + "-" + rand.Text() }

// member is a session from its beginning to its end.
func (s *Stream) member(ctx context.Context) error {
	n := &session{
		s: s, o: &s.options, failed: make(chan struct{}), room: newRoom(s.options.MaxInFlight),
		todo: newQueue[*chunk](), deliveries: newQueue[delivery](), partitions: map[topicPartition]*partition{}, asked: make(chan struct{}, 1),
	}
	n.deliveries.taking = func(d *delivery) { d.late = d.c.p.isStopped() }
	n.work, n.giveUp = context.WithCancel(context.WithoutCancel(ctx))
	defer n.giveUp()
	if err := n.topics(ctx); err != nil {
		return err
	}
	if err := n.open(); err != nil {
		return &fatal{err}
	}
	s.session.Store(n)
	defer s.session.Store(nil)
	n.start()
	polling, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // a failure ends a poll
		select {
		case <-n.failed:
			stop()
		case <-polling.Done():
		}
	}()
	background, stopBackground := context.WithCancel(ctx)
	var ticking sync.WaitGroup
	ticking.Go(func() { n.measure(background) })
	if n.txn == nil {
		ticking.Go(func() { n.commitNowAndThen(background) })
		n.consume(polling)
	} else {
		n.transact(polling, ctx)
	}
	s.ready.Store(false)
	stopBackground()
	ticking.Wait()
	return n.end(ctx)
}

// open makes the client. It connects when it is used.
func (n *session) open() (err error) {
	ctx, cut := context.WithCancel(context.Background())
	n.cut = cut
	opts := append(n.clientOptions(), kgo.WithContext(ctx))
	if n.o.ExactlyOnce {
		if n.txn, err = kgo.NewGroupTransactSession(opts...); err == nil {
			n.cl = n.txn.Client()
		}
	} else {
		n.cl, err = kgo.NewClient(opts...)
	}
	if err != nil {
		cut()
		return fmt.Errorf("stream: %w", err)
	}
	return nil
}

// clientOptions returns those of the caller, and ours.
func (n *session) clientOptions() []kgo.Opt {
	o := n.o
	from := kgo.NewOffset().AtStart()
	if o.From == Latest {
		from = kgo.NewOffset().AtEnd()
	}
	fetch := max(o.MaxInFlight/fetchShare, fetchLeast)
	opts := append(n.s.connection(),
		kgo.ConsumerGroup(o.Group), kgo.ConsumeTopics(o.Topics...), kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(),
		kgo.Balancers(kgo.CooperativeStickyBalancer()), kgo.RebalanceTimeout(rebalanceTimeout),
		kgo.SessionTimeout(o.SessionTimeout),
		kgo.HeartbeatInterval(min(max(o.SessionTimeout/heartbeats, heartbeatLeast), heartbeatMost)),
		kgo.OnPartitionsAssigned(n.assigned), kgo.OnPartitionsRevoked(n.revoked), kgo.OnPartitionsLost(n.lost),
		kgo.OnPartitionsCallbackBlocked(n.blocked), kgo.OnOffsetsFetched(n.offsetsFetched),
		kgo.AdjustFetchOffsetsFn(n.beginAt),
		kgo.ConsumeStartOffset(from), kgo.ConsumeResetOffset(from), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), // so that the end of a partition is reached, see [fate]
		kgo.FetchMaxWait(fetchWait), kgo.FetchMaxBytes(int32(fetch)), kgo.FetchMaxPartitionBytes(int32(min(fetch, fetchPartition))),
		kgo.BrokerMaxReadBytes(int32(min(max(2*fetch, brokerReadDefault), 1<<30))),
		kgo.MaxDecompressBatchBytes(max(o.MaxInFlight, o.MaxRecord)),
		kgo.RequiredAcks(kgo.AllISRAcks()), kgo.RecordPartitioner(samePartition{}),
		kgo.ProducerBatchMaxBytesFn(n.batchMost), kgo.MaxBufferedRecords(o.MaxInFlight), // bounded by the bytes in flight
	)
	if o.ExactlyOnce {
		opts = append(opts, kgo.TransactionalID(n.s.id), kgo.TransactionTimeout(transactionTimeout))
	}
	return opts
}

// connection returns how to reach the brokers.
func (s *Stream) connection() []kgo.Opt {
	return append([]kgo.Opt{
		kgo.ClientID("rtbwire"), kgo.WithLogger(clientLog{s.options.Log}), kgo.MetadataMinAge(metadataAge), kgo.MetadataMaxAge(metadataAgeMost),
	}, s.options.Client...)
}

// start starts the jobs, and what delivers to the upstream.
func (n *session) start() {
	for range n.o.Jobs {
		n.working.Go(n.judge)
	}
	if n.o.Upstream != nil {
		for range n.o.Concurrency {
			n.working.Go(n.deliver)
		}
	}
}

// fail ends the session. The first error counts.
func (n *session) fail(err error) {
	n.failOnce.Do(func() {
		n.err = err
		close(n.failed)
	})
}

// failure returns the error of a session that has failed.
func (n *session) failure() error {
	select {
	case <-n.failed:
		return n.err
	default:
		return nil
	}
}

// assignedPartitions returns the partitions that the member has.
func (n *session) assignedPartitions() (all []*partition) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.partitions {
		all = append(all, p)
	}
	return all
}

// partition returns the state of an assigned partition, nil if it is not assigned.
func (n *session) partition(topic string, number int32) *partition {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.partitions[topicPartition{topic, number}]
}
