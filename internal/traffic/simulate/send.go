package simulate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// Sending says how requests are posted to a server. It is for trying a server out: connections wait
// for their answers, so a slow server slows the sender down and looks faster than it is. Package
// internal/traffic/replay measures.
type Sending struct {
	URL          string
	Connections  int // requests under way at the same time; default 1
	Rate         int // requests a second at most, 0 for no limit
	First, Count uint64
	Timeout      time.Duration // for one request; default: TimeoutDefault
	// Progress is called with the number of answered requests after each one. It may be called by
	// several goroutines. Default: none.
	Progress func(requests uint64)
}

// The limits of a Sending.
const (
	TimeoutDefault = 5 * time.Second
	// FailuresMax is how many requests in a row may stay without an answer.
	FailuresMax = 100
	// answerMax is how much of an answer is read. After more, its connection is not used again.
	answerMax = 1 << 20
)

// Sent counts what became of requests.
type Sent struct {
	Requests, Bytes uint64            // answered or failed
	Statuses        map[int]uint64    // answers by HTTP status
	Failures        map[string]uint64 // requests without an answer, by cause
	Elapsed         time.Duration
}

// ErrUnreachable is the error when too many requests in a row had no answer.
var ErrUnreachable = errors.New("no answers")

// Send posts requests and counts the answers. When the context ends, it returns its error and the
// counts so far.
func (g *Generator) Send(ctx context.Context, s Sending) (Sent, error) {
	connections := max(1, s.Connections)
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableCompression: true,
		MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections, MaxIdleConns: connections,
		DialContext: (&net.Dialer{Timeout: TimeoutDefault}).DialContext,
	}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := &delivery{g: g, s: s, cancel: cancel, start: time.Now(), client: &http.Client{
		Transport: transport, Timeout: s.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if s.Timeout == 0 {
		x.client.Timeout = TimeoutDefault
	}
	x.sent.Statuses, x.sent.Failures = map[int]uint64{}, map[string]uint64{}
	var workers sync.WaitGroup
	for range connections {
		workers.Go(func() { x.work(ctx) })
	}
	workers.Wait()
	x.sent.Elapsed = time.Since(x.start)
	if x.err != nil {
		return x.sent, x.err
	}
	if x.sent.Requests < s.Count {
		return x.sent, context.Cause(ctx)
	}
	return x.sent, nil
}

// delivery is one run of Send.
type delivery struct {
	g      *Generator
	s      Sending
	client *http.Client
	start  time.Time
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	taken  uint64 // requests that a connection has taken
	failed int    // in a row
	sent   Sent
	err    error
}

// work is one connection.
func (x *delivery) work(ctx context.Context) {
	var body []byte
	for {
		n, due, more := x.take()
		if !more || !wait(ctx, due) {
			return
		}
		body, _ = x.g.AppendRequest(body[:0], n)
		status, err := x.post(ctx, body)
		if ctx.Err() != nil {
			return
		}
		x.count(len(body), status, err)
	}
}

// take returns the number of the next request, and when it is due.
func (x *delivery) take() (n uint64, due time.Time, more bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.taken >= x.s.Count {
		return 0, due, false
	}
	n = x.taken
	x.taken++
	if x.s.Rate > 0 {
		rate := uint64(x.s.Rate)
		due = x.start.Add(time.Duration(n/rate)*time.Second + time.Duration(n%rate)*time.Second/time.Duration(rate))
	}
	return x.s.First + n, due, true
}

// wait waits until a time, and reports whether the context is still alive.
func wait(ctx context.Context, due time.Time) bool {
	if left := time.Until(due); !due.IsZero() && left > 0 {
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// post sends one request and returns the status of the answer.
func (x *delivery) post(ctx context.Context, body []byte) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.s.URL, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Openrtb-Version", "2.6")
	resp, err := x.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.CopyN(io.Discard, resp.Body, answerMax)
	if err == io.EOF {
		err = nil
	}
	return resp.StatusCode, err
}

// count counts one request. After too many failures it ends the run.
func (x *delivery) count(size, status int, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sent.Requests++
	x.sent.Bytes += uint64(size)
	if err == nil {
		x.failed = 0
		x.sent.Statuses[status]++
	} else {
		x.failed++
		x.sent.Failures[cause(err)]++
		if x.failed == FailuresMax {
			x.err = fmt.Errorf("%w from %s: %w", ErrUnreachable, x.s.URL, err)
			x.cancel(x.err)
		}
	}
	if x.s.Progress != nil {
		x.s.Progress(x.sent.Requests)
	}
}

// cause returns a few words about an error, so that failures can be counted.
func cause(err error) string {
	var timeout net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "unknown host"
	}
	return "other"
}

// Answers returns the number of requests with an answer.
func (s *Sent) Answers() (n uint64) {
	for count := range maps.Values(s.Statuses) {
		n += count
	}
	return n
}
