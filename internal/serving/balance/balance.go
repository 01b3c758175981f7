// Package balance decides which address of which upstream gets a request, and which are left alone
// for a while. Terms and defaults are those of Envoy and HAProxy.
//
// A request costs one atomic load and one atomic addition: shares are laid out in a table, the
// slots of which are taken in turn. Whatever changes a share (an address that fails, comes back, is
// new or is gone) makes another table.
//
//	set.go        upstreams as they are configured, and groups of them
//	endpoint.go   an address: its connections, one exchange
//	health.go     what the end of an exchange says about an address
//	outlier.go    addresses that answer badly are left alone for a time
//	check.go      health checks
//	resolve.go    names with several addresses
//	weigh.go      shares of addresses: weights, zones, panic, slow start
//	table.go      shares as slots
//	healthlog.go  lines of the log
//	detail.go     what operators see
package balance

import (
	"log/slog"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
)

// Limits.
const (
	// UpstreamsMax bounds the upstreams of a set, URLsMax the URLs of one, and AddressesMax the
	// addresses of a name. Further addresses are left out, and the log says so.
	UpstreamsMax = 64
	URLsMax      = 64
	AddressesMax = 64
	// WeightMax is the largest weight.
	WeightMax = 1000
	// RetriesMax is how many other addresses a request is sent to of which nothing was sent, as the
	// retries of HAProxy.
	RetriesMax = 3
)

// The breaker of an address (package internal/breaker).
const (
	// BreakerFailures is how many failures in a row open it.
	BreakerFailures = 5
	// BreakerPause is how long an open breaker waits between two requests that try again: however
	// broken an address is, one request in each pause finds out whether it is back.
	BreakerPause = time.Second
)

// overprovisioning is how much more than its share an upstream, or a zone, can carry: as long as
// 72% of its addresses are healthy, it gets all of its share. The factor is Envoy's.
const overprovisioning = 1.4

// Balance says how a group chooses between its addresses.
type Balance string

// The ways to choose.
const (
	RoundRobin   Balance = "round_robin"   // in turn: shares are exact
	LeastRequest Balance = "least_request" // of two in turn, the one with fewer requests in flight for its weight
)

// Declared is an upstream as it is configured.
type Declared struct {
	Name   string
	URLs   []string // as package upstreams takes them
	Weight int      // its share in groups that it is in
	Zone   string
	// CheckPath takes the place of [Check.Path].
	CheckPath string
	// Apart upstreams are never ejected, and don't count where others are: their answers go to
	// nobody.
	Apart bool
}

// Options say what a set is like. There are no defaults here.
type Options struct {
	Upstreams   []Declared
	Connections Connections
	Balance     Balance
	// Zone is the zone that is preferred: others get what it can't carry.
	Zone string
	// PanicThreshold is the share of healthy addresses below which all are used.
	PanicThreshold float64
	// SlowStart is how long it takes until an address that is new, or back, gets its whole share.
	SlowStart time.Duration
	// DNSInterval is how often names are resolved.
	DNSInterval time.Duration
	Outlier     Outlier
	Check       Check
	Log         *slog.Logger
	// Lookup returns the addresses of a name. Default: that of the system.
	Lookup Lookup
}

// Connections are what connections are like. Addresses whose connections are the same after a
// reload keep them.
type Connections struct {
	Authorities          string // as [upstreams.Location.TLS] takes them
	Max                  int    // to each address
	ResponseMax, HeadMax int
	IdleTimeout          time.Duration
	// Slow is how long an address must have had for a late answer to count as its failure.
	Slow time.Duration
}

// Outlier says when an address is ejected: it gets no requests for a time.
type Outlier struct {
	// Consecutive5xx is how many requests in a row must be lost: answers of status 5xx, connections
	// that break off, answers that come too late.
	Consecutive5xx int
	// Latency is how many times as long as the median of all addresses the mean latency of one must
	// be in an interval. 0: latency does not matter.
	Latency int
	// Interval is how often latencies are compared. An address that is not ejected for as long is
	// forgiven one ejection.
	Interval time.Duration
	// BaseEjectionTime is how long the first ejection is. The second one is twice as long, and so
	// on, up to MaxEjectionTime.
	BaseEjectionTime, MaxEjectionTime time.Duration
	// MaxEjected is the share of addresses that is ejected at most, but one of several always may
	// be. 0: none is.
	MaxEjected float64
}

// Check is the active health check of addresses.
type Check struct {
	Path     string // that is asked for; "" switches checks off
	Interval time.Duration
	Jitter   float64 // the part of the interval by which it varies
	Timeout  time.Duration
	// Healthy and Unhealthy are how many good or bad answers in a row change what an address is.
	// The first check of an address decides alone.
	Healthy, Unhealthy int
}

// now is the time of the monotonic clock.
func now() time.Duration { return upstreams.Now() }
