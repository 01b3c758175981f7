package gateway

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// nameServer answers questions for addresses of IPv4 over UDP.
type nameServer struct {
	net.PacketConn
	mu        sync.Mutex
	addresses []netip.Addr
}

// names is the name server of this process while a test has one.
var names atomic.Pointer[nameServer]

// The resolver stays the same: gateways that a test leaves behind may still ask it.
func init() {
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if s := names.Load(); s != nil {
			network, address = "udp", s.LocalAddr().String()
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
}

// newNameServer starts one, which is that of this process until the test ends.
func newNameServer(t *testing.T) *nameServer {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{PacketConn: c}
	if !names.CompareAndSwap(nil, s) {
		t.Fatal("another test has a name server")
	}
	t.Cleanup(func() { names.Store(nil); c.Close() })
	go func() {
		b := make([]byte, 1500)
		for {
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			if answer := s.answer(b[:n]); answer != nil {
				c.WriteTo(answer, from)
			}
		}
	}()
	return s
}

// set says which addresses every name has.
func (s *nameServer) set(list ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addresses = nil
	for _, a := range list {
		s.addresses = append(s.addresses, netip.MustParseAddr(a))
	}
}

func (s *nameServer) answer(question []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		s.mu.Lock()
		for _, a := range s.addresses {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 1}, Body: &dnsmessage.AResource{A: a.As4()}})
		}
		s.mu.Unlock()
	}
	out, _ := m.Pack()
	return out
}

// TestNamesUnderLoad changes the addresses of an upstream's name while requests are sent: new
// addresses get their part, those that are gone finish what they have and get no more, and nothing
// is lost.
func TestNamesUnderLoad(t *testing.T) {
	names := newNameServer(t)
	var asked [3]atomic.Int64
	port := ""
	for i := range asked {
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:%s", i+1, port))
		if err != nil {
			t.Skip("no second address of loopback: ", err)
		}
		_, port, _ = net.SplitHostPort(ln.Addr().String())
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked[i].Add(1)
			time.Sleep(2 * time.Millisecond)
			if want := "core.example:" + port; r.Host != want {
				t.Errorf("Host is %s, want %s", r.Host, want)
			}
			io.WriteString(w, answered)
		})}
		go server.Serve(ln)
		t.Cleanup(func() { server.Close() })
	}
	names.set("127.0.0.1", "127.0.0.2")
	log := &testkit.Log{}
	g := start(t, Options{Upstreams: []Upstream{{Name: "u", URLs: []string{"http://core.example:" + port}}}, DNSInterval: 20 * time.Millisecond, Logger: log.Logger()})
	addresses := func(n int) {
		t.Helper()
		waitFor(t, "addresses", func() bool {
			return measured(t, g.Gateway, "rtbwire_gateway_upstream_addresses")["healthy,u"] == float64(n)
		})
	}
	addresses(2)
	var stop atomic.Bool
	var sent atomic.Int64
	var senders sync.WaitGroup
	body := good(t)
	for range 6 {
		senders.Go(func() {
			for !stop.Load() {
				sent.Add(1)
				if r := g.post(t, PathDefault, body); r.status != 200 {
					t.Errorf("%+v", r)
				}
			}
		})
	}
	more := func(i int) {
		t.Helper()
		before := asked[i].Load()
		waitFor(t, fmt.Sprintf("requests to address %d", i), func() bool { return asked[i].Load() > before+20 })
	}
	more(0)
	more(1)
	names.set("127.0.0.1", "127.0.0.2", "127.0.0.3")
	more(2)
	names.set("127.0.0.3")
	addresses(1)
	more(2)
	gone := asked[0].Load() + asked[1].Load()
	more(2)
	if n := asked[0].Load() + asked[1].Load(); n != gone {
		t.Errorf("addresses that are gone got %d requests", n-gone)
	}
	names.set() // no address: the last one stays
	more(2)
	waitFor(t, "a line about it", func() bool { return len(log.With("was not resolved", "host=core.example")) == 1 })
	stop.Store(true)
	senders.Wait()
	if n := asked[0].Load() + asked[1].Load() + asked[2].Load(); n != sent.Load() {
		t.Errorf("%d requests arrived of %d", n, sent.Load())
	}
	if measured(t, g.Gateway, "rtbwire_gateway_upstream_resolve_failures_total")["u"] == 0 {
		t.Error("failures are not counted")
	}
}
