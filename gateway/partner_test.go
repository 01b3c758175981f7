package gateway

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/window"
)

// engineThat returns an engine whose partners have a rule that refuses what the function says, and
// that tells the test the facts.
func engineThat(tb testing.TB, refuses func(*rule.Input) bool, partners ...string) *inspect.Engine {
	tb.Helper()
	c := inspect.Config{Partners: map[string]inspect.Partner{}}
	refuse := inspect.Refuse
	layer := inspect.Layer{Rules: []inspect.Rule{{Name: "test", When: conditionFunc(refuses), NBR: 501, Severity: &refuse}}}
	if len(partners) == 0 {
		c.Global = layer
	}
	for _, name := range partners {
		c.Partners[name] = inspect.Partner{Layer: layer}
	}
	e, err := inspect.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// TestPartnerKeys checks that every key of a match must hold, and which partner a request has.
func TestPartnerKeys(t *testing.T) {
	up := newCore(t, nil)
	local, other := netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("192.0.2.0/24")
	g := start(t, Options{Upstreams: At(up.URL), Partners: []Partner{
		{Name: "far", Match: Match{Path: "/far", From: []netip.Prefix{other}}},
		{Name: "near", Match: Match{Path: "/near", From: []netip.Prefix{other, local}}},
		{Name: "token", Match: Match{Path: "/token", Token: "secret"}},
		{Name: "all", Match: Match{Path: "/all", From: []netip.Prefix{local}, Token: "secret", Headers: []inspect.Header{{Name: "X-Exchange", Value: "a"}}}},
		{Name: "named", Match: Match{From: []netip.Prefix{local}, Headers: []inspect.Header{{Name: "X-Exchange", Value: "b"}}}},
		{Name: "mtls", Match: Match{MTLS: "a.example"}},
		{Name: "nobody"},
	}})
	for _, tt := range []struct {
		path    string
		header  []string
		status  int
		partner string
	}{
		{"/far", nil, 404, ""},
		{"/near", nil, 200, "near"},
		{"/token", nil, 404, ""},
		{"/token", []string{"Authorization", "Bearer secret"}, 200, "token"},
		{"/token", []string{"Authorization", "bearer secret"}, 200, "token"},
		{"/token", []string{"Authorization", "Bearer secrets"}, 404, ""},
		{"/token", []string{"Authorization", "Bearer "}, 404, ""},
		{"/token", []string{"Authorization", "Basic secret"}, 404, ""},
		{"/all", []string{"Authorization", "Bearer secret"}, 404, ""},
		{"/all", []string{"X-Exchange", "a"}, 404, ""},
		{"/all", []string{"Authorization", "Bearer secret", "X-Exchange", "a"}, 200, "all"},
		{PathDefault, nil, 200, ""},
		{PathDefault, []string{"X-Exchange", "b"}, 200, "named"},
		{"/far", []string{"X-Exchange", "b"}, 404, ""},
		{"/unknown", []string{"X-Exchange", "b"}, 404, ""},
	} {
		r := g.post(t, tt.path, good(t), tt.header...)
		got := up.take()
		if r.status != tt.status || (len(got) == 1) != (tt.status == 200) {
			t.Errorf("%s %v: status %d, want %d; the core got %d", tt.path, tt.header, r.status, tt.status, len(got))
		} else if len(got) == 1 && (got[0].header.Get("X-Rtbwire-Partner") != tt.partner || tt.partner == "token" && got[0].header.Get("Authorization") != "") {
			t.Errorf("%s %v: the core got %v", tt.path, tt.header, got[0].header)
		}
	}
}

// TestPartnerNoBids gives each partner its own no-bid answer: refusals, malformed text, shed load
// and broken upstreams.
func TestPartnerNoBids(t *testing.T) {
	up := newCore(t, nil)
	dead := newCore(t, nil)
	dead.Close()
	var partners []Partner
	answers := []NoBid{NoBid204, NoBid200, NoBid400, NoBid400JSON}
	for _, s := range answers {
		partners = append(partners, Partner{Name: "p" + string(s), Match: Match{Path: "/" + string(s)}, NoBid: s},
			Partner{Name: "shed" + string(s), Match: Match{Path: "/shed" + string(s)}, NoBid: s, Limits: Limits{Rate: 1}})
	}
	g := start(t, Options{Upstreams: At(up.URL), Partners: partners})
	broken := start(t, Options{Upstreams: At(dead.URL), Partners: partners})
	refused, bad := []byte(`{"id":"r","imp":[]}`), []byte(`{`)
	for _, tt := range []struct {
		answer  NoBid
		refused reply
		bad     reply
		shed    reply
		broken  reply
	}{
		{NoBid204, reply{status: 204}, reply{status: 400}, reply{status: 204}, reply{status: 204}},
		{NoBid200, reply{status: 200, body: `{"id":"r","nbr":2}`}, reply{status: 400, body: `{"nbr":2}`}, reply{status: 204}, reply{status: 200, body: `{"id":"test-banner","nbr":1}`}},
		{NoBid400, reply{status: 400}, reply{status: 400}, reply{status: 400}, reply{status: 400}},
		{NoBid400JSON, reply{status: 400, body: `{"id":"r","nbr":2}`}, reply{status: 400, body: `{"nbr":2}`}, reply{status: 400, body: `{"nbr":500}`}, reply{status: 400, body: `{"id":"test-banner","nbr":1}`}},
	} {
		check := func(what string, got, want reply) {
			t.Helper()
			if got.status != want.status || got.body != want.body {
				t.Errorf("%s: %s: %d %s, want %d %s", tt.answer, what, got.status, got.body, want.status, want.body)
			}
		}
		path := "/" + string(tt.answer)
		check("refused", g.post(t, path, refused), tt.refused)
		check("malformed", g.post(t, path, bad), tt.bad)
		if r := g.post(t, "/shed"+string(tt.answer), good(t)); r.status != 200 {
			t.Errorf("%s: the first request is shed: %+v", tt.answer, r)
		}
		check("shed", g.post(t, "/shed"+string(tt.answer), good(t)), tt.shed)
		check("broken", broken.post(t, path, named(good(t), "test-banner")), tt.broken)
	}
	if r := broken.post(t, PathDefault, good(t)); r.status != 503 {
		t.Errorf("no partner, dead core: %+v", r)
	}
}

// named gives a request an id.
func named(body []byte, id string) []byte {
	i := bytes.Index(body, []byte(`"id":"`)) + len(`"id":"`)
	return fmt.Appendf(nil, "%s%s%s", body[:i], id, body[i+bytes.IndexByte(body[i:], '"'):])
}

// TestLimits checks rates, requests in flight and capacity.
func TestLimits(t *testing.T) {
	release := make(chan struct{})
	up := newCore(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		if r.URL.Path == "/slow" || r.URL.RawQuery == "slow" {
			<-release
		}
		io.WriteString(w, answered)
	})
	t.Run("publisher", func(t *testing.T) {
		g := start(t, Options{Upstreams: At(up.URL), Partners: []Partner{
			{Name: "p", Match: Match{Path: "/p"}, NoBid: NoBid400, Publishers: map[string]Limits{"pub": {Rate: 1, Burst: 2}}},
		}})
		body := []byte(`{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1","publisher":{"id":"pub"}}}`)
		other := bytes.Replace(body, []byte(`"pub"`), []byte(`"else"`), 1)
		for i, want := range []int{200, 200, 400} {
			if r := g.post(t, "/p", body); r.status != want {
				t.Errorf("request %d: %d, want %d", i, r.status, want)
			}
		}
		if r := g.post(t, "/p", other); r.status != 200 {
			t.Errorf("another publisher: %+v", r)
		}
	})
	t.Run("in flight", func(t *testing.T) {
		g := start(t, Options{Upstreams: At(up.URL), UpstreamTimeout: 20 * time.Second, InFlightMax: 3, Partners: []Partner{
			{Name: "p", Match: Match{Path: "/p"}, NoBid: NoBid400, Limits: Limits{InFlight: 1}},
		}})
		done := make(chan int, 4)
		send := func(path string) { go func() { done <- g.post(t, path, good(t)).status }() }
		send("/p?slow")
		waitFor(t, "one request in flight", func() bool { return g.inFlight.Load() == 1 })
		if r := g.post(t, "/p", good(t)); r.status != 400 {
			t.Errorf("the partner's second request: %+v", r)
		}
		send(PathDefault + "?slow")
		send(PathDefault + "?slow")
		waitFor(t, "three requests in flight", func() bool { return g.inFlight.Load() == 3 })
		if r := g.post(t, PathDefault, good(t)); r.status != 503 || r.header.Get("Retry-After") == "" {
			t.Errorf("over capacity: %+v", r)
		}
		close(release)
		for range 3 {
			if status := <-done; status != 200 {
				t.Errorf("status %d", status)
			}
		}
		if r := g.post(t, "/p", good(t)); r.status != 200 {
			t.Errorf("after the others: %+v", r)
		}
	})
}

