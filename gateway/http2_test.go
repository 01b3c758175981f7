package gateway

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2/hpack"

	"github.com/valyala/fasthttp"
	xhttp2 "golang.org/x/net/http2"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/certtest"
	"github.com/rtbwire/rtbwire/internal/serving/guard"
	"github.com/rtbwire/rtbwire/internal/serving/transport"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// secured is a gateway that serves TLS.
type secured struct {
	*started
	servers, clients *certtest.Authority
}

// startTLS serves with options over TLS. Clients may have a certificate.
func startTLS(tb testing.TB, o Options, to transport.Options) *secured {
	tb.Helper()
	s := &secured{servers: certtest.New(tb, "servers"), clients: certtest.New(tb, "clients")}
	folder := tb.TempDir()
	certificate, key := s.servers.Sign(tb, []string{"127.0.0.1"}).Write(tb, folder, "server")
	to.TLS = transport.TLS{
		Pairs: []transport.Pair{{Certificate: certificate, Key: key}}, ClientCAs: []string{s.clients.Write(tb, folder+"/ca.pem")},
		ClientAuth: transport.ClientRequest,
	}
	s.started = startTransport(tb, o, to, true)
	return s
}

// startTransport serves with options, over a transport.
func startTransport(tb testing.TB, o Options, to transport.Options, secure bool) *started {
	tb.Helper()
	to.Logger = slog.New(slog.DiscardHandler)
	t, err := transport.New(to)
	if err != nil {
		tb.Fatal(err)
	}
	return startWith(tb, o, func(g *Gateway, ln net.Listener) error { return g.Serve(t.Listener(ln, secure)) })
}

// client returns a client of HTTP/1.1 or HTTP/2, with a certificate for names if there are any.
func (s *secured) client(tb testing.TB, h2 bool, names ...string) *http.Client {
	tb.Helper()
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!h2)
	protocols.SetHTTP2(h2)
	t := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.servers.Pool()}, Protocols: protocols, DisableCompression: true}
	if len(names) > 0 {
		t.TLSClientConfig.Certificates = []tls.Certificate{s.clients.Sign(tb, names).Pair(tb)}
	}
	tb.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t, Timeout: 20 * time.Second}
}

func (s *secured) request(tb testing.TB, method, path string, body []byte, header ...string) *http.Request {
	tb.Helper()
	r, err := http.NewRequest(method, "https://"+s.addr+path, bytes.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

// TestTLS checks that requests over TLS are served like others, by either protocol, on one
// connection whatever becomes of them.
func TestTLS(t *testing.T) {
	t.Parallel()
	up := newCore(t, nil)
	s := startTLS(t, Options{
		Upstreams: At(up.URL), NoBid: NoBid400,
		Partners: []Partner{
			{Name: "mutual", Match: Match{Path: "/mutual", MTLS: "a.example"}},
			{Name: "wild", Match: Match{Path: "/wild", MTLS: "*.example"}},
		},
	}, transport.Options{})
	body := good(t)
	for _, h2 := range []bool{false, true} {
		c := s.client(t, h2, "a.example")
		stranger := s.client(t, h2)
		connections := 0
		do := func(c *http.Client, r *http.Request) reply {
			t.Helper()
			r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
				if !i.Reused {
					connections++
				}
			}}))
			return do(t, c, r)
		}
		for _, path := range []string{PathDefault, "/mutual", "/wild"} {
			r := do(c, s.request(t, http.MethodPost, path, body, "X-Forwarded-For", "192.0.2.1", "X-Rtbwire-Action", "x"))
			got := up.take()
			if r.status != 200 || r.body != answered || len(got) != 1 || !bytes.Equal(got[0].body, body) || got[0].header.Get("X-Forwarded-For") != "127.0.0.1" ||
				got[0].uri != path || got[0].proto != "HTTP/1.1" || got[0].header.Get("X-Rtbwire-Action") != "forward" {
				t.Fatalf("HTTP/2 %v, %s: %+v, core got %+v", h2, path, r, got)
			}
			if want := map[string]string{"/mutual": "mutual", "/wild": "wild"}[path]; got[0].header.Get("X-Rtbwire-Partner") != want {
				t.Errorf("HTTP/2 %v, %s: partner %q", h2, path, got[0].header.Get("X-Rtbwire-Partner"))
			}
		}
		for _, tt := range []struct {
			method, path, body string
			header             []string
			want               int
		}{
			{"POST", PathDefault, `{"id":"1","imp":[]}`, nil, 400},
			{"POST", PathDefault, `{"id":`, nil, 400},
			{"POST", PathDefault, string(body), []string{"Content-Type", "text/plain"}, 415},
			{"POST", PathDefault, string(body), []string{"X-Openrtb-Version", "3.0"}, 400},
			{"POST", "/nowhere", string(body), nil, 404},
			{"GET", PathDefault, "", nil, 405},
			{"GET", "/status", "", nil, 200},
		} {
			if r := do(c, s.request(t, tt.method, tt.path, []byte(tt.body), tt.header...)); r.status != tt.want {
				t.Errorf("HTTP/2 %v, %s %s: %+v, want %d", h2, tt.method, tt.path, r, tt.want)
			}
		}
		if connections != 1 {
			t.Errorf("HTTP/2 %v: %d connections", h2, connections)
		}
		if r := do(stranger, s.request(t, http.MethodPost, "/mutual", body)); r.status != 404 {
			t.Errorf("HTTP/2 %v, without a certificate: %+v", h2, r)
		}
		if h2 { // a body that is too long does not end the connection
			before := connections
			for range 2 {
				if r := do(c, s.request(t, http.MethodPost, PathDefault, make([]byte, BodyMaxDefault+1))); r.status != 413 {
					t.Errorf("a long body: %+v", r)
				}
			}
			if connections != before {
				t.Errorf("%d more connections", connections-before)
			}
		}
		if got := up.take(); len(got) > 0 {
			t.Errorf("the core got %d more requests", len(got))
		}
	}
}

