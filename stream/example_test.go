package stream_test

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
)

// A stream judges what is in a topic. The brokers of the example are fake ones.
func Example() {
	brokers := kfake.MustCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "bids", "bids-ok", "bids-refused"))
	defer brokers.Close()
	producer, _ := kgo.NewClient(kgo.SeedBrokers(brokers.ListenAddrs()...))
	defer producer.Close()
	for _, value := range []string{`{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"page":"https://example.com/"}}`, `{"id":"2","imp":[]}`} {
		producer.ProduceSync(context.Background(), &kgo.Record{Topic: "bids", Value: []byte(value)})
	}

	s, err := stream.New(stream.Options{
		Client: []kgo.Opt{kgo.SeedBrokers(brokers.ListenAddrs()...)},
		Topics: []string{"bids"}, Group: "edge", Accepted: "bids-ok", DeadLetters: "bids-refused",
	})
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
