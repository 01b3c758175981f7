// Package core is a stand-in auction core: a server that answers OpenRTB bid requests, for tests
// and measurements of the tier in front of it.
//
//	server, err := core.New(core.Config{BidShare: 0.6, Latency: latency})
//	listener, err := core.Listen("127.0.0.1:9000")
//	go server.Serve(listener)
//	defer server.Shutdown(ctx)
//
// Its bids are made from the request and pass the rules about pairs of package inspect/schema: the
// price is above the floor, the size is one that was asked for, advertiser and category are not
// blocked. What a request is answered with, and after how long, depends on its id and on
// [Config.Seed] alone: the same request gets the same answer in every run.
//
//	POST, any path   an OpenRTB request
//	GET /stats       the counts of [Server.Stats] as JSON
//	GET /healthz     200 while the server runs
//
// # Files of this package
//
// core.go is the configuration, server.go the server, stats.go what it counts; outcome.go chooses
// answers and latency.go their latency; bidder.go makes bids, deals.go and creative.go the parts of
// a bid, markup.go and native.go their markup.
package core

import (
	"fmt"
	"math"

	"github.com/rtbwire/rtbwire/wire"
)

// Limits and defaults of a server.
const (
	// BodyDefault is the default of [Config.MaxBody], in bytes.
	BodyDefault = 4 << 20
	// ImpsMax is how many impressions of a request are looked at.
	ImpsMax = 64
	// IDsMax is the largest value of [Config.KeepIDs].
	IDsMax = 1 << 16
)

// Config configures a [Server]. The zero value never bids and answers at once with 204.
type Config struct {
	// BidShare is the share of requests that get bids, from 0 to 1. A request that leaves nothing
	// to bid on, such as one in a private auction without deals, gets none all the same.
	BidShare float64
	// ErrorShare is the share of requests that are answered with status 500.
	ErrorShare float64
	// GarbageShare is the share of requests that are answered with status 200 and a body that is
	// not their response: cut JSON, HTML, the response to another request.
	GarbageShare float64
	// ReasonShare is the share of no-bids that say why: with status 200 and nbr in place of 204.
	ReasonShare float64
	// Latency is how long answers take, from the moment when the request is read. The zero value
	// answers at once.
	Latency Latency
	// Seed makes another choice of answers and latencies.
	Seed uint64
	// MaxBody is the largest body in bytes, before and after decompression. Default: [BodyDefault].
	MaxBody int
	// KeepIDs is how many ids of the latest requests [Server.Stats] lists, at most [IDsMax].
	KeepIDs int
}

// withDefaults fills in the defaults and checks the values.
func (c Config) withDefaults() (Config, error) {
	for _, s := range [...]struct {
		name  string
		value float64
	}{{"BidShare", c.BidShare}, {"ErrorShare", c.ErrorShare}, {"GarbageShare", c.GarbageShare}, {"ReasonShare", c.ReasonShare}} {
		if math.IsNaN(s.value) || s.value < 0 || s.value > 1 {
			return c, fmt.Errorf("core: %s is %v (want 0 to 1)", s.name, s.value)
		}
	}
	if sum := c.BidShare + c.ErrorShare + c.GarbageShare; sum > 1+1e-9 {
		return c, fmt.Errorf("core: the shares of bids, errors and garbage add up to %v (want at most 1)", sum)
	}
	if c.MaxBody == 0 {
		c.MaxBody = BodyDefault
	}
	switch {
	case c.MaxBody < 0 || c.MaxBody > wire.SizeDefault:
		return c, fmt.Errorf("core: MaxBody is %d (want 1 to %d bytes)", c.MaxBody, wire.SizeDefault)
	case c.KeepIDs < 0 || c.KeepIDs > IDsMax:
		return c, fmt.Errorf("core: KeepIDs is %d (want 0 to %d)", c.KeepIDs, IDsMax)
	}
	return c, nil
}