// TestGuardedTLS checks that the guard has its part in connections of TLS: what it refuses is
// answered, and its deadlines count.
func TestGuardedTLS(t *testing.T) {
	t.Parallel()
	up := newCore(t, nil)
	s := startTLS(t, Options{Upstreams: At(up.URL), HeadTimeout: 2 * time.Second}, transport.Options{})
	for text, want := range map[string]string{
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": "HTTP/1.1 400 ",
		"GET / HTTP/3.0\r\n\r\n": "HTTP/1.1 505 ",
		"POST / HTTP/1.1\r\nHo":  "HTTP/1.1 408 ", // and no more
	} {
		c, err := tls.Dial("tcp", s.addr, &tls.Config{RootCAs: s.servers.Pool()})
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		if answer, err := io.ReadAll(c); !strings.HasPrefix(string(answer), want) || err != nil {
			t.Errorf("%q: %q, %v, want %s", text, answer, err, want)
		}
		c.Close()
	}
	if n := len(up.take()); n > 0 {
		t.Errorf("the core got %d requests", n)
	}
}

// TestProxied checks that the address of a PROXY header is the peer's.
func TestProxied(t *testing.T) {
	t.Parallel()
	up := newCore(t, nil)
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	partners := []Partner{{Name: "p", Match: Match{From: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}}}
	s := startTransport(t, Options{Upstreams: At(up.URL), Partners: partners}, transport.Options{Proxies: proxies}, false)
	body := good(t)
	request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.1\r\nContent-Length: %d\r\n\r\n%s", PathDefault, len(body), body)
	for header, partner := range map[string]string{"PROXY TCP4 192.0.2.7 127.0.0.1 1 2\r\n": "p", "PROXY TCP4 198.51.100.7 127.0.0.1 1 2\r\n": "", "PROXY UNKNOWN\r\n": ""} {
		c := s.dial(t)
		c.write(t, header+request)
		c.answer(t, 200)
		c.write(t, request)
		c.answer(t, 200)
		for _, got := range up.take() {
			want := "127.0.0.1"
			if fields := strings.Fields(header); len(fields) > 2 {
				want = fields[2]
			}
			if got.header.Get("X-Rtbwire-Partner") != partner || got.header.Get("X-Forwarded-For") != want {
				t.Errorf("%q: %v", header, got.header)
			}
		}
	}
	c := s.dial(t)
	c.write(t, request)
	if b, err := io.ReadAll(c); len(b) > 0 {
		t.Errorf("without a header: %q, %v", b, err)
	}
	if got := up.take(); len(got) > 0 {
		t.Errorf("the core got %d requests", len(got))
	}

	// From others a header is a bad request.
	plain := start(t, Options{Upstreams: At(up.URL)})
	if got := plain.raw(t, "PROXY TCP4 192.0.2.7 127.0.0.1 1 2\r\n"+request); !strings.HasPrefix(got, "HTTP/1.1 400") {
		t.Errorf("from others: %q", got)
	}
	if got := up.take(); len(got) > 0 {
		t.Errorf("the core got %d requests", len(got))
	}
}

