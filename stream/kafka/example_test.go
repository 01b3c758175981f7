package kafka_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

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
