// Command gateway is a Go service with an embedded gateway: bid requests are judged before they
// reach its auction, a function of the same process. An inspection of its own adds to the verdict.
//
//	go run ./examples/gateway
//	curl -i -H 'Content-Type: application/json' -d @testdata/bench/banner.json http://127.0.0.1:8080/openrtb2/auction
package main

import (
	"context"
	"errors"
	"log"
	"net"
	"os/signal"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/openrtb"
)

// rules say what becomes of the score of markets. 8 is OpenRTB's no-bid reason for unmatched users.
const rules = `version: 1
rules: [{name: no-market, when: 'facts.vendor["markets"].score > 0', severity: refuse, nbr: 8}]`

// markets is an inspection: the countries in which there are advertisers. It neither waits nor
// allocates.
type markets map[string]bool

func (markets) Name() string { return "markets" }
func (m markets) Inspect(r *openrtb.BidRequest, _ *inspect.Facts) int {
	if r.Device == nil || r.Device.Geo == nil || m[r.Device.Geo.Country] {
		return 0
	}
	return 100
}

// auction is the core: a bid of a dollar for the first impression of what the gateway lets pass.
func auction(req *fasthttp.Request, resp *fasthttp.Response, _ time.Duration) error {
	r, err := openrtb.Parse(req.Body())
	if err != nil {
		return err // not reached: the gateway has decoded it
	}
	bid := []openrtb.Bid{{ID: "1", ImpID: r.Imp[0].ID, Price: new(1.0)}}
	answer := openrtb.BidResponse{ID: r.ID, SeatBid: []openrtb.SeatBid{{Bid: bid}}}
	text, err := answer.AppendJSON(nil)
	resp.Header.SetContentType("application/json")
	resp.SetBody(text)
	return err
}

// newGateway puts them together.
func newGateway() (*gateway.Gateway, error) {
	c, problems := config.Parse("rules", rules, config.Options{})
	if len(problems) > 0 {
		return nil, problems
	}
	setup, problems := c.Open(config.OpenOptions{})
	if len(problems) > 0 {
		return nil, problems
	}
	own := []gateway.Inspector{markets{"USA": true, "DEU": true}}
	return gateway.New(gateway.Options{Engine: setup.Engine, Inspectors: own, Core: gateway.CoreFunc(auction)})
}

func main() {
	g, err := newGateway()
	listener, err2 := net.Listen("tcp", "127.0.0.1:8080")
	if err := errors.Join(err, err2); err != nil {
		log.Fatal(err)
	}
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	go func() { log.Println("no more connections:", g.Serve(listener)) }()
	<-ctx.Done()
	log.Println("stopped:", g.Shutdown(context.Background())) // it has answered what was read
}