// frames is a connection whose frames of HTTP/2 a test writes.
type frames struct {
	*xhttp2.Framer
	conn    *tls.Conn
	encoded bytes.Buffer
	encoder *hpack.Encoder
}

// frames opens a connection of HTTP/2. What comes back is for the test to read.
func (s *secured) frames(tb testing.TB) *frames {
	tb.Helper()
	conn, err := tls.Dial("tcp", s.addr, &tls.Config{RootCAs: s.servers.Pool(), NextProtos: []string{"h2"}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	f := &frames{Framer: xhttp2.NewFramer(conn, conn), conn: conn}
	f.encoder = hpack.NewEncoder(&f.encoded)
	if _, err := io.WriteString(conn, xhttp2.ClientPreface); err != nil {
		tb.Fatal(err)
	}
	if err := f.WriteSettings(); err != nil {
		tb.Fatal(err)
	}
	return f
}

// head returns the head of a request, compressed.
func (f *frames) head(method, path string, more ...string) []byte {
	f.encoded.Reset()
	for _, pair := range slices.Collect(slices.Chunk(append([]string{":method", method, ":scheme", "https", ":authority", "x", ":path", path}, more...), 2)) {
		f.encoder.WriteField(hpack.HeaderField{Name: pair[0], Value: pair[1]}) // into memory
	}
	return f.encoded.Bytes()
}

// ends reads what comes until the connection ends.
func (f *frames) ends(tb testing.TB) {
	tb.Helper()
	for {
		if _, err := f.ReadFrame(); err != nil {
			if _, isStream := errors.AsType[xhttp2.StreamError](err); isStream {
				continue
			}
			if upstreams.IsTimeout(err) {
				tb.Error("the connection does not end")
			}
			return
		}
	}
}

// status returns the status of an answer, or how the stream or connection ended without one.
func (f *frames) status(tb testing.TB) (status string) {
	tb.Helper()
	decoder := hpack.NewDecoder(4096, func(h hpack.HeaderField) {
		if h.Name == ":status" {
			status = h.Value
		}
	})
	for status == "" {
		frame, err := f.ReadFrame()
		if err != nil {
			return "the end"
		}
		switch own := frame.(type) {
		case *xhttp2.HeadersFrame:
			if _, err := decoder.Write(own.HeaderBlockFragment()); err != nil {
				tb.Fatal(err)
			}
		case *xhttp2.RSTStreamFrame, *xhttp2.GoAwayFrame:
			return "reset"
		}
	}
	return status
}

// TestHTTP2Resets opens and resets many streams on one connection: it is cut soon, and others do
// not notice.
func TestHTTP2Resets(t *testing.T) {
	t.Parallel()
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		time.Sleep(5 * time.Millisecond)
		io.WriteString(w, answered)
	})
	s := startTLS(t, Options{Upstreams: At(up.URL), UpstreamTimeout: 20 * time.Second, ResetsMax: 500, OverloadTolerance: -1}, transport.Options{})
	body := good(t)
	f := s.frames(t)
	ended := make(chan struct{})
	go func() { defer close(ended); f.ends(t) }()
	head := bytes.Clone(f.head("POST", PathDefault))
	sent := 0
	for id := uint32(1); sent < 20_000; id, sent = id+2, sent+1 {
		err := errors.Join(
			f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: id, BlockFragment: head, EndHeaders: true}),
			f.WriteData(id, true, body), f.WriteRSTStream(id, xhttp2.ErrCodeCancel))
		if err != nil {
			break
		}
	}
	<-ended
	if n := s.inFlight.Load(); n > StreamsMaxDefault {
		t.Errorf("%d requests are in flight", n)
	}
	if r := do(t, s.client(t, true), s.request(t, http.MethodPost, PathDefault, body)); r.status != 200 {
		t.Errorf("another client: %+v", r)
	}
	waitFor(t, "the streams", func() bool { return s.inFlight.Load() == 0 })
	if n := len(up.take()); n > 5000 {
		t.Errorf("%d streams were sent, and %d requests reached the core", sent, n)
	}
}

