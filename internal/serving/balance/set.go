package balance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/internal/nearest"
)

// Set is the upstreams of a configuration, and what is known about their health.
type Set struct {
	options   Options
	upstreams []*Upstream

	mu     sync.Mutex // for changes of states and tables
	groups map[string]*Group
	slow   *time.Timer // rebuilds while an address is in its slow start

	running  context.Context // nil while no background work is done
	stop     context.CancelFunc
	checking map[*Endpoint]context.CancelFunc
}

// Upstream is an upstream of a set.
type Upstream struct {
	Declared
	Stats   *Stats
	sources []*source
	drained atomic.Bool // it gets no requests
}

// New returns a set. Addresses and counts of a set before, which may be nil, are kept where they
// are declared as they were. It opens no connection. [Set.Use] puts it in use.
func New(o Options, before *Set) (*Set, error) {
	if o.Lookup == nil {
		o.Lookup = systemLookup
	}
	s := &Set{options: o, groups: map[string]*Group{}, checking: map[*Endpoint]context.CancelFunc{}}
	if len(o.Upstreams) > UpstreamsMax {
		return nil, fmt.Errorf("%d upstreams (want at most %d)", len(o.Upstreams), UpstreamsMax)
	}
	for _, d := range o.Upstreams {
		if s.Upstream(d.Name) != nil {
			return nil, fmt.Errorf("upstream %q is given twice", d.Name)
		}
		if len(d.URLs) == 0 || len(d.URLs) > URLsMax {
			return nil, fmt.Errorf("upstream %q has %d URLs (want 1 to %d)", d.Name, len(d.URLs), URLsMax)
		}
		u := &Upstream{Declared: d}
		old := before.Upstream(d.Name)
		if old != nil {
			u.Stats = old.Stats
		} else {
			u.Stats = &Stats{}
		}
		for i, url := range d.URLs {
			if slices.Contains(d.URLs[:i], url) {
				return nil, fmt.Errorf("upstream %q has the URL %q twice", d.Name, url)
			}
			own := old.source(url)
			if own == nil || own.connections != o.Connections || own.apart != d.Apart {
				var err error
				if own, err = newSource(&d, url, &o, u.Stats); err != nil {
					return nil, err
				}
			}
			u.sources = append(u.sources, own)
		}
		s.upstreams = append(s.upstreams, u)
	}
	return s, nil
}

// Upstreams returns the upstreams in the order of the options.
func (s *Set) Upstreams() []*Upstream { return s.upstreams }

// Upstream returns the upstream with a name; nil if there is none, or no set.
func (s *Set) Upstream(name string) *Upstream {
	if s != nil {
		for _, u := range s.upstreams {
			if u.Name == name {
				return u
			}
		}
	}
	return nil
}

// source returns the source of a URL; nil if there is none, or no upstream.
func (u *Upstream) source(url string) *source {
	if u != nil {
		for _, own := range u.sources {
			if own.url == url {
				return own
			}
		}
	}
	return nil
}

// Endpoints returns the addresses of an upstream.
func (u *Upstream) Endpoints() (list []*Endpoint) {
	for _, own := range u.sources {
		list = append(list, *own.endpoints.Load()...)
	}
	return list
}

// endpoints returns the addresses of the set.
func (s *Set) endpoints() (list []*Endpoint) {
	for _, u := range s.upstreams {
		list = append(list, u.Endpoints()...)
	}
	return list
}

// Group is some upstreams of a set, between which requests are shared.
type Group struct {
	members []*Upstream
	least   bool
	canary  bool // others get its requests when none of its addresses is healthy
	table   atomic.Pointer[table]
	turn    atomic.Uint32
}

// Group returns the group of upstreams with these names. All calls with the same names return the
// same group. It is to be called before [Set.Use].
func (s *Set) Group(names ...string) (*Group, error) {
	sorted := slices.Sorted(slices.Values(names))
	return s.group(strings.Join(slices.Compact(sorted), "\n"), names, false)
}

// Canary returns the group of one upstream whose requests others get when it has no healthy
// address. It therefore never panics.
func (s *Set) Canary(name string) (*Group, error) {
	return s.group("canary\n"+name, []string{name}, true)
}

// group returns the group with a key, a new one if there is none.
func (s *Set) group(key string, names []string, canary bool) (*Group, error) {
	if g := s.groups[key]; g != nil {
		return g, nil
	}
	g := &Group{least: s.options.Balance == LeastRequest, canary: canary}
	for _, u := range s.upstreams {
		if slices.Contains(names, u.Name) {
			g.members = append(g.members, u)
		}
	}
	for _, name := range names {
		if s.Upstream(name) == nil {
			return nil, s.unknown(name)
		}
	}
	g.table.Store(&table{})
	s.groups[key] = g
	return g, nil
}

// unknown is the error of a name that no upstream has.
func (s *Set) unknown(name string) error {
	var names []string
	for _, u := range s.upstreams {
		names = append(names, u.Name)
	}
	hint := ""
	if meant := nearest.Name(name, names); meant != "" {
		hint = fmt.Sprintf("; did you mean %q?", meant)
	}
	return fmt.Errorf("no upstream has the name %q (there are %s)%s", name, strings.Join(names, ", "), hint)
}

// Tried are the addresses that a request was sent to, or should have been.
type Tried struct {
	list [RetriesMax + 1]*Endpoint
	n    int
}

// Add notes an address. It reports whether a further one may be tried.
func (t *Tried) Add(e *Endpoint) bool {
	t.list[t.n] = e
	t.n++
	return t.n < len(t.list)
}

func (t *Tried) has(e *Endpoint) bool { return slices.Contains(t.list[:t.n], e) }

