package runbook

import (
	"context"
	"os/exec"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// These faults need answers that a broker gives to order, which the broker of franz-go's tests
// does. What real brokers do is tested in internal/e2e/kafka.

// brokers starts a broker with topics, and has the stage feed them.
func (s *stage) brokers() {
	s.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "bids", "bids-ok", "bids-refused"))
	s.must(err)
	s.Cleanup(cluster.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DefaultProduceTopic("bids"))
	s.must(err)
	s.Cleanup(client.Close)
	s.cluster = cluster
	s.feed = func(body string, n int) {
		var records []*kgo.Record
		for line := range strings.Lines(s.records(body, n)) {
			records = append(records, kgo.StringRecord(strings.TrimSpace(line)))
		}
		s.must(client.ProduceSync(context.Background(), records...).FirstErr())
	}
}

// startTopics starts a stream of topics.
func startTopics(s *stage, f *fault) {
	s.Helper()
	if s.cluster == nil {
		s.brokers()
	}
	args := []string{"stream", "--brokers", strings.Join(s.cluster.ListenAddrs(), ","), "--topic", "bids", "--group", "edge", "--dead-letters", "bids-refused", "--admin", "127.0.0.1:0"}
	if s.core != nil {
		args = append(args, "--upstream", "http://"+s.core.address)
	} else {
		args = append(args, "--accepted", "bids-ok")
	}
	s.start(exec.Command(program, append(args, f.args...)...), false, 1)
	s.until("the group", func() bool { return strings.Contains(s.process.Text(), "msg=consuming") })
}

// unwritable has the broker refuse what is written to a topic.
func (s *stage) unwritable(topic string) {
	s.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topic, Err: kerr.TopicAuthorizationFailed, Count: -1})
}

var kafkaFaults = []fault{
	{
		title: "The brokers are gone", start: startTopics, make: func(s *stage) { s.cluster.Close() },
		more: func(*stage) {}, // there is nobody who takes records
		log:  []string{"the group can't be joined"}, metrics: []string{"partitions = 0", "ready = 0", "fetch_errors_total"}, page: []string{"fetch", "reads"},
		then: "Nothing is lost: what is not committed is read again. Look at the brokers and at the network between; the stream goes on by itself.",
	},
	{
		title: "The topic of dead letters can't be written", start: startTopics, ends: true,
		make: func(s *stage) { s.unwritable("bids-refused"); s.feed(good, usual); s.feed(`{"id":"1","imp":[{]}`, 4) },
		log:  []string{"can't be written"},
		then: "Nothing is dropped: the stream ends with status 2 before it commits anything past the record, and says which right it needs. Give it the right; whatever starts it again (systemd, Kubernetes) lets it go on where it was. A broker that has too few replicas is waited for instead.",
	},
	{
		title: "Lag grows", prepare: func(s *stage) { s.core = s.startCore("") }, start: startTopics, args: []string{"--concurrency", "2"},
		make: func(s *stage) { s.replaceCore("--latency", "500ms") },
		more: func(s *stage) { s.feed(good, 4000) },
		log:  []string{"needs attention"}, metrics: []string{"lag_records"}, page: []string{"lag"},
		then: "More records come than are delivered. If the time of the upstream has grown, it is the upstream; if processors are busy, add processes, up to the number of partitions ([capacity.md](capacity.md)).",
	},
}