// TestHTTP2ResetsCount checks the limit itself: a connection is cut at one reset more than allowed,
// and answers make up for resets.
func TestHTTP2ResetsCount(t *testing.T) {
	g, err := New(Options{Upstreams: At("http://127.0.0.1:1")})
	if err != nil {
		t.Fatal(err)
	}
	client, server := net.Pipe()
	defer client.Close()
	own := &resets{conn: server, max: 2}
	ask := func(reset bool) {
		ctx, cancel := contextFor(20 * time.Second)
		defer cancel()
		if reset {
			cancel()
		}
		ctx = contextWith(ctx, own)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, statusPath, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		bounded{g}.ServeHTTP(&discard{header: http.Header{}}, r)
	}
	for _, reset := range []bool{true, true, false, true, false, false, false, true, true} {
		ask(reset)
		if err := server.SetDeadline(time.Time{}); err != nil {
			t.Fatal("cut too early")
		}
	}
	ask(true)
	if err := server.SetDeadline(time.Time{}); err == nil {
		t.Error("not cut")
	}
}

// TestHTTP2Streams opens more streams than are allowed: those above the limit are not served.
func TestHTTP2Streams(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		<-release
		io.WriteString(w, answered)
	})
	s := startTLS(t, Options{Upstreams: At(up.URL), StreamsMax: 20, UpstreamTimeout: 20 * time.Second, OverloadTolerance: -1}, transport.Options{})
	f := s.frames(t)
	body := good(t)
	head := bytes.Clone(f.head("POST", PathDefault))
	var answers, refusals atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			switch own := frame.(type) {
			case *xhttp2.RSTStreamFrame:
				if own.ErrCode != xhttp2.ErrCodeRefusedStream {
					t.Errorf("%v", own)
				}
				refusals.Add(1)
			case *xhttp2.HeadersFrame:
				answers.Add(1)
			}
		}
	}()
	for i := range uint32(1000) {
		id := 2*i + 1
		if err := f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: id, BlockFragment: head, EndHeaders: true}); err != nil {
			break // it was cut
		}
		if i < 20 {
			if err := f.WriteData(id, true, body); err != nil {
				t.Fatal(err)
			}
		}
	}
	waitFor(t, "refusals, or the end", func() bool {
		select {
		case <-ended:
			return true
		default:
			return refusals.Load() == 980
		}
	})
	if n := s.inFlight.Load(); n > 20 {
		t.Errorf("%d requests in flight", n)
	}
	close(release)
	select {
	case <-ended:
	default:
		waitFor(t, "answers", func() bool { return answers.Load() == 20 })
	}
	if r := do(t, s.client(t, true), s.request(t, http.MethodPost, PathDefault, body)); r.status != 200 {
		t.Errorf("another client: %+v", r)
	}
}

