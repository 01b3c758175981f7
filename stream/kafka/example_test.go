package kafka_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
	"github.com/rtbwire/rtbwire/stream/kafka"
)

// The brokers are asked before anything is read: a topic that is missing is told in a sentence.
func Example() {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "bids", "bids-ok"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()

	o := kafka.Options{Brokers: cluster.ListenAddrs()}
	err = kafka.Check(context.Background(), o, kafka.Use{Read: []string{"bids"}, Write: []string{"bids-ok"}, Group: "edge"})
	fmt.Println("all there:", err)
	err = kafka.Check(context.Background(), o, kafka.Use{Read: []string{"bids"}, Write: []string{"bids-refused"}})
	problem, _, _ := strings.Cut(err.Error(), " (")
	fmt.Println(problem)

	opts, err := o.Client()
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	fmt.Println("connected:", client.Ping(context.Background()))
	// Output:
	// all there: <nil>
	// there is no topic bids-refused: create it
	// connected: <nil>
}

// A stream judges what is in a topic. The brokers of the example are fake ones.
func ExampleGroup() {
	brokers := kfake.MustCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "bids", "bids-ok", "bids-refused"))
	defer brokers.Close()
	producer, _ := kgo.NewClient(kgo.SeedBrokers(brokers.ListenAddrs()...))
	defer producer.Close()
	for _, value := range []string{`{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"page":"https://example.com/"}}`, `{"id":"2","imp":[]}`} {
		producer.ProduceSync(context.Background(), &kgo.Record{Topic: "bids", Value: []byte(value)})
	}

	group, err := kafka.NewGroup(kafka.GroupOptions{
		Client: []kgo.Opt{kgo.SeedBrokers(brokers.ListenAddrs()...)},
		Topics: []string{"bids"}, Group: "edge", Accepted: "bids-ok", DeadLetters: "bids-refused",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var options stream.Options
	if err := group.Connect(&options); err != nil {
		fmt.Println(err)
		return
	}
	s, err := stream.New(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()

	for _, topic := range []string{"bids-ok", "bids-refused"} {
		for brokers.PartitionInfo(topic, 0).HighWatermark == 0 {
			time.Sleep(time.Millisecond)
		}
		fmt.Println(topic, brokers.PartitionInfo(topic, 0).HighWatermark)
	}
	stop() // what is on its way arrives and is committed
	fmt.Println(<-ended)
	// Output:
	// bids-ok 1
	// bids-refused 1
	// <nil>
}