// TestPace checks the rate limit against its definition: with a full burst, n requests take
// (n - burst) / rate.
func TestPace(t *testing.T) {
	for _, tt := range []struct{ rate, burst int }{{1, 1}, {10, 1}, {1000, 100}, {333_333, 1000}, {20_000_000, 100}} {
		var p pace
		p.init(tt.rate, tt.burst)
		now, passed := processStart.Add(time.Hour), 0
		const seconds = 1
		step := time.Second / time.Duration(min(tt.rate*2, 400_000))
		for at := time.Duration(0); at < seconds*time.Second; at += step {
			for p.allow(now.Add(at)) {
				passed++
			}
		}
		if want := tt.burst + tt.rate*seconds; passed < want-want/1000-2 || passed > want+want/1000+2 {
			t.Errorf("%d/s with a burst of %d: %d in %d s, want %d", tt.rate, tt.burst, passed, seconds, want)
		}
	}
}

// TestFacts checks what the engine is told: partner, peer, forwarded addresses from trusted proxies
// only, the header's user agent, the arrival, windows.
func TestFacts(t *testing.T) {
	up := newCore(t, nil)
	windows, err := window.New(window.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var facts inspect.Facts
	engine := engineThat(t, func(in *rule.Input) bool {
		facts = *in.Facts
		facts.Forwarded, facts.UserAgent = append([]netip.Addr(nil), in.Facts.Forwarded...), string([]byte(in.Facts.UserAgent))
		facts.Headers = append([]inspect.Header(nil), in.Facts.Headers...)
		return false
	})
	local := netip.MustParsePrefix("127.0.0.0/8")
	o := Options{
		Upstreams: At(up.URL), Engine: engine, Windows: windows, FactHeaders: []string{"X-Asked"},
		Partners: []Partner{{Name: "p", Match: Match{Path: "/p"}}},
	}
	untrusting := start(t, o)
	o.TrustedProxies = []netip.Prefix{local, netip.MustParsePrefix("10.0.0.0/8")}
	trusting := start(t, o)
	header := []string{"X-Forwarded-For", "8.8.8.8, 1.2.3.4,10.0.0.1", "X-Forwarded-For", "10.0.0.2", "User-Agent", "agent/1", "X-Asked", "yes", "X-Not-Asked", "no"}

	before := time.Now()
	untrusting.post(t, "/p", named(good(t), "first"), header...)
	if facts.Partner != "p" || facts.Peer != netip.MustParseAddr("127.0.0.1") || facts.Forwarded != nil || facts.UserAgent != "agent/1" ||
		facts.Seen || facts.Time.Before(before) || facts.Time.After(time.Now()) || len(facts.Headers) != 1 || facts.Header("X-Asked") != "yes" {
		t.Errorf("facts %+v", facts)
	}
	if got := up.take()[0].header["X-Forwarded-For"]; len(got) != 1 || got[0] != "127.0.0.1" {
		t.Errorf("the core got X-Forwarded-For %q", got)
	}
	trusting.post(t, "/p", named(good(t), "first"), header...)
	want := []netip.Addr{netip.MustParseAddr("1.2.3.4"), netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")}
	if !facts.Seen || fmt.Sprint(facts.Forwarded) != fmt.Sprint(want) {
		t.Errorf("trusted: facts %+v, want %v", facts, want)
	}
	if got := up.take()[0].header["X-Forwarded-For"]; len(got) != 1 || got[0] != "8.8.8.8, 1.2.3.4,10.0.0.1, 10.0.0.2, 127.0.0.1" {
		t.Errorf("the core got X-Forwarded-For %q", got)
	}
}

// TestMTLS finds partners by the names in certificates that the listener has verified.
func TestMTLS(t *testing.T) {
	up := newCore(t, nil)
	authority := newAuthority(t)
	server, client := authority.issue(t, "127.0.0.1"), authority.issue(t, "one.a.example")
	g, err := New(Options{Upstreams: At(up.URL), Partners: []Partner{
		{Name: "other", Match: Match{MTLS: "b.example"}},
		{Name: "exact", Match: Match{MTLS: "ONE.a.example", Headers: []inspect.Header{{Name: "X-Exact", Value: "1"}}}},
		{Name: "wild", Match: Match{MTLS: "*.a.example"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go g.Serve(tls.NewListener(ln, &tls.Config{
		Certificates: []tls.Certificate{server}, ClientCAs: authority.pool, ClientAuth: tls.VerifyClientCertIfGiven, MinVersion: tls.VersionTLS12,
	}))
	defer func() {
		ctx, cancel := contextFor(5 * time.Second)
		defer cancel()
		if err := g.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	}()
	for _, tt := range []struct {
		certificates []tls.Certificate
		header       string
		partner      string
	}{{nil, "", ""}, {[]tls.Certificate{client}, "", "wild"}, {[]tls.Certificate{client}, "1", "exact"}} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authority.pool, Certificates: tt.certificates, MinVersion: tls.VersionTLS12}}
		r, _ := http.NewRequest(http.MethodPost, "https://"+ln.Addr().String()+PathDefault, bytes.NewReader(good(t)))
		r.Header.Set("X-Exact", tt.header)
		resp, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		transport.CloseIdleConnections()
		if got := up.take(); resp.StatusCode != http.StatusOK || len(got) != 1 || got[0].header.Get("X-Rtbwire-Partner") != tt.partner {
			t.Errorf("status %d, the core got %+v, want the partner %q", resp.StatusCode, got, tt.partner)
		}
	}
}

// authority issues certificates for tests.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pool        *x509.CertPool
}

func newAuthority(tb testing.TB) *authority {
	tb.Helper()
	a := &authority{pool: x509.NewCertPool()}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		tb.Fatal(err)
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		tb.Fatal(err)
	}
	a.pool.AddCert(a.certificate)
	return a
}

// issue returns a certificate for a name or an address.
func (a *authority) issue(tb testing.TB, name string) tls.Certificate {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		tb.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
