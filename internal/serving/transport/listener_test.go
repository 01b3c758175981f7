package transport

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/rtbwire/rtbwire/internal/certtest"
)

// server accepts connections and tells each client what it knows of it: the protocol, the client's
// address, and the line that it has sent.
type server struct {
	*Transport
	inner net.Listener
	ln    net.Listener
	addr  string
	ended chan error // of both queues
}

func serve(tb testing.TB, o Options, secure bool) *server {
	tb.Helper()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	t, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	inner := listen(tb, &Sockets{}, "127.0.0.1:0")
	s := &server{t, inner, t.Listener(inner, secure), inner.Addr().String(), make(chan error, 2)}
	tb.Cleanup(func() { s.ln.Close() })
	run := func(ln net.Listener, protocol string) {
		for {
			c, err := ln.Accept()
			if err != nil {
				s.ended <- err
				return
			}
			go tell(c, protocol)
		}
	}
	if l, ok := s.ln.(*Listener); ok {
		if h2 := l.HTTP2(); h2 != nil {
			go run(h2, "h2")
		}
	}
	go run(s.ln, "http/1.1")
	return s
}

// TestFirstClient connects before anybody has asked for HTTP/2, and gets it all the same.
func TestFirstClient(t *testing.T) {
	a := newAuthorities(t)
	transport, err := New(Options{TLS: a.options, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	inner := listen(t, &Sockets{}, "127.0.0.1:0")
	l := transport.Listener(inner, true).(*Listener)
	defer l.Close()
	c, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	client := tls.Client(c, a.client(protocols("h2")))
	shaken := make(chan error, 1)
	go func() { shaken <- client.Handshake() }()
	time.Sleep(20 * time.Millisecond) // a listener that had begun would refuse meanwhile
	h2 := l.HTTP2()
	go func() { _, _ = h2.Accept() }()
	go func() { _, _ = l.Accept() }()
	if err := <-shaken; err != nil || client.ConnectionState().NegotiatedProtocol != "h2" {
		t.Errorf("%v, %q", err, client.ConnectionState().NegotiatedProtocol)
	}
}

func tell(c net.Conn, protocol string) {
	defer c.Close()
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return
	}
	host, _, _ := net.SplitHostPort(c.RemoteAddr().String())
	name := ""
	if secure, ok := c.(*tls.Conn); ok {
		if chains := secure.ConnectionState().VerifiedChains; len(chains) > 0 {
			name = strings.Join(chains[0][0].DNSNames, ",")
		}
	}
	fmt.Fprintf(c, "%s %s %s %s", protocol, host, name, line)
}

// dial connects to the socket.
func (s *server) dial(tb testing.TB) net.Conn {
	tb.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

// ask shakes hands, sends a line, and returns what the server tells. Only with TLS 1.3 is the
// certificate of a client judged after its handshake.
func (s *server) ask(tb testing.TB, c *tls.Config) (string, error) {
	tb.Helper()
	return talk(tls.Client(s.dial(tb), c), "hello\n")
}

func talk(c net.Conn, text string) (string, error) {
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(c)
	if err == nil && len(answer) == 0 {
		err = io.ErrUnexpectedEOF
	}
	return strings.TrimSuffix(string(answer), "\n"), err
}

// authorities are a test's certificate authorities, and what they have signed.
type authorities struct {
	servers, clients, strangers *certtest.Authority
	options                     TLS
}

func newAuthorities(tb testing.TB) *authorities {
	tb.Helper()
	a := &authorities{servers: certtest.New(tb, "servers"), clients: certtest.New(tb, "clients"), strangers: certtest.New(tb, "strangers")}
	folder := tb.TempDir()
	for _, name := range []string{"a.example", "b.example"} {
		certificate, key := a.servers.Sign(tb, []string{name}).Write(tb, folder, name)
		a.options.Pairs = append(a.options.Pairs, Pair{certificate, key})
	}
	a.options.ClientCAs = []string{a.clients.Write(tb, folder+"/clients.pem")}
	return a
}

// client returns a client's configuration, with changes.
func (a *authorities) client(changes ...func(*tls.Config)) *tls.Config {
	c := &tls.Config{RootCAs: a.servers.Pool(), ServerName: "a.example"}
	for _, change := range changes {
		change(c)
	}
	return c
}

func with(tb testing.TB, a *certtest.Authority, changes ...func(*x509.Certificate)) func(*tls.Config) {
	tb.Helper()
	pair := a.Sign(tb, []string{"client.example"}, changes...).Pair(tb)
	return func(c *tls.Config) { // also where the server does not name its authority
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	}
}

func protocols(list ...string) func(*tls.Config) {
	return func(c *tls.Config) { c.NextProtos = list }
}

func versions(from, to uint16) func(*tls.Config) {
	return func(c *tls.Config) { c.MinVersion, c.MaxVersion = from, to }
}

func cipher(suite uint16) func(*tls.Config) {
	return func(c *tls.Config) { c.CipherSuites, c.MaxVersion = []uint16{suite}, tls.VersionTLS12 }
}

func TestTLS(t *testing.T) {
	a := newAuthorities(t)
	valid := with(t, a.clients)
	all := a.options
	request := all
	request.ClientAuth = ClientRequest
	open := all
	open.ClientCAs = nil
	newest := open
	newest.MinVersion = tls.VersionTLS13
	old := open
	old.NoHTTP2 = true
	const (
		h1   = "http/1.1 127.0.0.1  hello"
		h2   = "h2 127.0.0.1  hello"
		who1 = "http/1.1 127.0.0.1 client.example hello"
		who2 = "h2 127.0.0.1 client.example hello"
	)
	for _, group := range []struct {
		name    string
		options TLS
		cases   []struct {
			name   string
			client *tls.Config
			want   string // "" is a refusal
		}
	}{
		{"require", all, []struct {
			name   string
			client *tls.Config
			want   string
		}{
			{"valid", a.client(valid), who1},
			{"valid, HTTP/2", a.client(valid, protocols("h2", "http/1.1")), who2},
			{"valid, TLS 1.2", a.client(valid, versions(0, tls.VersionTLS12)), who1},
			{"without a certificate", a.client(), ""},
			{"without a certificate, TLS 1.2", a.client(versions(0, tls.VersionTLS12)), ""},
			{"of another authority", a.client(with(t, a.strangers)), ""},
			{"of the servers' authority", a.client(with(t, a.servers)), ""},
			{"expired", a.client(with(t, a.clients, certtest.Expired)), ""},
			{"not valid yet", a.client(with(t, a.clients, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Hour) })), ""},
			{"for servers only", a.client(with(t, a.clients, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} })), ""},
		}},
		{"request", request, []struct {
			name   string
			client *tls.Config
			want   string
		}{
			{"valid", a.client(valid), who1},
			{"without a certificate", a.client(), h1},
			{"of another authority", a.client(with(t, a.strangers)), ""},
			{"expired", a.client(with(t, a.clients, certtest.Expired)), ""},
		}},
		{"open", open, []struct {
			name   string
			client *tls.Config
			want   string
		}{
			{"no certificate is requested", a.client(with(t, a.strangers)), h1},
			{"HTTP/2", a.client(protocols("h2", "http/1.1")), h2},
			{"HTTP/2 alone", a.client(protocols("h2")), h2},
			{"HTTP/1.1", a.client(protocols("http/1.1")), h1},
			{"the server prefers HTTP/2", a.client(protocols("http/1.1", "h2")), h2},
			{"another protocol", a.client(protocols("spdy/3")), ""},
			{"the second name", a.client(func(c *tls.Config) { c.ServerName = "b.example" }), h1},
			{"an unknown name", a.client(func(c *tls.Config) { c.ServerName = "c.example" }), ""}, // the client minds
			{"TLS 1.1", a.client(versions(tls.VersionTLS10, tls.VersionTLS11)), ""},
			{"TLS 1.2", a.client(versions(0, tls.VersionTLS12)), h1},
			{"authenticated encryption", a.client(cipher(tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256)), h1},
			{"CBC", a.client(cipher(tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA)), ""},
		}},
		{"TLS 1.3", newest, []struct {
			name   string
			client *tls.Config
			want   string
		}{
			{"TLS 1.3", a.client(), h1},
			{"TLS 1.2", a.client(versions(0, tls.VersionTLS12)), ""},
		}},
		{"HTTP/1.1", old, []struct {
			name   string
			client *tls.Config
			want   string
		}{
			{"HTTP/2 alone", a.client(protocols("h2")), ""},
			{"both", a.client(protocols("h2", "http/1.1")), h1},
		}},
	} {
		t.Run(group.name, func(t *testing.T) {
			s := serve(t, Options{TLS: group.options}, true)
			refused := 0
			for _, tt := range group.cases {
				got, err := s.ask(t, tt.client)
				if got != tt.want || (err == nil) != (tt.want != "") {
					t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
				}
				if tt.want == "" {
					refused++
				}
			}
			waitFor(t, "the counts", func() bool {
				return counted(s.metrics.handshakes.WithLabelValues(resultDone)) == float64(len(group.cases)-refused) &&
					counted(s.metrics.handshakes.WithLabelValues(resultFailed)) == float64(refused)
			})
		})
	}
}

