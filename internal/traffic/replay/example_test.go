package replay_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/internal/traffic/core"
	"github.com/rtbwire/rtbwire/internal/traffic/replay"
)

// startCore starts a server to send to.
func startCore(config core.Config) net.Listener {
	server, err := core.New(config)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := core.Listen("127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go server.Serve(listener)
	return listener
}

const bids = `{"id":"r1","imp":[{"id":"1","banner":{"w":300,"h":250}}]}
{"id":"r2","imp":[{"id":"1","banner":{"w":728,"h":90},"bidfloor":1.5}]}
`

// Send the requests of a file for a quarter of a second, 50 each, and check the answers.
func Example() {
	listener := startCore(core.Config{BidShare: 1})
	bodies, err := replay.Load([]batch.Input{batch.From("bids.ndjson", strings.NewReader(bids))}, replay.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	target, err := replay.ParseTarget("http://" + listener.Addr().String() + "/openrtb2/auction")
	if err != nil {
		log.Fatal(err)
	}
	result, err := replay.Run(context.Background(), replay.Config{
		Target: target, Bodies: bodies, Rate: 400, Duration: 250 * time.Millisecond, Connections: 8, LagMax: time.Minute, Check: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	t := &result.Target
	fmt.Println(bodies.Len(), bodies.Size(), bodies.More(), bodies.TooLarge(), string(bodies.At(0)[:9]))
	fmt.Println(result.Invalid == "", t.Sent, t.Answered, t.Statuses, t.Failed(), t.ServerErrors(), t.ErrorShare())
	fmt.Println(t.Latency.Count() == t.Naive.Count(), t.Latency.Min() > 0, t.Latency.Mean() > 0, t.Latency.Quantile(0.99) <= t.Latency.Max())
	fmt.Println(len(t.Intervals) > 0, t.Intervals[0].Rate() > 0)
	fmt.Println(result.Judgement.Checked, result.Judgement.Wrong)
	// Output:
	// 2 128 false 0 {"id":"r1
	// true 100 100 map[200:100] 0 0 0
	// true true true true
	// true true
	// 100 0
}

// Record the answers of a server, and compare them with those of another.
func ExampleLoadExpected() {
	target, err := replay.ParseTarget("http://" + startCore(core.Config{BidShare: 1}).Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	var record bytes.Buffer
	config := replay.Config{
		Target: target, Bodies: replay.BodiesOf([]byte(`{"id":"r1","imp":[{"id":"1","banner":{"w":300,"h":250}}]}`)), Requests: 1, Record: &record,
	}
	if _, err := replay.Run(context.Background(), config); err != nil {
		log.Fatal(err)
	}

	expected, err := replay.LoadExpected([]batch.Input{batch.From("answers", &record)}, replay.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	config.Record, config.Expect = nil, expected
	config.Target, err = replay.ParseTarget("http://" + startCore(core.Config{ReasonShare: 1}).Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	result, err := replay.Run(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(expected.Len(), result.Judgement.Compared, result.Judgement.Different)
	for _, e := range result.Judgement.Examples {
		fmt.Println(e.Kind, e.ID, e.What)
	}
	// Output:
	// 1 1 1
	// different r1 values differ at "/bidid" (the answer, the expected one)
}

// Find the highest rate at which a server keeps a limit.
func ExampleFindLimit() {
	latency, err := core.ParseLatency("20ms")
	if err != nil {
		log.Fatal(err)
	}
	target, err := replay.ParseTarget("http://" + startCore(core.Config{Latency: latency}).Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	limit, err := replay.ParseLimit("p50<60ms")
	if err != nil {
		log.Fatal(err)
	}
	limit.Precision = 0.5
	found, err := replay.FindLimit(context.Background(), replay.Config{
		Target: target, Bodies: replay.BodiesOf([]byte(`{"id":"r1"}`)), Rate: 50, Duration: 100 * time.Millisecond,
		Connections: 4, Timeout: 100 * time.Millisecond, LagMax: time.Minute,
	}, limit)
	if err != nil {
		log.Fatal(err)
	}
	// Four connections and 20 ms for each answer are 200 requests a second, and more for a moment.
	fmt.Println(found.Limit, found.Rate >= 50, found.Rate <= 400)
	// Output: p50<60ms true true
}

func ExampleFailure() {
	fmt.Println(replay.FailureTimeout, replay.FailureUnsent)
	// Output: timeout unsent
}