// TestHTTP2Heads sends headers that are too long or never end.
func TestHTTP2Heads(t *testing.T) {
	t.Parallel()
	up := newCore(t, nil)
	s := startTLS(t, Options{Upstreams: At(up.URL), IdleTimeout: time.Second}, transport.Options{})
	var ended sync.WaitGroup // of all, since each waits for a second
	for name, send := range map[string]func(f *frames) error{
		"continuations without end": func(f *frames) error {
			err := f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: f.head("GET", "/status"), EndStream: true})
			for i := 0; i < 100_000 && err == nil; i++ {
				err = f.WriteContinuation(1, false, f.head("GET", "/status")[:0])
			}
			return err
		},
		"continuations with fields": func(f *frames) error {
			err := f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: f.head("GET", "/status"), EndStream: true})
			f.encoded.Reset()
			f.encoder.WriteField(hpack.HeaderField{Name: "x", Value: strings.Repeat("y", 8000), Sensitive: true})
			field := f.encoded.Bytes()
			for i := 0; i < 10_000 && err == nil; i++ {
				err = f.WriteContinuation(1, false, field)
			}
			return err
		},
		"pings": func(f *frames) (err error) {
			for i := 0; i < 1_000_000 && err == nil; i++ {
				err = f.WritePing(false, [8]byte{})
			}
			return err
		},
		"not HTTP/2": func(f *frames) error {
			_, err := f.conn.Write(bytes.Repeat([]byte{0xff}, 1000))
			return err
		},
	} {
		f := s.frames(t)
		if name == "pings" { // whose answers are not read
			if testkit.Scale(t, 0, 0, 1) > 0 && send(f) == nil {
				t.Error("a million pings were taken")
			}
			continue
		}
		ended.Go(func() { f.ends(t) })
		_ = send(f) // until it is cut
	}
	ended.Wait()
	patient := startTLS(t, Options{Upstreams: At(up.URL)}, transport.Options{})
	f := patient.frames(t)
	head := bytes.Clone(f.head("POST", PathDefault, "x", strings.Repeat("x", HeadMaxDefault/2), "y", strings.Repeat("y", HeadMaxDefault/2), "z", strings.Repeat("z", HeadMaxDefault/2)))
	if err := f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: head[:10_000], EndStream: true}); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteContinuation(1, true, head[10_000:]); err != nil {
		t.Fatal(err)
	}
	if got := f.status(t); got != "431" {
		t.Errorf("a long head: %s", got)
	}
	if n := len(up.take()); n > 0 {
		t.Errorf("the core got %d requests", n)
	}
	waitFor(t, "the connections", func() bool { return s.conns.count() <= 1 })
}

// TestHTTP2Smuggling sends what HTTP/1.1 would read as framing or as another request.
func TestHTTP2Smuggling(t *testing.T) {
	t.Parallel()
	up := newCore(t, nil)
	s := startTLS(t, Options{Upstreams: At(up.URL)}, transport.Options{})
	body := good(t)
	for _, more := range [][]string{
		{"transfer-encoding", "chunked"},
		{"connection", "keep-alive"},
		{"content-length", "5"},
		{"content-length", "+5"},
		{"x", "a\r\nTransfer-Encoding: chunked"},
		{"x\r\ny", "a"},
		{"x: y", "a"},
		{"X", "a"},
		{"host", "other"},
		{":path", "/other"},
	} {
		f := s.frames(t)
		if err := errors.Join(
			f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: f.head("POST", PathDefault, more...), EndHeaders: true}),
			f.WriteData(1, true, body)); err != nil {
			t.Fatal(err)
		}
		status := f.status(t)
		if got := up.take(); status == "200" || len(got) > 0 {
			t.Errorf("%q: %s, %d requests for the core", more, status, len(got))
		}
	}
}

// TestHTTP2SlowBody checks that a body has a time.
func TestHTTP2SlowBody(t *testing.T) {
	t.Parallel()
	up := newCore(t, nil)
	s := startTLS(t, Options{Upstreams: At(up.URL), BodyTimeout: 50 * time.Millisecond}, transport.Options{})
	r, w := io.Pipe()
	defer w.Close()
	request, err := http.NewRequest(http.MethodPost, "https://"+s.addr+PathDefault, r)
	if err != nil {
		t.Fatal(err)
	}
	go io.WriteString(w, "{")
	if got := do(t, s.client(t, true), request); got.status != 408 {
		t.Errorf("%+v", got)
	}
	if n := len(up.take()); n > 0 {
		t.Errorf("the core got %d requests", n)
	}
}

