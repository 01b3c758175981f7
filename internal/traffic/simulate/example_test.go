package simulate_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
	"github.com/rtbwire/rtbwire/openrtb"
)

// The same configuration makes the same requests, everywhere and in any order.
func ExampleGenerator_AppendRequest() {
	g, err := simulate.New(simulate.Config{Seed: 26, Shape: simulate.App})
	if err != nil {
		log.Fatal(err)
	}
	var text []byte
	for n := range uint64(1000) {
		text, _ = g.AppendRequest(text[:0], n)
		if _, err := openrtb.Parse(text); err != nil {
			log.Fatal(err)
		}
	}
	again, label := g.AppendRequest(nil, 999)
	fmt.Println(bytes.Equal(text, again), label.Class)
	// Output: true clean
}

// A label says what was planted.
func ExampleLabel_AppendJSON() {
	g, err := simulate.New(simulate.Config{Seed: 5, Fraud: simulate.All})
	if err != nil {
		log.Fatal(err)
	}
	_, label := g.AppendRequest(nil, 3)
	fmt.Printf("%s\n", label.AppendJSON(nil))
	// Output: {"n":3,"id":"37f560e3-35f6-4792-8975-ac6c6fd7c085","kind":"fraud","what":"inventory.storeurl"}
}

// Write makes requests on all cores and writes them in their order.
func ExampleGenerator_Write() {
	share, err := simulate.ParseShare("0.5%")
	if err != nil {
		log.Fatal(err)
	}
	g, err := simulate.New(simulate.Config{Seed: 1, Payloads: share})
	if err != nil {
		log.Fatal(err)
	}
	var requests, labels bytes.Buffer
	done, err := g.Write(context.Background(), simulate.Output{Requests: &requests, Labels: &labels, Count: 10_000})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.Requests, bytes.Count(labels.Bytes(), []byte("\n")), done.Classes[simulate.Payload])
	// Output: 10000 10000 55
}

// Send posts requests to a server.
func ExampleGenerator_Send() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent) // no bid
	}))
	defer server.Close()
	g, err := simulate.New(simulate.Config{})
	if err != nil {
		log.Fatal(err)
	}
	sent, err := g.Send(context.Background(), simulate.Sending{URL: server.URL, Connections: 4, Count: 100})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sent.Statuses)
	// Output: map[204:100]
}
