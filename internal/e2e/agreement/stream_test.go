package agreement

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/stream"
	"github.com/rtbwire/rtbwire/stream/kafka"
)

// numberHeader has the number of a document.
const numberHeader = "n"

// askStream writes the documents to a topic, has a stream judge them, and reads what it has
// written.
func askStream(t *testing.T, s *config.Setup, docs [][]byte) []aspects {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, "bids", "accepted", "refused"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.ConsumeTopics("accepted", "refused"), kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var records []*kgo.Record
	for i, doc := range docs {
		records = append(records, &kgo.Record{Topic: "bids", Value: doc, Headers: []kgo.RecordHeader{
			{Key: numberHeader, Value: strconv.AppendInt(nil, int64(i), 10)}, {Key: known.Headers[0].Name, Value: []byte(known.Headers[0].Value)},
		}})
	}
	if err := client.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	facts := known
	facts.Headers = nil // they are the records'
	group, err := kafka.NewGroup(kafka.GroupOptions{
		Client: []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...)}, Topics: []string{"bids"}, Group: "g", Accepted: "accepted", DeadLetters: "refused",
	})
	if err != nil {
		t.Fatal(err)
	}
	o := stream.Options{Engine: s.Engine, Facts: facts, FactHeaders: gateway.ConfiguredOptions(&s.Config.Scope).FactHeaders, Jobs: 3, Log: slog.New(slog.DiscardHandler)}
	if err := group.Connect(&o); err != nil {
		t.Fatal(err)
	}
	st, err := stream.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- st.Run(ctx) }()
	all, late := make([]aspects, len(docs)), time.AfterFunc(time.Minute, stop)
	defer late.Stop()
	for n := 0; n < len(docs); {
		fetches := client.PollFetches(ctx)
		if ctx.Err() != nil {
			t.Fatalf("%d of %d documents have come out within a minute", n, len(docs))
		}
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			i, err := strconv.Atoi(header(r, numberHeader))
			if err != nil || all[i] != nil {
				t.Errorf("a record that was not sent, or that comes twice: %+v", r)
				return
			}
			all[i] = seenIn(r)
			n++
		})
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return all
}

// seenIn returns what a record shows of its verdict.
func seenIn(r *kgo.Record) aspects {
	if r.Topic == "accepted" {
		return aspects{decision: decisionOf(inspect.ActionForward.String(), "", 0), forwarded: string(r.Value)}
	}
	nbr, _ := strconv.Atoi(header(r, "rtbwire-nbr"))
	return aspects{
		decision: decisionOf(inspect.ActionRefuse.String(), header(r, "rtbwire-reason"), nbr), forwarded: "",
		place: fmt.Sprintf("%q, %s", header(r, "rtbwire-path"), header(r, "rtbwire-offset")),
	}
}

// header returns the last header with a name.
func header(r *kgo.Record, name string) (value string) {
	for _, h := range r.Headers {
		if h.Key == name {
			value = string(h.Value)
		}
	}
	return value
}