// TestHTTP2Connections checks that connections of all protocols have one limit.
func TestHTTP2Connections(t *testing.T) {
	t.Parallel()
	up := newCore(t, nil)
	s := startTLS(t, Options{Upstreams: At(up.URL), ConnectionsMax: 2}, transport.Options{})
	first, second := s.client(t, true), s.client(t, false)
	for _, c := range []*http.Client{first, second} {
		if r := do(t, c, s.request(t, http.MethodGet, statusPath, nil)); r.status != 200 {
			t.Fatalf("%+v", r)
		}
	}
	for _, h2 := range []bool{false, true} {
		if r, err := s.client(t, h2).Do(s.request(t, http.MethodGet, statusPath, nil)); err == nil {
			r.Body.Close()
			t.Errorf("HTTP/2 %v: a third connection: %s", h2, r.Status)
		}
	}
	first.CloseIdleConnections()
	waitFor(t, "room", func() bool { return s.conns.count() == 1 })
	if r := do(t, s.client(t, true), s.request(t, http.MethodGet, statusPath, nil)); r.status != 200 {
		t.Errorf("%+v", r)
	}
}

// errNoDial means that a client wants another connection from a gateway that stops: it was told so,
// and has lost nothing.
var errNoDial = errors.New("no more connections")

// dialOnly has a client make connections as long as the gateway does not stop.
func dialOnly(t *http.Transport, h2 bool, stopping *atomic.Bool) {
	c := t.TLSClientConfig.Clone()
	if h2 {
		c.NextProtos = []string{"h2"}
	}
	t.DialTLSContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if stopping.Load() {
			return nil, errNoDial
		}
		return (&tls.Dialer{Config: c}).DialContext(ctx, network, addr)
	}
}

// TestHTTP2AllStreams checks that the streams of all connections have one limit.
func TestHTTP2AllStreams(t *testing.T) {
	t.Parallel()
	up := newCore(t, nil)
	s := startTLS(t, Options{Upstreams: At(up.URL), ConnectionsMax: 4, BodyTimeout: 20 * time.Second}, transport.Options{})
	body := good(t)
	first, second := s.client(t, true), s.client(t, true)
	statuses := make(chan int, 4)
	var bodies []*io.PipeWriter
	for i := range 4 { // whose bodies do not come
		r, w := io.Pipe()
		bodies = append(bodies, w)
		request, err := http.NewRequest(http.MethodPost, "https://"+s.addr+PathDefault, r)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			resp, err := []*http.Client{first, second}[i%2].Do(request)
			if err != nil {
				t.Error(err)
				statuses <- 0
				return
			}
			resp.Body.Close()
			statuses <- resp.StatusCode
		}()
		waitFor(t, "the stream", func() bool { return s.http2.streams.Load() == int64(i+1) })
	}
	if r := do(t, second, s.request(t, http.MethodPost, PathDefault, body)); r.status != 503 || r.header.Get("Retry-After") == "" {
		t.Errorf("above the limit: %+v", r)
	}
	for _, w := range bodies {
		if _, err := w.Write(body); err != nil {
			t.Error(err)
		}
		w.Close()
		if status := <-statuses; status != 200 {
			t.Errorf("below the limit: %d", status)
		}
	}
	if r := do(t, second, s.request(t, http.MethodPost, PathDefault, body)); r.status != 200 {
		t.Errorf("when there is room again: %+v", r)
	}
}

// TestHTTP2Memory checks that bodies count with those of other connections.
func TestHTTP2Memory(t *testing.T) {
	t.Parallel()
	up := newCore(t, nil)
	s := startTLS(t, Options{Upstreams: At(up.URL), MemoryMax: 100_000}, transport.Options{})
	c := s.client(t, true)
	for range 2 {
		if r := do(t, c, s.request(t, http.MethodPost, PathDefault, bytes.Repeat([]byte(" "), 200_000))); r.status != 503 || r.header.Get("Retry-After") != retryAfter {
			t.Errorf("%+v", r)
		}
		if r := do(t, c, s.request(t, http.MethodPost, PathDefault, good(t))); r.status != 200 {
			t.Errorf("%+v", r)
		}
	}
	waitFor(t, "the memory", func() bool { return s.conns.held.Load() == 0 })
}

