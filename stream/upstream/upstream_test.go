package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/certtest"
	"github.com/rtbwire/rtbwire/stream"
)

// quick are options with short pauses, and with a time that a busy machine keeps.
func quick(o Options) Options {
	o.Log = slog.New(slog.DiscardHandler)
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Second
	}
	o.Backoff, o.Pause = time.Millisecond, time.Millisecond
	return o
}

func open(t *testing.T, o Options) *Upstream {
	t.Helper()
	u, err := New(quick(o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(u.Close)
	return u
}

// serve starts a server that answers by a function of the body.
func serve(t *testing.T, status func(body string) int) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(status(string(body)))
	}))
	t.Cleanup(s.Close)
	return s
}

func delivery(n int, value string) stream.Delivery {
	return stream.Delivery{Lane: stream.LaneID{Name: "bids", Number: 3}, Position: int64(n), Value: []byte(value)}
}

// waitFor waits until something holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited for " + what)
		}
	}
}

// undelivered returns the attempts of a record that can't be delivered; 0 for all else.
func undelivered(err error) int {
	if own := (*stream.Undeliverable)(nil); errors.As(err, &own) {
		return own.Attempts
	}
	return 0
}

// TestDeliver looks at what the server gets and what comes back.
func TestDeliver(t *testing.T) {
	t.Parallel()
	type seen struct {
		path, body string
		header     http.Header
	}
	got := make(chan seen, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- seen{r.Method + " " + r.URL.Path, string(body), r.Header}
		if len(body) == 2 {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		io.WriteString(w, "answer of "+string(body))
	}))
	defer s.Close()
	u := open(t, Options{URL: s.URL})
	d := delivery(1200, "request")
	d.Decision = inspect.Decision{Action: inspect.ActionForward}
	d.Shadow = inspect.Decision{Action: inspect.ActionRefuse, Reason: "policy.x", NBR: 7}
	d.Score, d.Partner = 12, "a\r\nX-Evil: 1"
	d.Headers = []stream.Header{
		{Key: "Traceparent", Value: []byte("00-1")}, {Key: "traceparent", Value: []byte("00-2")}, {Key: "secret", Value: []byte("x")},
		{Key: "tracestate", Value: []byte("a=b\r\nX-Evil: 2")}, {Key: "x-openrtb-version", Value: []byte("2.5")},
	}
	answer, err := u.Deliver(t.Context(), d)
	if err != nil || string(answer) != "answer of request" {
		t.Fatalf("%q, %v", answer, err)
	}
	own := <-got
	if own.path != "POST "+PathDefault || own.body != "request" {
		t.Errorf("%+v", own)
	}
	for name, want := range map[string]string{
		"X-Rtbwire-Source": "bids/3/1200", "X-Request-Id": "bids-3-1200", "X-Rtbwire-Action": "forward", "X-Rtbwire-Score": "12",
		"X-Rtbwire-Partner": "a  X-Evil: 1", "X-Rtbwire-Reason": "policy.x", "X-Rtbwire-Nbr": "7", "Traceparent": "00-1",
		"Tracestate": "a=b  X-Evil: 2", "X-Openrtb-Version": "2.5", "Content-Type": "application/json", "Secret": "", "X-Evil": "",
	} {
		if own.header.Get(name) != want || len(own.header.Values(name)) > 1 {
			t.Errorf("%s: %q, want %q", name, own.header.Values(name), want)
		}
	}
	if answer, err = u.Deliver(t.Context(), delivery(1, "{}")); err != nil || answer != nil {
		t.Errorf("204: %q, %v", answer, err)
	}
	if own = <-got; own.header.Get("X-Openrtb-Version") != versionDefault || own.header.Get("X-Rtbwire-Reason") != "" {
		t.Errorf("%+v", own.header)
	}
}

// TestAlone tries a record that always fails a bounded number of times, and no longer.
func TestAlone(t *testing.T) {
	t.Parallel()
	for status, attempts := range map[int]int{400: 4, 422: 4, 500: 4, 503: 4, 404: 4, 302: 4} {
		var tried atomic.Int64
		s := serve(t, func(string) int { tried.Add(1); return status })
		u := open(t, Options{URL: s.URL, Attempts: 4})
		_, err := u.Deliver(t.Context(), delivery(1, "x"))
		var own *StatusError
		if undelivered(err) != attempts || tried.Load() != int64(attempts) || !errors.As(err, &own) || own.Status != status {
			t.Errorf("%d: %d times, %v", status, tried.Load(), err)
		}
	}
}

