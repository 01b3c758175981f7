package gateway

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/serving/transport"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// core is an upstream over real sockets that keeps what it gets.
type core struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*coreRequest
}

type coreRequest struct {
	method, uri, proto, host string
	header                   http.Header
	body                     []byte
	length                   int64
	encoding                 []string
}

// answered is what a core answers if its test says nothing else.
const answered = `{"id":"answer","seatbid":[]}`

// newCore starts a core. handle answers after the request was read; nil answers with a bid
// response.
func newCore(tb testing.TB, handle func(w http.ResponseWriter, r *http.Request, body []byte)) *core {
	tb.Helper()
	c := &core{}
	if handle == nil {
		handle = func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, answered)
		}
	}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			tb.Logf("core: %v", err)
			return
		}
		c.mu.Lock()
		c.requests = append(c.requests, &coreRequest{r.Method, r.RequestURI, r.Proto, r.Host, r.Header.Clone(), body, r.ContentLength, r.TransferEncoding})
		c.mu.Unlock()
		handle(w, r, body)
	}))
	tb.Cleanup(c.Close)
	return c
}

// take returns the requests since the last call.
func (c *core) take() []*coreRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.requests
	c.requests = nil
	return list
}

// started is a gateway that serves.
type started struct {
	*Gateway
	addr string
	done chan error
}

func (s *started) url(path string) string { return "http://" + s.addr + path }

// start serves with options, on a port of its own.
func start(tb testing.TB, o Options) *started {
	tb.Helper()
	return startWith(tb, o, (*Gateway).Serve)
}

// startStd is start with Go's own server.
func startStd(tb testing.TB, o Options) *started {
	tb.Helper()
	return startWith(tb, o, (*Gateway).ServeStd)
}

func startWith(tb testing.TB, o Options, serve func(*Gateway, net.Listener) error) *started {
	tb.Helper()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.UpstreamTimeout = cmp.Or(o.UpstreamTimeout, time.Minute) // tests share their machine
	g, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := &started{g, ln.Addr().String(), make(chan error, 1)}
	go func() { s.done <- serve(g, ln) }()
	tb.Cleanup(func() {
		ctx, cancel := contextFor(time.Minute)
		defer cancel()
		if err := g.Shutdown(ctx); err != nil {
			tb.Errorf("Shutdown: %v", err)
		}
	})
	return s
}

// reply is an answer of the gateway.
type reply struct {
	status int
	header http.Header
	body   string
}

// sending sends a request to a gateway, with headers given as names and values.
type sending func(method, path string, body []byte, header ...string) reply

// eachProtocol runs a test with both data planes of HTTP/1.1, with HTTP/2, and with a server of
// somebody else.
func eachProtocol(t *testing.T, test func(t *testing.T, serve func(Options) (*started, sending))) {
	t.Helper()
	plain := func(g *started) (*started, sending) {
		return g, func(method, path string, body []byte, header ...string) reply {
			return g.send(t, method, path, body, header...)
		}
	}
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		test(t, func(o Options) (*started, sending) { return plain(serve(o)) })
	})
	t.Run("handler", func(t *testing.T) {
		test(t, func(o Options) (*started, sending) { return plain(startHandler(t, o)) })
	})
	t.Run("HTTP/2", func(t *testing.T) {
		test(t, func(o Options) (*started, sending) {
			s := startTLS(t, o, transport.Options{})
			c := s.client(t, true)
			return s.started, func(method, path string, body []byte, header ...string) reply {
				return do(t, c, s.request(t, method, path, body, header...))
			}
		})
	})
}

// startHandler serves with options, by a server of somebody else.
func startHandler(tb testing.TB, o Options) *started {
	tb.Helper()
	o.UpstreamTimeout = cmp.Or(o.UpstreamTimeout, time.Minute) // tests share their machine
	g, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	server := httptest.NewServer(g)
	tb.Cleanup(server.Close)
	return &started{Gateway: g, addr: server.Listener.Addr().String()}
}

// client has connections of its own, does not follow redirects, and neither compresses nor
// inflates.
func client(tb testing.TB) *http.Client {
	tb.Helper()
	t := &http.Transport{DisableCompression: true}
	tb.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t, Timeout: 20 * time.Second}
}

// post sends a bid request with headers, given as names and values.
func (s *started) post(tb testing.TB, path string, body []byte, header ...string) reply {
	tb.Helper()
	return s.send(tb, http.MethodPost, path, body, header...)
}

func (s *started) send(tb testing.TB, method, path string, body []byte, header ...string) reply {
	tb.Helper()
	r, err := http.NewRequest(method, s.url(path), bytes.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return do(tb, client(tb), r)
}

func do(tb testing.TB, c *http.Client, r *http.Request) reply {
	tb.Helper()
	resp, err := c.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(body)}
}

// raw sends bytes on a connection of their own, and returns everything that comes back until the
// gateway closes it or the time is over.
func (s *started) raw(tb testing.TB, text string) string {
	tb.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		tb.Fatal(err)
	}
	c.SetReadDeadline(time.Now().Add(2 * time.Second))
	var b strings.Builder
	io.Copy(&b, c)
	return b.String()
}

// good returns a request that the default engine forwards. It has no tmax, since tests share their
// processors.
func good(tb testing.TB) []byte {
	tb.Helper()
	body, err := splice.Apply(nil, read(tb, "testdata/bench/banner.json"), wire.Remove("/tmax"))
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

// conditionFunc is a condition for tests.
type conditionFunc func(*rule.Input) bool

// Holds implements [policy.Condition].
func (f conditionFunc) Holds(in *rule.Input) (bool, error) { return f(in), nil }

// waitFor waits until something holds.
func waitFor(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("waited 10 s for: %s", what)
		}
	}
}

// rawClient is a connection whose bytes a test writes.
type rawClient struct {
	net.Conn
	answers *bufio.Reader
}

func (s *started) dial(tb testing.TB) *rawClient {
	tb.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	return &rawClient{c, bufio.NewReader(c)}
}

func (c *rawClient) write(tb testing.TB, text string) {
	tb.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		tb.Fatal(err)
	}
}

// answer reads an answer with a status, and its body.
func (c *rawClient) answer(tb testing.TB, status int) *http.Response {
	tb.Helper()
	c.SetReadDeadline(time.Now().Add(20 * time.Second))
	r, err := http.ReadResponse(c.answers, nil)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != status {
		tb.Fatalf("status %d, want %d; %v", r.StatusCode, status, err)
	}
	r.Body.Close()
	return r
}
