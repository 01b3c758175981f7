package core_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/internal/traffic/core"
	"github.com/rtbwire/rtbwire/openrtb"
)

// A core for a test of what is in front of it: it bids on everything, and counts.
func Example() {
	server, err := core.New(core.Config{BidShare: 1, KeepIDs: 10})
	if err != nil {
		log.Fatal(err)
	}
	listener, err := core.Listen("127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- server.Serve(listener) }()

	request := `{"id":"r1","imp":[{"id":"1","banner":{"w":300,"h":250},"bidfloor":2.5}]}`
	resp, err := http.Post("http://"+listener.Addr().String()+"/openrtb2/auction", "application/json", strings.NewReader(request))
	if err != nil {
		log.Fatal(err)
	}
	answer, err := openrtb.ParseResponseReader(resp.Body, 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		log.Fatal(err)
	}
	bid := answer.SeatBid[0].Bid[0]
	fmt.Println(resp.StatusCode, answer.ID, bid.ImpID, *bid.W, *bid.H, *bid.Price >= 2.5)

	http.DefaultClient.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-done)
	stats := server.Stats()
	fmt.Println(stats.Requests, stats.Bids, stats.LastIDs)
	// Output:
	// 200 r1 1 300 250 true
	// <nil>
	// 1 1 [r1]
}

// A Bidder makes bids without a server.
func ExampleBidder_Append() {
	req, err := openrtb.Parse([]byte(`{"id":"r1","imp":[{"id":"1","video":{"mimes":["video/mp4"],"minduration":5,"maxduration":10}}],"cur":["EUR"]}`))
	if err != nil {
		log.Fatal(err)
	}
	var bidder core.Bidder
	body, ok := bidder.Append(nil, req, 0)
	resp, err := openrtb.ParseResponse(body)
	if err != nil {
		log.Fatal(err)
	}
	bid := resp.SeatBid[0].Bid[0]
	fmt.Println(ok, resp.Cur, *bid.Dur, strings.HasPrefix(bid.AdM, `<VAST version="3.0">`))
	// Output: true EUR 10 true
}

func ExampleParseLatency() {
	latency, err := core.ParseLatency("p50=2ms,p99=20ms")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(latency)
	for _, share := range []float64{0.5, 0.99, 0.999} {
		fmt.Println(share, latency.At(share).Round(time.Millisecond))
	}
	// Output:
	// p50=2ms,p99=20ms
	// 0.5 2ms
	// 0.99 20ms
	// 0.999 43ms
}
