package gateway

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/certtest"
)

// secureCore is an upstream of TLS that counts its connections.
type secureCore struct {
	*httptest.Server
	connections atomic.Int64
}

func newSecureCore(tb testing.TB, leaf certtest.Leaf, change func(*httptest.Server)) *secureCore {
	tb.Helper()
	c := &secureCore{Server: httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		io.WriteString(w, answered)
	}))}
	c.TLS = &tls.Config{Certificates: []tls.Certificate{leaf.Pair(tb)}}
	c.EnableHTTP2 = true // which no client may choose
	c.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			c.connections.Add(1)
		}
	}
	if change != nil {
		change(c.Server)
	}
	c.StartTLS()
	tb.Cleanup(c.Close)
	return c
}

// TestSecureUpstreams checks that certificates of upstreams are verified, and that connections of
// TLS are kept like others.
func TestSecureUpstreams(t *testing.T) {
	t.Parallel()
	trusted, other := certtest.New(t, "trusted"), certtest.New(t, "other")
	body := good(t)
	for _, tt := range []struct {
		name   string
		leaf   certtest.Leaf
		change func(*httptest.Server)
		want   int
	}{
		{"good", trusted.Sign(t, []string{"127.0.0.1"}), nil, 200},
		{"TLS 1.2", trusted.Sign(t, []string{"127.0.0.1"}), func(s *httptest.Server) { s.TLS.MaxVersion = tls.VersionTLS12 }, 200},
		{"TLS 1.1", trusted.Sign(t, []string{"127.0.0.1"}), func(s *httptest.Server) { s.TLS.MinVersion, s.TLS.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }, 503},
		{"another name", trusted.Sign(t, []string{"core.example"}), nil, 503},
		{"another authority", other.Sign(t, []string{"127.0.0.1"}), nil, 503},
		{"expired", trusted.Sign(t, []string{"127.0.0.1"}, certtest.Expired), nil, 503},
		{"for clients", trusted.Sign(t, []string{"127.0.0.1"}, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }), nil, 503},
	} {
		core := newSecureCore(t, tt.leaf, tt.change)
		core.Config.ErrorLog = nil
		g := start(t, Options{Upstreams: At(core.URL), UpstreamCAs: string(trusted.PEM), UpstreamTimeout: 20 * time.Second, UpstreamIdleTimeout: time.Minute})
		for range 3 {
			if r := g.post(t, PathDefault, body); r.status != tt.want {
				t.Errorf("%s: %+v, want %d", tt.name, r, tt.want)
			}
		}
		if n := core.connections.Load(); tt.want == 200 && n != 1 {
			t.Errorf("%s: %d connections", tt.name, n)
		}
		if tt.want == 200 {
			core.CloseClientConnections() // while they are idle
			if r := g.post(t, PathDefault, body); r.status != 200 {
				t.Errorf("%s: after the core has closed its connections: %+v", tt.name, r)
			}
		}
	}
}

// TestReloadAuthorities changes the authorities of an upstream that stays: a connection that was
// made under the ones before is not used any more.
func TestReloadAuthorities(t *testing.T) {
	eachPlane(t, testReloadAuthorities)
}

func testReloadAuthorities(t *testing.T, serve func(Options) *started) {
	authority, other := certtest.New(t, "authority"), certtest.New(t, "other")
	core := newSecureCore(t, authority.Sign(t, []string{"127.0.0.1"}), nil)
	o := Options{Upstreams: At(core.URL), UpstreamCAs: string(other.PEM), UpstreamTimeout: 20 * time.Second, UpstreamIdleTimeout: time.Minute}
	g := serve(o)
	for _, tt := range []struct {
		authorities []byte
		want        int
	}{{other.PEM, 503}, {authority.PEM, 200}, {other.PEM, 503}, {append(other.PEM, authority.PEM...), 200}} {
		o.UpstreamCAs = string(tt.authorities)
		if fixed, err := g.Reload(o); err != nil || len(fixed) > 0 {
			t.Fatalf("fixed: %v; %v", fixed, err)
		}
		for range 2 {
			if r := g.post(t, PathDefault, good(t)); r.status != tt.want {
				t.Errorf("%d authorities: %+v, want %d", strings.Count(o.UpstreamCAs, "BEGIN"), r, tt.want)
			}
		}
	}
}

// TestSecureUpstreamStalls checks that a handshake has the time of the request.
func TestSecureUpstreamStalls(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close() // it accepts nothing: the system does
	g := start(t, Options{Upstreams: At("https://" + ln.Addr().String()), UpstreamTimeout: 50 * time.Millisecond})
	if r := g.post(t, PathDefault, good(t)); r.status != 504 {
		t.Errorf("%+v", r)
	}
}

// TestSecureUpstreamAuthorities refuses authorities that are none.
func TestSecureUpstreamAuthorities(t *testing.T) {
	if _, err := New(Options{Upstreams: At("https://a"), UpstreamCAs: "nonsense"}); err == nil || !strings.Contains(err.Error(), "PEM") {
		t.Errorf("%v", err)
	}
}