// TestHTTP2Unasked checks that HTTP/2 is not offered while no server handles it.
func TestHTTP2Unasked(t *testing.T) {
	a := newAuthorities(t)
	a.options.ClientCAs = nil
	transport, err := New(Options{TLS: a.options})
	if err != nil {
		t.Fatal(err)
	}
	ln := transport.Listener(listen(t, &Sockets{}, "127.0.0.1:0"), true)
	defer ln.Close()
	go func() {
		if c, err := ln.Accept(); err == nil {
			tell(c, "http/1.1")
		}
	}()
	s := &server{addr: ln.Addr().String()}
	if got, err := s.ask(t, a.client(protocols("h2", "http/1.1"))); got != "http/1.1 127.0.0.1  hello" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestNotTLS checks what is sent to a port of TLS that is not of TLS.
func TestNotTLS(t *testing.T) {
	a := newAuthorities(t)
	s := serve(t, Options{TLS: a.options}, true)
	for text, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n":                               notTLS,
		"POST /openrtb2/auction HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc": notTLS,
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":                                notTLS,
		"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n":                          notTLS, // from somebody who may not
		"\x00\x00\x00\x00\x00\x00\x00\x00":                                "",
		"\x16\x03\x01\xff\xff\x01\x00\x00\x00\x00":                        "", // a record that is too long
		"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00":                        "", // an empty hello
	} {
		c := s.dial(t)
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		c.(*net.TCPConn).CloseWrite()
		answer, err := io.ReadAll(c)
		if want == "" && len(answer) > 0 && answer[0] == 0x15 { // an alert of TLS
			answer = nil
		}
		if string(answer) != want {
			t.Errorf("%q: %q, %v", text, answer, err)
		}
	}
}