// TestAnswersThatAreNone counts answers that are too long or nonsense as failures.
func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Rtbwire-Source") == "bids/3/1" {
			w.Write(make([]byte, 1001))
			return
		}
		c, _, _ := w.(http.Hijacker).Hijack()
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc")
		c.Close()
	}))
	defer s.Close()
	for n := range 2 {
		u := open(t, Options{URL: s.URL, Attempts: 2, ResponseMax: 1000})
		if _, err := u.Deliver(t.Context(), delivery(n+1, "x")); undelivered(err) != 2 {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// TestDown waits for a server that nobody can reach, and delivers when it is there.
func TestDown(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	ln.Close()
	u := open(t, Options{URL: "http://" + address, Attempts: 1})
	ended := make(chan error, 3)
	for n := range 3 {
		go func() { _, err := u.Deliver(t.Context(), delivery(n, "x")); ended <- err }()
	}
	waitFor(t, "attempts", func() bool { return u.Paused() && u.gate.count() >= 2 })
	if ln, err = net.Listen("tcp", address); err != nil {
		t.Skip("somebody has taken the port:", err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	defer s.Close()
	go s.Serve(ln)
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if u.Paused() || u.gate.count() > 0 {
		t.Error("it is still paused")
	}
}

// TestAllFail loses no record to a server that answers 500, or 404, to all of them for a while.
func TestAllFail(t *testing.T) {
	t.Parallel()
	const records, attempts = 20, 15
	for _, status := range []int{500, 503, 404} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			var down atomic.Bool
			var tried atomic.Int64
			down.Store(true)
			s := serve(t, func(string) int {
				if tried.Add(1); down.Load() {
					return status
				}
				return 200
			})
			u := open(t, Options{URL: s.URL, Attempts: attempts})
			ended := make(chan error, records)
			for n := range records {
				go func() { _, err := u.Deliver(t.Context(), delivery(n, fmt.Sprint(n))); ended <- err }()
			}
			waitFor(t, "more attempts than all records have", func() bool { return tried.Load() > records*attempts })
			if !u.Paused() {
				t.Error("it is not paused")
			}
			down.Store(false)
			for range records {
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestOneAfterTheOther sends one record at a time to a server that answers 500 to all: one is given
// up, because nothing is known then, and the second one waits.
func TestOneAfterTheOther(t *testing.T) {
	t.Parallel()
	var tried atomic.Int64
	s := serve(t, func(string) int { tried.Add(1); return 500 })
	u := open(t, Options{URL: s.URL, Attempts: 3})
	if _, err := u.Deliver(t.Context(), delivery(1, "x")); undelivered(err) != 3 {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := u.Deliver(ctx, delivery(2, "x")); ended <- err }()
	waitFor(t, "more attempts than there may be", func() bool { return tried.Load() > 20 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestSomeAlwaysFail gives up the records that always fail, all in one place of a queue that 16
// goroutines work on, and delivers every other one, whatever the gate does.
func TestSomeAlwaysFail(t *testing.T) {
	t.Parallel()
	tried := map[string]int{}
	var mu sync.Mutex
	s := serve(t, func(body string) int {
		mu.Lock()
		defer mu.Unlock()
		if tried[body]++; strings.HasPrefix(body, "bad") {
			return 500
		}
		return 200
	})
	u := open(t, Options{URL: s.URL, Attempts: 3})
	queue := make(chan string, 200)
	for n := range 200 {
		if n >= 50 && n < 62 {
			queue <- fmt.Sprint("bad", n)
		} else {
			queue <- fmt.Sprint("good", n)
		}
	}
	close(queue)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for body := range queue {
				_, err := u.Deliver(t.Context(), delivery(0, body))
				if bad := strings.HasPrefix(body, "bad"); bad != (undelivered(err) == 3) || !bad && err != nil {
					t.Errorf("%s: %v", body, err)
				}
			}
		})
	}
	all.Wait()
	for body, n := range tried {
		if strings.HasPrefix(body, "good") && n != 1 {
			t.Errorf("%s was sent %d times", body, n)
		}
	}
}

// TestEnd ends deliveries with their context: one that the server holds, and those that wait.
func TestEnd(t *testing.T) {
	t.Parallel()
	held := make(chan struct{}, 10)
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { held <- struct{}{}; <-release }))
	defer s.Close()
	defer close(release)
	u := open(t, Options{URL: s.URL})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := u.Deliver(ctx, delivery(1, "x")); ended <- err }()
	<-held
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	waitFor(t, "the connection's end", func() bool { return u.client.pool.ConnsCount() == 0 })
	if _, err := u.Deliver(ctx, delivery(1, "x")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestLate gives up on a server that does not answer a record in time.
func TestLate(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Rtbwire-Source") != "bids/3/0" {
			<-release
		}
	}))
	defer s.Close()
	defer close(release)
	u := open(t, Options{URL: s.URL, Attempts: 2, Timeout: 20 * time.Millisecond})
	if _, err := u.Deliver(t.Context(), delivery(1, "x")); undelivered(err) != 2 || !strings.Contains(err.Error(), "within 20ms") {
		t.Error(err)
	}
}

// TestConnections keeps connections, and replaces those that the server has closed meanwhile.
func TestConnections(t *testing.T) {
	t.Parallel()
	var connections, requests atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	u := open(t, Options{URL: s.URL, Attempts: 1})
	for n := range 10 {
		if n == 5 {
			s.CloseClientConnections()
		}
		if _, err := u.Deliver(t.Context(), delivery(n, "x")); err != nil {
			t.Error(err)
		}
	}
	if connections.Load() != 2 || requests.Load() != 10 {
		t.Errorf("%d connections, %d requests", connections.Load(), requests.Load())
	}
}

// TestPlaces delivers by TLS and to a socket in the file system, and waits for a server whose
// certificate can't be trusted.
func TestPlaces(t *testing.T) {
	t.Parallel()
	authority := certtest.New(t, "upstreams")
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	secure.TLS = &tls.Config{Certificates: []tls.Certificate{authority.Sign(t, []string{"127.0.0.1"}).Pair(t)}}
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	secure.StartTLS()
	defer secure.Close()
	socket := filepath.Join(t.TempDir(), "s")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err)
	}
	plain := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	defer plain.Close()
	go plain.Serve(ln)
	for _, o := range []Options{{URL: secure.URL, Authorities: string(authority.PEM)}, {URL: "unix:" + socket}} {
		if _, err := open(t, o).Deliver(t.Context(), delivery(1, "x")); err != nil {
			t.Error(err)
		}
	}
	u := open(t, Options{URL: secure.URL})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := u.Deliver(ctx, delivery(1, "x")); ended <- err }()
	waitFor(t, "the pause", u.Paused)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestMistakes refuses what is no upstream.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]Options{
		"want http://host:port": {URL: "ftp://x"},
		"no certificate as PEM": {URL: "https://x", Authorities: "none"},
		"Attempts is -1":        {URL: "http://x", Attempts: -1},
		"Attempts is 1001":      {URL: "http://x", Attempts: 1001},
		"Timeout is -1s":        {URL: "http://x", Timeout: -time.Second},
		"Connections is 100000": {URL: "http://x", Connections: 100_000},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestPauses grows pauses up to a limit, and follows what the server asks for.
func TestPauses(t *testing.T) {
	t.Parallel()
	o := Options{Backoff: 100 * time.Millisecond}
	for attempts, ms := range map[int]int{0: 100, 1: 100, 2: 200, 3: 400, 5: 1600, 6: 2000, 100: 2000} {
		most := time.Duration(ms) * time.Millisecond
		for range 100 {
			if got := o.pauseAfter(attempts, 0); got < most*3/4 || got > most {
				t.Fatalf("%d: %v, want up to %v", attempts, got, most)
			}
		}
	}
	if got := o.pauseAfter(1, 7*time.Second); got != 7*time.Second {
		t.Error(got)
	}
}
