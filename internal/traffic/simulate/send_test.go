package simulate

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/openrtb"
)

// TestSend posts to a server that answers in several ways.
func TestSend(t *testing.T) {
	g := mustNew(t, Config{Seed: 3})
	var mu sync.Mutex
	ids, most, now := map[string]bool{}, 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			now--
		}()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		req, err := openrtb.Parse(body)
		if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Openrtb-Version") != "2.6" {
			t.Errorf("%v: %s %v", err, r.Method, r.Header)
			return
		}
		mu.Lock()
		ids[req.ID] = true
		n := len(ids)
		mu.Unlock()
		switch n % 3 {
		case 0:
			w.WriteHeader(http.StatusNoContent)
		case 1:
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		default:
			io.WriteString(w, `{"id":"1"}`)
		}
	}))
	defer server.Close()
	calls := 0
	var callsMu sync.Mutex
	sent, err := g.Send(t.Context(), Sending{URL: server.URL + "/auction", Connections: 4, First: 10, Count: 300, Progress: func(uint64) {
		callsMu.Lock()
		defer callsMu.Unlock()
		calls++
	}})
	if err != nil || sent.Requests != 300 || sent.Answers() != 300 || calls != 300 || len(ids) != 300 || sent.Bytes == 0 || sent.Elapsed <= 0 {
		t.Errorf("%v: %+v, %d calls, %d requests", err, sent, calls, len(ids))
	}
	if sent.Statuses[204] != 100 || sent.Statuses[302] != 100 || sent.Statuses[200] != 100 || len(sent.Failures) > 0 {
		t.Errorf("statuses %v, failures %v", sent.Statuses, sent.Failures)
	}
	if most > 4 {
		t.Errorf("%d requests at the same time, want 4 at most", most)
	}
}

// TestSendRate checks that a rate is kept: the last request is not due before its time.
func TestSendRate(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer server.Close()
	g := mustNew(t, Config{})
	start := time.Now()
	sent, err := g.Send(t.Context(), Sending{URL: server.URL, Connections: 8, Rate: 200, Count: 41})
	if took := time.Since(start); err != nil || took < 200*time.Millisecond {
		t.Errorf("%v: %d requests in %v, faster than 200 a second", err, sent.Requests, took)
	}
}

// TestSendFailures counts requests without an answer by cause, and ends without any.
func TestSendFailures(t *testing.T) {
	g := mustNew(t, Config{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	sent, err := g.Send(t.Context(), Sending{URL: address, Connections: 3, Count: Endless})
	if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), address) || sent.Failures["connection refused"] < FailuresMax {
		t.Errorf("%v: %+v", err, sent)
	}

	n := 0
	var mu sync.Mutex
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n++
		this := n
		mu.Unlock()
		switch this % 3 {
		case 0:
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				err = conn.Close()
			}
			if err != nil {
				t.Error(err)
			}
		case 1:
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		}
	}))
	defer server.Close()
	defer close(hang)
	sent, err = g.Send(t.Context(), Sending{URL: server.URL, Connections: 1, Count: 9, Timeout: 50 * time.Millisecond})
	if err != nil || sent.Statuses[200] == 0 || sent.Failures["timeout"] == 0 || sent.Failures["connection closed"] == 0 || sent.Requests != 9 {
		t.Errorf("%v: %+v", err, sent)
	}
	if got := cause(&net.OpError{Err: &net.DNSError{}}); got != "unknown host" {
		t.Errorf("an unknown host is %q", got)
	}
	if got := cause(errors.New("x")); got != "other" {
		t.Errorf("an unknown error is %q", got)
	}
}

// TestSendInterrupt ends a run that has no end.
func TestSendInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	sent, err := mustNew(t, Config{}).Send(ctx, Sending{URL: server.URL, Connections: 2, Count: Endless, Progress: func(n uint64) {
		if n == 20 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || sent.Requests < 20 || len(sent.Failures) > 0 {
		t.Errorf("%v: %+v", err, sent)
	}
	if _, err := mustNew(t, Config{}).Send(t.Context(), Sending{URL: "http://[bad", Count: 1}); err != nil {
		t.Errorf("one request that can't be made ends the run: %v", err)
	}
}