// TestStalled checks that stalled handshakes delay no other, and end.
func TestStalled(t *testing.T) {
	a := newAuthorities(t)
	a.options.ClientCAs = nil
	for _, tt := range []struct {
		name string
		o    Options
		end  string
	}{
		{"with room", Options{HandshakeTimeout: 20 * time.Second}, ""},
		{"too many", Options{HandshakeTimeout: 20 * time.Second, HandshakeGrace: 20 * time.Millisecond, HandshakesMax: 8}, resultCut},
		{"late", Options{HandshakeTimeout: 100 * time.Millisecond}, resultLate},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.TLS = a.options
			s := serve(t, tt.o, true)
			var stalled []net.Conn
			good := 0
			for i := range 200 {
				c := s.dial(t)
				if i%2 == 0 { // half a hello
					if _, err := c.Write([]byte{0x16, 3, 1, 0, 200, 1}); err != nil {
						t.Fatal(err)
					}
				}
				stalled = append(stalled, c)
			}
			// Where time is short a good handshake can be too slow too, on a busy machine.
			waitFor(t, "good handshakes", func() bool {
				got, err := s.ask(t, a.client())
				if err != nil && tt.end == "" || err == nil && got != "http/1.1 127.0.0.1  hello" {
					t.Fatalf("%q, %v", got, err)
				}
				if err == nil {
					good++
				}
				return good == 20
			})
			if tt.end == "" {
				// That of the last good one ends after its client has its answer.
				waitFor(t, "the end of good ones", func() bool { return s.progress.count() == 200 })
				return
			}
			waitFor(t, "the end of those that stalled", func() bool {
				return counted(s.metrics.handshakes.WithLabelValues(tt.end)) >= float64(len(stalled)-8)
			})
		})
	}
}

