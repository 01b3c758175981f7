package balance

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
)

// lookupTimeout bounds a question to the name service.
const lookupTimeout = 5 * time.Second

// Lookup returns the addresses of a name.
type Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

func systemLookup(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// source is a URL of an upstream, which can have several addresses.
type source struct {
	name, url   string // of the upstream, and of this
	apart       bool
	connections Connections
	at          upstreams.Location
	secure      *tls.Config
	stats       *Stats
	host, port  string // to be resolved; empty: an address, or a socket
	log         *slog.Logger
	endpoints   atomic.Pointer[[]*Endpoint]

	// Of the goroutine that resolves, with the lock of the set.
	resolved bool // it has addresses of its name
	broken   bool // the last time had no addresses
	left     int  // addresses that were left out the last time
}

// newSource returns a source with one address: that of its URL, or its name, which is resolved by
// each connection until [Set.Run] does it.
func newSource(d *Declared, url string, o *Options, stats *Stats) (*source, error) {
	at, err := upstreams.Parse(url)
	if err != nil {
		return nil, err
	}
	s := &source{name: d.Name, url: url, apart: d.Apart, connections: o.Connections, at: at, stats: stats, log: o.Log}
	if s.secure, err = at.TLS(o.Connections.Authorities); err != nil {
		return nil, err
	}
	if host, port, err := net.SplitHostPort(at.Address); err == nil && at.Network != "unix" && !strings.EqualFold(host, "localhost") {
		if _, err := netip.ParseAddr(host); err != nil {
			s.host, s.port = host, port
		}
	}
	s.endpoints.Store(&[]*Endpoint{s.endpoint(at.Address)})
	return s, nil
}

// endpoint returns a new address.
func (s *source) endpoint(address string) *Endpoint {
	e := newEndpoint(s, address)
	e.log.to = s.log
	return e
}

// resolves reports whether the source has a name to be resolved. localhost is none: it means the
// loopback addresses, on one of which somebody listens.
func (s *source) resolves() bool { return s.host != "" }

// resolve asks for the addresses of a name, again and again.
func (s *Set) resolve(ctx context.Context, own *source) {
	for {
		asking, cancel := context.WithTimeout(ctx, lookupTimeout)
		list, err := s.options.Lookup(asking, own.host)
		cancel()
		if ctx.Err() != nil {
			return
		}
		s.apply(own, list, err)
		if !wait(ctx, jittered(s.options.DNSInterval, resolveJitter)) {
			return
		}
	}
}

// resolveJitter is the part of the interval by which it varies.
const resolveJitter = 0.1

// jittered is a time that varies by a part of it.
func jittered(d time.Duration, part float64) time.Duration {
	return time.Duration(float64(d) * (1 + part*(2*rand.Float64()-1)))
}

// apply makes addresses those of a source. Without any, those before stay.
func (s *Set) apply(own *source, list []netip.Addr, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended() {
		return
	}
	list = usedOf(list)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("the name %s has no address", own.host)
	}
	log := s.options.Log.With("upstream", own.name, "host", own.host)
	if err != nil {
		own.stats.ResolveFailures.Add(1)
		if !own.broken {
			own.broken = true
			log.Warn("the name of an upstream was not resolved: its addresses stay as they are", "error", err)
		}
		return
	}
	if own.broken {
		own.broken = false
		log.Info("the name of an upstream is resolved again")
	}
	if left := max(0, len(list)-AddressesMax); left != own.left {
		if own.left = left; left > 0 {
			log.Warn("the name of an upstream has more addresses than are used", "used", AddressesMax, "left out", left)
		}
	}
	list = list[:min(len(list), AddressesMax)]
	before := *own.endpoints.Load()
	var next []*Endpoint
	var added, removed []string
	for _, a := range list {
		address := net.JoinHostPort(a.String(), own.port)
		i := slices.IndexFunc(before, func(e *Endpoint) bool { return e.Address == address })
		if i >= 0 {
			next = append(next, before[i])
			continue
		}
		e := own.endpoint(address)
		e.set.Store(s)
		if own.resolved {
			e.warm.Store(int64(now()))
		}
		next = append(next, e)
		added = append(added, address)
	}
	for _, e := range before {
		if !slices.Contains(next, e) {
			e.drain()
			removed = append(removed, e.Address)
		}
	}
	if len(added)+len(removed) == 0 {
		return
	}
	log.Info("the addresses of an upstream have changed", "new", strings.Join(added, ", "), "gone", strings.Join(removed, ", "))
	own.resolved = true
	own.endpoints.Store(&next)
	s.check()
	s.rebuild()
}

// usedOf returns the addresses that are used, in order: those of IPv4, if there are any. Most names
// with both kinds mean the same machines twice.
func usedOf(list []netip.Addr) (used []netip.Addr) {
	for _, a := range list {
		if a = a.Unmap(); a.Is4() {
			used = append(used, a)
		}
	}
	if len(used) == 0 {
		used = slices.Clone(list)
	}
	slices.SortFunc(used, netip.Addr.Compare)
	return slices.Compact(used)
}