// TestHTTP2HeadMemory sends headers whose bodies never come: the headers count too, and small
// requests are still served.
func TestHTTP2HeadMemory(t *testing.T) {
	t.Parallel()
	up := newCore(t, nil)
	s := startTLS(t, Options{Upstreams: At(up.URL), MemoryMax: 100_000, BodyTimeout: time.Minute}, transport.Options{})
	f := s.frames(t)
	const size = 10_000 // it counts twice
	for i := range uint32(4) {
		head := f.head("POST", PathDefault, "x", strings.Repeat("x", size))
		if err := f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 2*i + 1, BlockFragment: head, EndHeaders: true}); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the head", func() bool { return s.conns.held.Load() > 2*size*int64(i+1) })
	}
	if r := do(t, s.client(t, true), s.request(t, http.MethodPost, PathDefault, good(t))); r.status != 200 {
		t.Errorf("a small request: %+v", r)
	}
	large := s.request(t, http.MethodPost, PathDefault, good(t), "X", strings.Repeat("x", size))
	if r := do(t, s.client(t, true), large); r.status != 503 || r.header.Get("Retry-After") == "" {
		t.Errorf("a large head: %+v", r)
	}
	f.conn.Close()
	waitFor(t, "the memory", func() bool { return s.conns.held.Load() == 0 })
}

// TestHTTP2HeadLimits checks that the guard's limits on headers apply to HTTP/2.
func TestHTTP2HeadLimits(t *testing.T) {
	t.Parallel()
	up := newCore(t, nil)
	s := startTLS(t, Options{Upstreams: At(up.URL)}, transport.Options{})
	target := func(n int) string { return statusPath + "?" + strings.Repeat("x", n-len(statusPath)-1) }
	fields := func(n int) (more []string) {
		for i := range n - 1 { // Host is one
			more = append(more, fmt.Sprintf("x-%d", i%7), "y")
		}
		return more
	}
	for _, tt := range []struct {
		name, path string
		more       []string
		want       string
	}{
		{"fields", statusPath, fields(guard.DefaultFields), "200"},
		{"a field more", statusPath, fields(guard.DefaultFields + 1), "431"},
		{"a target", target(guard.DefaultTargetBytes), nil, "200"},
		{"a longer target", target(guard.DefaultTargetBytes + 1), nil, "414"},
	} {
		f := s.frames(t)
		head := f.head("GET", tt.path, tt.more...)
		if err := f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: head, EndHeaders: true, EndStream: true}); err != nil {
			t.Fatal(err)
		}
		if got := f.status(t); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// pipeListener is a listener with one connection.
type pipeListener struct {
	conns chan net.Conn
	net.Conn
}

func (l *pipeListener) Addr() net.Addr { return l.LocalAddr() }
func (l *pipeListener) Close() error   { return nil }
func (l *pipeListener) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