// TestEnd checks that nothing that was accepted is lost when a listener ends: connections that are
// queued are accepted, and handshakes in progress can be finished.
func TestEnd(t *testing.T) {
	a := newAuthorities(t)
	a.options.ClientCAs = nil
	s := serve(t, Options{TLS: a.options, HandshakeGrace: 5 * time.Second}, true)
	half := s.dial(t)
	waitFor(t, "the handshake", func() bool { return s.progress.count() == 1 })
	if err := s.ln.(*Listener).SetDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	if got, err := talk(tls.Client(half, a.client()), "hello\n"); got != "http/1.1 127.0.0.1  hello" {
		t.Errorf("%q, %v", got, err)
	}
	for range 2 {
		if err := <-s.ended; !isTimeout(err) {
			t.Errorf("Accept: %v", err)
		}
	}
}

// TestEndOfStalled checks that a handshake which does not go on is in no way of the end.
func TestEndOfStalled(t *testing.T) {
	a := newAuthorities(t)
	s := serve(t, Options{TLS: a.options, HandshakeTimeout: time.Hour, HandshakeGrace: 10 * time.Millisecond}, true)
	stalled := s.dial(t)
	waitFor(t, "the handshake", func() bool { return s.progress.count() == 1 })
	if err := s.ln.(*Listener).SetDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		<-s.ended
	}
	if n, err := stalled.Read(make([]byte, 1)); err == nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
}

// TestClose checks that a listener which is closed ends, with all that waits.
func TestClose(t *testing.T) {
	a := newAuthorities(t)
	s := serve(t, Options{TLS: a.options}, true)
	stalled := s.dial(t)
	waitFor(t, "the handshake", func() bool { return s.progress.count() == 1 })
	s.ln.Close()
	for range 2 {
		if err := <-s.ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("Accept: %v", err)
		}
	}
	if _, err := stalled.Read(make([]byte, 1)); err == nil {
		t.Error("the handshake goes on")
	}
	waitFor(t, "the handshakes", func() bool { return s.progress.count() == 0 })
}

// TestThrough checks that nothing is added where nothing is asked for.
func TestThrough(t *testing.T) {
	transport, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	inner := listen(t, &Sockets{}, "127.0.0.1:0")
	if ln := transport.Listener(inner, false); ln != inner {
		t.Errorf("%T", ln)
	}
}

func TestSecure(t *testing.T) {
	a := newAuthorities(t)
	none, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	some, err := New(Options{TLS: a.options})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		t       *Transport
		address string
		want    bool
		fails   bool
	}{
		{none, ":1", false, false}, {none, "http://:1", false, false}, {none, "https://:1", false, true},
		{some, ":1", true, false}, {some, "http://:1", false, false}, {some, "https://:1", true, false},
	} {
		got, err := tt.t.Secure(parse(t, tt.address))
		if got != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s: %v, %v", tt.address, got, err)
		}
	}
}

// TestMetrics checks that all metrics can be collected.
func TestMetrics(t *testing.T) {
	a := newAuthorities(t)
	a.options.ClientCAs = nil
	s := serve(t, Options{TLS: a.options}, true)
	if got, err := s.ask(t, a.client()); err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(s.Collector())
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range families {
		fmt.Fprintln(&text, f)
	}
	for _, want := range []string{"tls_handshakes_total", "TLS 1.3", "http/1.1", "handshakes_in_progress"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %s in:\n%s", want, &text)
		}
	}
}

// counted returns what a counter has counted.
func counted(c prometheus.Counter) float64 {
	var m dto.Metric
	if err := c.Write(&m); err != nil {
		panic(err)
	}
	return m.GetCounter().GetValue()
}

// waitFor waits until something holds.
func waitFor(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("waited 20 s for: %s", what)
		}
	}
}

// group runs functions at the same time, and waits for them.
func group(n int, do func(int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}
