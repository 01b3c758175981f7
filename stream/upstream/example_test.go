package upstream_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/rtbwire/rtbwire/stream"
	"github.com/rtbwire/rtbwire/stream/upstream"
)

// An auction takes accepted records by HTTP.
func Example() {
	auction := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s has %d bytes", r.Header.Get("X-Rtbwire-Source"), len(body))
	}))
	defer auction.Close()

	u, err := upstream.New(upstream.Options{URL: auction.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer u.Close()
	answer, err := u.Deliver(context.Background(), stream.Delivery{Lane: stream.LaneID{Name: "bids", Number: 3}, Position: 1200, Value: []byte(`{"id":"1"}`)})
	fmt.Printf("%s, %v, paused: %v\n", answer, err, u.Paused())
	// Output: bids/3/1200 has 10 bytes, <nil>, paused: false
}