// TestHTTP2PartnerTimeout checks that a partner's time for the upstream holds on HTTP/2 where it is
// longer than the gateway's, and that an answer without a reader ends nevertheless. The clock is
// not the machine's.
func TestHTTP2PartnerTimeout(t *testing.T) {
	t.Parallel()
	authority := certtest.New(t, "servers")
	certificate := authority.Sign(t, []string{"gateway.example"}).Pair(t)
	body := good(t)
	synctest.Test(t, func(t *testing.T) {
		now := func() time.Time { return certificate.Leaf.NotBefore.Add(time.Minute) } // the bubble's is long ago
		g, err := New(Options{
			Logger: slog.New(slog.DiscardHandler),
			Core: CoreFunc(func(req *fasthttp.Request, resp *fasthttp.Response, _ time.Duration) error {
				time.Sleep(19 * time.Second)
				resp.SetBodyString(answered)
				if len(req.Header.Peek("X-Long")) > 0 {
					resp.SetBodyString(strings.Repeat("x", 200_000))
				}
				return nil
			}),
			Partners: []Partner{{Name: "p", UpstreamTimeout: 20 * time.Second, Match: Match{Path: "/slow", Headers: []inspect.Header{{Name: "X-Partner", Value: "p"}}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		client, server := net.Pipe()
		defer client.Close()
		ln := &pipeListener{make(chan net.Conn, 1), server}
		secure := tls.Server(server, &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"}})
		ended := make(chan struct{})
		transport := &http.Transport{
			Protocols: new(http.Protocols),
			HTTP2:     &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 10},
			DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
				config := &tls.Config{RootCAs: authority.Pool(), ServerName: "gateway.example", NextProtos: []string{"h2"}, Time: now}
				c := tls.Client(client, config)
				go func() {
					defer close(ended)
					if err := secure.Handshake(); err != nil {
						t.Error(err)
					}
					ln.conns <- secure
					_ = g.ServeHTTP2(ln) // until the listener ends
				}()
				return c, c.Handshake()
			},
		}
		transport.Protocols.SetHTTP2(true)
		defer func() {
			close(ln.conns)
			transport.CloseIdleConnections()
			<-ended
			time.Sleep(time.Minute) // until the core has answered, whoever waits for it
		}()
		ask := func(more ...string) *http.Response {
			r, err := http.NewRequest(http.MethodPost, "https://gateway.example/slow", bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Partner", "p")
			for _, name := range more {
				r.Header.Set(name, "1")
			}
			resp, err := transport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			return resp
		}
		resp := ask()
		if text, err := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK || string(text) != answered || err != nil {
			t.Errorf("%s, %q, %v", resp.Status, text, err)
		}
		_ = resp.Body.Close()
		resp = ask("X-Long")
		time.Sleep(WriteTimeoutDefault + time.Second)
		if text, err := io.ReadAll(resp.Body); err == nil {
			t.Errorf("an unread answer after a long time: %s, %d bytes", resp.Status, len(text))
		}
		_ = resp.Body.Close()
	})
}

// TestHTTP2Drain stops a gateway while clients of both protocols send: every request that was sent
// is answered.
func TestHTTP2Drain(t *testing.T) {
	t.Parallel()
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		time.Sleep(2 * time.Millisecond)
		io.WriteString(w, answered)
	})
	body := good(t)
	for range testkit.Scale(t, 1, 1, 20) {
		s := startTLS(t, Options{Upstreams: At(up.URL), DrainDelay: time.Second}, transport.Options{})
		idle := s.client(t, true)
		if r := do(t, idle, s.request(t, http.MethodGet, statusPath, nil)); r.status != 200 {
			t.Fatalf("%+v", r)
		}
		var senders sync.WaitGroup
		var answers, late atomic.Int64
		var stopping atomic.Bool
		for i := range 6 {
			c := s.client(t, i%3 > 0)
			dialOnly(c.Transport.(*http.Transport), i%3 > 0, &stopping)
			for range 4 {
				senders.Go(func() {
					for {
						resp, err := c.Do(s.request(t, http.MethodPost, PathDefault, body))
						if err != nil {
							if !errors.Is(err, errNoDial) {
								t.Errorf("a request was lost after %d answers: %v", answers.Load(), err)
							}
							return
						}
						text, err := io.ReadAll(resp.Body)
						resp.Body.Close()
						switch {
						case err != nil || resp.StatusCode != http.StatusOK || string(text) != answered:
							t.Errorf("answer %d %q, %v", resp.StatusCode, text, err)
							return
						case !s.Ready():
							late.Add(1)
						}
						answers.Add(1)
					}
				})
			}
		}
		waitFor(t, "load", func() bool { return answers.Load() > 100 })
		stopping.Store(true)
		ctx, cancel := contextFor(20 * time.Second)
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		cancel()
		senders.Wait()
		if err := <-s.done; err != nil {
			t.Errorf("Serve: %v", err)
		}
		if n := s.conns.count(); n != 0 {
			t.Errorf("%d connections are left", n)
		}
		t.Logf("%d answers, %d of them while it stopped", answers.Load(), late.Load())
		up.take()
	}
}

// contextWith returns the context of a stream.
func contextWith(ctx context.Context, own *resets) context.Context {
	return context.WithValue(ctx, resetsKey{}, own)
}

// discard is a response writer without a reader.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}