// Pick returns the address that is to have the next request; nil if none is left to be tried.
func (g *Group) Pick(tried *Tried) *Endpoint {
	t := g.table.Load()
	for _, e := range t.open {
		if !tried.has(e) && e.breaker.Probe() {
			return e
		}
	}
	n := uint32(len(t.slots)) //nolint:gosec // at most SlotsMax
	if n == 0 {
		return nil
	}
	at := g.turn.Add(1)
	for i := range n {
		own := &t.slots[(at+i)%n]
		if tried.n > 0 && tried.has(own.endpoint) {
			continue
		}
		if g.least && n > 1 {
			other := &t.slots[(at+i+1)%n]
			if other.endpoint.busier(other.share) < own.endpoint.busier(own.share) && !tried.has(other.endpoint) {
				return other.endpoint
			}
		}
		return own.endpoint
	}
	return nil
}

// busier is how many requests are in flight for a share.
func (e *Endpoint) busier(share float32) float32 { return float32(e.inFlight.Load()) / share }

// Panics reports whether addresses that are not healthy get requests, because too few are.
func (g *Group) Panics() bool { return g.table.Load().panic }

// rebuild makes new tables, with the lock held.
func (s *Set) rebuild() {
	// Before the tables: an address whose slow start ends meanwhile has its whole share in them.
	warming := slices.ContainsFunc(s.endpoints(), func(e *Endpoint) bool { return e.warming(s.options.SlowStart) })
	for _, g := range s.groups {
		t := g.weigh(&s.options)
		before := g.table.Swap(t)
		if t.panic != before.panic {
			g.logPanic(s, t.panic)
		}
	}
	if warming && s.slow == nil {
		s.slow = time.AfterFunc(s.options.SlowStart/slowStartSteps, s.warmer)
	}
}

// warmer makes tables with larger shares for addresses in their slow start.
func (s *Set) warmer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow = nil
	s.rebuild()
}

// logPanic writes that addresses which are not healthy get requests, or that none does any more.
func (g *Group) logPanic(s *Set, on bool) {
	var names []string
	for _, u := range g.members {
		names = append(names, u.Name)
	}
	args := []any{"upstreams", strings.Join(names, ", "), "threshold", s.options.PanicThreshold}
	if on {
		s.options.Log.Error("too few upstreams are healthy: all are used", args...)
	} else {
		s.options.Log.Info("enough upstreams are healthy again", args...)
	}
}

// Use puts the set in use, in place of another one, which may be nil. The health of addresses that
// stay counts for this one from now on; those that don't drain.
func (s *Set) Use(before *Set) {
	if before != nil {
		before.mu.Lock()
		defer before.mu.Unlock()
		before.end()
		if before.slow != nil {
			before.slow.Stop() // shares of this one grow from now on
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stay := map[*Endpoint]bool{}
	for _, u := range s.upstreams {
		for _, e := range u.Endpoints() {
			e.set.Store(s)
			stay[e] = true
			if s.checkPath(u) == "" {
				e.mark(failing, false) // checks were switched off
			}
		}
	}
	if before != nil {
		for _, e := range before.endpoints() {
			if !stay[e] {
				e.drain()
			}
		}
	}
	s.rebuild()
}

// Drain takes upstreams out of use, all of their addresses: those with these names, which replace
// the ones before. Requests that they have are awaited, and checks of their health go on.
func (s *Set) Drain(names map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := false
	for _, u := range s.upstreams {
		if u.drained.Swap(names[u.Name]) != names[u.Name] {
			changed = true
		}
	}
	if changed {
		s.rebuild()
	}
}

// Drained reports whether an upstream is out of use.
func (u *Upstream) Drained() bool { return u.drained.Load() }

// Serves reports whether the group has an upstream that is in use, besides one with a name.
func (g *Group) Serves(without string) bool {
	return slices.ContainsFunc(g.members, func(u *Upstream) bool { return u.Name != without && !u.Drained() })
}

// drain ends the use of an address. Requests in flight end; their connections close when they have
// been idle for as long as any.
func (e *Endpoint) drain() {
	e.mark(gone, true)
	e.client.CloseIdleConnections()
}

// Run begins what is done in the background: names are resolved, health is checked. A second call
// does nothing. [Set.Stop] ends it.
func (s *Set) Run() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return
	}
	s.running, s.stop = context.WithCancel(context.Background())
	for _, u := range s.upstreams {
		for _, own := range u.sources {
			if own.resolves() {
				go s.resolve(s.running, own)
			}
		}
	}
	if s.options.Outlier.Latency > 0 {
		go s.compare(s.running)
	}
	s.check()
}

// Stop ends the work in the background.
func (s *Set) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
}

// end is Stop with the lock held: nothing of the background changes the set afterwards.
func (s *Set) end() {
	if s.stop != nil {
		s.stop()
	}
}

// ended reports the same, with the lock held.
func (s *Set) ended() bool { return s.running == nil || s.running.Err() != nil }

// Runs reports whether work is done in the background.
func (s *Set) Runs() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended()
}

// compare looks for slow addresses after each interval.
func (s *Set) compare(ctx context.Context) {
	for wait(ctx, s.options.Outlier.Interval) {
		s.latencies()
	}
}

// wait waits, and reports whether to go on.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// endpoints returns the addresses of a group.
func (g *Group) endpoints() (list []*Endpoint) {
	for _, u := range g.members {
		list = append(list, u.Endpoints()...)
	}
	return list
}

// Healthy returns how many addresses of a group get requests.
func (g *Group) Healthy() (n int) {
	for _, u := range g.members {
		if !u.Drained() {
			n += u.States()[0]
		}
	}
	return n
}
