package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/balance"
)

// Upstream is where accepted requests go. Only URLs has no default.
type Upstream struct {
	// Name is what metrics, the log and partners call it. Default: the first URL.
	Name string
	// URLs are http://host:port, http://host:port/path, either with https, or unix:/path/to/socket.
	// A path replaces that of the request. All addresses share what the upstream gets.
	URLs []string
	// Weight is its share of the requests, in proportion to the weights of others. Default: 1.
	Weight int
	// Zone is where it is, see [Options].
	Zone string
	// Routed upstreams get only what partners and publishers route to them.
	Routed bool
	// Canary is the share of requests that it gets before others share the rest, from 0 to 1. It is
	// chosen by a hash of the request's id.
	Canary float64
	// Mirror is the share of requests of which it gets copies, from 0 to 1. Its answers are
	// ignored.
	Mirror float64
	// CheckPath takes the place of the path of HealthCheck.
	CheckPath string
}

// At returns upstreams with equal shares, one for each URL.
func At(urls ...string) (list []Upstream) {
	for _, url := range urls {
		list = append(list, Upstream{URLs: []string{url}})
	}
	return list
}

// What says how upstreams are chosen and watched. Terms are Envoy's.
type (
	// Balance says how requests are shared between upstreams of equal preference.
	Balance = balance.Balance
	// Outlier says when an address of an upstream is ejected. A MaxEjected of 0 is the default, and
	// with a negative one none is.
	Outlier = balance.Outlier
	// HealthCheck is the active check of upstreams.
	HealthCheck = balance.Check
)

// The ways to share requests.
const (
	RoundRobin   = balance.RoundRobin
	LeastRequest = balance.LeastRequest
)

// Defaults of upstreams.
const (
	PanicThresholdDefault = 0.5
	DNSIntervalDefault    = 5 * time.Second

	Consecutive5xxDefault   = 5
	OutlierIntervalDefault  = 10 * time.Second
	BaseEjectionTimeDefault = 30 * time.Second
	MaxEjectionTimeDefault  = 5 * time.Minute
	MaxEjectedDefault       = 0.1

	CheckIntervalDefault      = 2 * time.Second
	CheckTimeoutDefault       = time.Second
	CheckJitterDefault        = 0.1
	HealthyThresholdDefault   = 2
	UnhealthyThresholdDefault = 3
)

// complete returns the upstream with its defaults.
func (u Upstream) complete() Upstream {
	if len(u.URLs) > 0 {
		u.Name = cmp.Or(u.Name, u.URLs[0])
	}
	u.Weight = cmp.Or(u.Weight, 1)
	return u
}

// validateUpstreams checks what is said about upstreams, and fills in the rest.
func (o *Options) validateUpstreams() error {
	o.Upstreams = slices.Clone(o.Upstreams)
	main := 0
	canaries := 0.0
	for i := range o.Upstreams {
		u := &o.Upstreams[i]
		if len(u.URLs) == 0 {
			return fmt.Errorf("gateway: upstream %d has no URL", i)
		}
		*u = u.complete()
		if u.Weight < 0 || u.Weight > balance.WeightMax {
			return fmt.Errorf("gateway: the weight of the upstream %s is %d (want 1 to %d)", u.Name, u.Weight, balance.WeightMax)
		}
		if !(u.Canary >= 0 && u.Canary <= 1) || !(u.Mirror >= 0 && u.Mirror <= 1) { // also NaN
			return fmt.Errorf("gateway: a share of the upstream %s is not from 0 to 1", u.Name)
		}
		roles := 0
		for _, role := range []bool{u.Canary > 0, u.Mirror > 0, u.Routed} {
			if role {
				roles++
			}
		}
		if roles > 1 {
			return fmt.Errorf("gateway: the upstream %s is more than one of routed, canary and mirror", u.Name)
		}
		if roles == 0 {
			main++
		}
		canaries += u.Canary
	}
	if canaries > 1 {
		return fmt.Errorf("gateway: the shares of all canaries are %v together (want at most 1)", canaries)
	}
	if main == 0 && o.Core == nil {
		return errors.New("gateway: no upstream gets requests that nothing routes: all are routed, canaries or mirrors")
	}
	return nil
}

// validateCheck refuses health checks without a path: there would be none, and nobody would know.
func (o *Options) validateCheck() error {
	complete := HealthCheck{Interval: CheckIntervalDefault, Jitter: CheckJitterDefault, Timeout: CheckTimeoutDefault, Healthy: HealthyThresholdDefault, Unhealthy: UnhealthyThresholdDefault}
	if o.HealthCheck.Path != "" {
		return nil
	}
	if o.HealthCheck != (HealthCheck{}) && o.HealthCheck != complete {
		return errors.New("gateway: health_check has no path, so there would be no checks")
	}
	for _, u := range o.Upstreams {
		if u.CheckPath != "" {
			return fmt.Errorf("gateway: the upstream %s has a health_path, and health_check has no path, so there would be no checks", u.Name)
		}
	}
	return nil
}

// balanceOptions returns what the options say about upstreams.
func (o *Options) balanceOptions() balance.Options {
	out := balance.Options{
		Connections: balance.Connections{
			Authorities: o.UpstreamCAs, Max: o.UpstreamConnectionsMax, ResponseMax: o.ResponseMax, HeadMax: o.HeadMax,
			IdleTimeout: o.UpstreamIdleTimeout, Slow: o.UpstreamTimeout / 2,
		},
		Balance: o.Balance, Zone: o.Zone, PanicThreshold: max(0, o.PanicThreshold), SlowStart: o.SlowStart, DNSInterval: o.DNSInterval,
		Outlier: o.Outlier, Check: o.HealthCheck, Log: o.Logger,
	}
	out.Outlier.MaxEjected = max(0, out.Outlier.MaxEjected)
	for _, u := range o.Upstreams {
		out.Upstreams = append(out.Upstreams, balance.Declared{
			Name: u.Name, URLs: u.URLs, Weight: u.Weight, Zone: u.Zone, CheckPath: u.CheckPath, Apart: u.Mirror > 0,
		})
	}
	return out
}
