package kafka

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
)

// session is one membership in the group: a client for all that is read, written and committed. It
// is a [stream.Session].
type session struct {
	g   *Group
	f   *stream.Flow
	o   *GroupOptions
	of  *stream.Options
	log *slog.Logger
	cl  *kgo.Client
	cut context.CancelFunc // ends all requests of the client
	txn *transactions      // nil without ExactlyOnce

	records []stream.Record // of the last fetch of a partition; reused

	leaders leaders
	known   catalog
	left    atomic.Bool // partitions have left since the last transaction ended, see settleRebalance

	again again        // what is read again
	alone sync.RWMutex // locked while a record is written alone
}

// Bounds of fetches. A fetch may be a quarter of what may be in flight, for each broker, and a
// batch may not inflate to more than all of it.
const (
	fetchShare        = 4
	fetchMin          = 1 << 20
	fetchPartition    = 1 << 20
	brokerReadDefault = 100 << 20
	brokerReadMax     = 1 << 30
	// fetchWait is how long a broker waits for records; partitions that come wait for it too.
	fetchWait = 500 * time.Millisecond
)

// Bounds of the membership.
const (
	// heartbeats is how many heartbeats fit into the session timeout.
	heartbeats   = 10
	heartbeatMax = 3 * time.Second
	heartbeatMin = 100 * time.Millisecond
	// rebalanceTimeout is how long the group waits for a member to give partitions back, and
	// revokeTimeout how long the member waits for records on their way.
	rebalanceTimeout = time.Minute
	revokeTimeout    = 20 * time.Second
	// lostTimeout is how long it waits for them when partitions are lost.
	lostTimeout = 5 * time.Second
	// transactionTimeout is how long the broker keeps an abandoned transaction. Readers of
	// committed records wait for it.
	transactionTimeout = 10 * time.Second
	// metadataAgeMin is how soon the leaders of partitions are asked for again.
	metadataAgeMin = time.Second
	// metadataAgeMax is how soon partitions are noticed that are added to a topic.
	metadataAgeMax = 10 * time.Second
)

// open makes the client. It connects when it is used.
func (n *session) open() (err error) {
	ctx, cut := context.WithCancel(context.Background())
	n.cut = cut
	opts := append(n.clientOptions(), kgo.WithContext(ctx))
	if n.txn != nil {
		if n.txn.own, err = kgo.NewGroupTransactSession(opts...); err == nil {
			n.cl = n.txn.own.Client()
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
	fetch := max(n.of.MaxInFlight/fetchShare, fetchMin)
	opts := append(n.connection(),
		kgo.ConsumerGroup(o.Group), kgo.ConsumeTopics(o.Topics...), kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(),
		kgo.Balancers(kgo.CooperativeStickyBalancer()), kgo.RebalanceTimeout(rebalanceTimeout),
		kgo.SessionTimeout(o.SessionTimeout),
		kgo.HeartbeatInterval(min(max(o.SessionTimeout/heartbeats, heartbeatMin), heartbeatMax)),
		kgo.OnPartitionsAssigned(n.assigned), kgo.OnPartitionsRevoked(n.revoked), kgo.OnPartitionsLost(n.lost),
		kgo.WithHooks(n), kgo.OnPartitionsCallbackBlocked(n.blocked), kgo.OnOffsetsFetched(n.offsetsFetched),
		kgo.AdjustFetchOffsetsFn(n.beginAt),
		kgo.ConsumeStartOffset(from), kgo.ConsumeResetOffset(from), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), // so that the end of a partition is reached, see [stream.Record.Mark]
		kgo.FetchMaxWait(fetchWait), kgo.FetchMaxBytes(int32(fetch)), kgo.FetchMaxPartitionBytes(int32(min(fetch, fetchPartition))),
		kgo.BrokerMaxReadBytes(int32(min(max(2*fetch, brokerReadDefault), brokerReadMax))),
		kgo.MaxDecompressBatchBytes(max(n.of.MaxInFlight, n.of.MaxRecord)),
		kgo.RequiredAcks(kgo.AllISRAcks()), kgo.RecordPartitioner(samePartition{}),
		kgo.ProducerBatchMaxBytesFn(n.known.batchMax), kgo.MaxBufferedRecords(n.of.MaxInFlight), // bounded by the bytes in flight
	)
	if o.ExactlyOnce {
		opts = append(opts, kgo.TransactionalID(n.g.id), kgo.TransactionTimeout(transactionTimeout))
	}
	return opts
}

// connection returns how to reach the brokers.
func (n *session) connection() []kgo.Opt {
	return append([]kgo.Opt{
		kgo.ClientID("rtbwire"), kgo.WithLogger(clientLog{n.log}), kgo.MetadataMinAge(metadataAgeMin), kgo.MetadataMaxAge(metadataAgeMax),
	}, n.o.Client...)
}

// Read reads until ctx ends.
func (n *session) Read(ctx context.Context) {
	measuring, stop := context.WithCancel(ctx)
	var measured sync.WaitGroup
	measured.Go(func() { n.measure(measuring) })
	if n.txn == nil {
		n.consume(ctx)
	} else {
		n.txn.run(ctx)
	}
	stop()
	measured.Wait()
}

// leaveTimeout bounds leaving the group.
const leaveTimeout = 2 * time.Second

// Close leaves the group and closes the client.
func (n *session) Close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	n.cl.AllowRebalance()
	if err := n.cl.LeaveGroupContext(ctx); err != nil {
		n.log.Warn("the group was not left; others wait for the session timeout", "group", n.o.Group, "error", err)
	}
	context.AfterFunc(ctx, n.cut)
	n.cl.CloseAllowingRebalance()
	n.cut()
	n.remember(n.f.Lanes())
}
