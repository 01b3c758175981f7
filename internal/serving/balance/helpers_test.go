package balance

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
)

// options are those of a set with upstreams, with times that no test waits for.
func options(list ...Declared) Options {
	for i := range list {
		if list[i].Weight == 0 {
			list[i].Weight = 1
		}
		if len(list[i].URLs) == 0 {
			list[i].URLs = []string{"http://192.0.2.1:" + fmt.Sprint(1000+i)}
		}
	}
	return Options{
		Upstreams: list, Balance: RoundRobin, PanicThreshold: 0.5, DNSInterval: time.Hour, Log: slog.New(slog.DiscardHandler),
		Connections: Connections{Max: 10, ResponseMax: 1 << 20, HeadMax: 16 << 10, IdleTimeout: time.Second, Slow: time.Second},
		Outlier:     Outlier{Consecutive5xx: 5, Interval: time.Hour, BaseEjectionTime: time.Hour, MaxEjectionTime: 10 * time.Hour, MaxEjected: 0.1},
		Check:       Check{Interval: time.Hour, Timeout: 10 * time.Second, Healthy: 2, Unhealthy: 3},
	}
}

// newSet returns a set in use, and the group of all its upstreams that are not apart.
func newSet(t *testing.T, o Options) (*Set, *Group) {
	t.Helper()
	s, err := New(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := groupOfAll(t, s)
	s.Use(nil)
	t.Cleanup(s.Stop)
	return s, g
}

func groupOfAll(t *testing.T, s *Set) *Group {
	t.Helper()
	var names []string
	for _, u := range s.Upstreams() {
		if !u.Apart {
			names = append(names, u.Name)
		}
	}
	g, err := s.Group(names...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// shares returns how many of n requests each address gets, by upstream and number of its address.
func shares(g *Group, n int) map[string]int {
	got := map[string]int{}
	for range n {
		e := g.Pick(&Tried{})
		if e == nil {
			got["none"]++
			continue
		}
		got[e.source.name]++
	}
	return got
}

// wantShares wants exactly these shares.
func wantShares(t *testing.T, what string, g *Group, n int, want map[string]int) {
	t.Helper()
	got := shares(g, n)
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// end does n requests to an address that end alike.
func end(e *Endpoint, n, status int, err error) {
	for range n {
		e.Begin()
		e.Done(status, err, time.Minute, time.Millisecond)
	}
}

// An error after a request was sent, and one before.
var (
	errReset         = errors.New("connection reset by peer")
	errRefused error = &upstreams.DialError{Err: errors.New("connection refused")}
)

// endpoints returns the addresses of an upstream.
func endpoints(s *Set, name string) []*Endpoint { return s.Upstream(name).Endpoints() }

// waitFor waits until something holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited 20 s for: %s", what)
		}
	}
}

// core is a server with a status.
type core struct {
	address string
	status  atomic.Int64
	asked   atomic.Int64
	path    atomic.Pointer[string]
}

func newCore(t *testing.T, address string) *core {
	t.Helper()
	ln, err := net.Listen("tcp", address)
	if err != nil {
		t.Skip(err)
	}
	c := &core{address: ln.Addr().String()}
	c.status.Store(200)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.asked.Add(1)
		c.path.Store(&r.RequestURI)
		w.WriteHeader(int(c.status.Load()))
		io.WriteString(w, "ok")
	})}
	go server.Serve(ln)
	t.Cleanup(func() { server.Close() })
	return c
}
