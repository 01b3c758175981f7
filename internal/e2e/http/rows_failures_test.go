package http

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// at is a request to another path.
func at(path, send string) string { return strings.Replace(send, "/openrtb2/auction", path, 1) }

// partners has one partner for each no-bid answer.
const partners = `partners:
  p204: {match: {path: /p204}, no_bid: "204"}
  p200: {match: {path: /p200}, no_bid: "200"}
  p400: {match: {path: /p400}, no_bid: "400"}
  p400json: {match: {path: /p400json}, no_bid: "400-json"}
`

// TestRowsOfFailures are the rows of upstreams that are absent, broken and late, for senders of
// every no-bid answer.
func TestRowsOfFailures(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	absent := "http://" + ln.Addr().String()
	_ = ln.Close()
	broken := newUpstream(t, func(net.Conn, *message) bool { return false })
	slow := newUpstream(t, func(c net.Conn, _ *message) bool { _, _ = c.Read(make([]byte, 1)); return false })
	for _, tt := range []struct {
		upstream, reason string
		status           int
	}{
		{absent, "gateway.upstream-absent", 503},
		{broken.url(), "gateway.upstream-broken", 502},
		{slow.url(), "gateway.upstream-slow", 504},
	} {
		bothPlanes(t, func(t *testing.T, plane string) {
			config := fmt.Sprintf("version: 1\ngateway: {upstreams: [%q], windows: false, timeouts: {upstream: 200ms}}\n%s", tt.upstream, partners)
			for _, own := range []struct {
				path   string
				status int
				body   string
			}{
				{path, tt.status, ""}, {"/p204", 204, ""}, {"/p200", 200, `{"id":"1","nbr":1}`}, {"/p400", 400, ""}, {"/p400json", 400, `{"id":"1","nbr":1}`},
			} {
				t.Run(tt.reason+own.path, func(t *testing.T) {
					// One gateway for each, or the breaker would open.
					p := serveWith(t, plane, func(*exec.Cmd) {}, "--config", file(t, "rtbwire.yaml", config))
					before := p.metrics(t)
					c := connect(t, p)
					c.send(at(own.path, post(good)))
					if r := c.answer(t); r.StatusCode != own.status || r.text != own.body || r.Close {
						t.Errorf("%v, want %d %q", r, own.status, own.body)
					}
					waitFor(t, "the counters", func() bool {
						got := counted(before, p.metrics(t))
						return len(got) == 2 && got[requests("failed")] == 1 && got[reason(tt.reason)] == 1
					})
				})
			}
		})
	}
}

// TestRowsOfCapacity are the rows about too many connections and too many requests at once, and
// those of a gateway that stops.
func TestRowsOfCapacity(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		inCore, release := make(chan struct{}, 10), make(chan struct{})
		up := newUpstream(t, func(c net.Conn, _ *message) bool {
			inCore <- struct{}{}
			<-release
			return answers(answer(answerBody), true)(c, nil)
		})
		config := fmt.Sprintf("version: 1\ngateway: {upstreams: [%q], windows: false, timeouts: {upstream: 30s, drain_delay: 1m}, max: {in_flight: 1, connections: 4}}\n%s", up.url(), partners)
		p := serveWith(t, plane, func(*exec.Cmd) {}, "--config", file(t, "rtbwire.yaml", config))
		before := p.metrics(t)
		first, second := connect(t, p), connect(t, p)
		first.send(post(good))
		<-inCore
		for _, tt := range []struct {
			path   string
			status int
			retry  string
		}{{path, 503, "1"}, {"/p204", 204, ""}, {"/p200", 204, ""}, {"/p400", 400, ""}} {
			second.send(at(tt.path, post(good)))
			if r := second.answer(t); r.StatusCode != tt.status || r.text != "" || r.Header.Get("Retry-After") != tt.retry || r.Close {
				t.Errorf("%s: %v, want %d", tt.path, r, tt.status)
			}
		}
		connect(t, p)
		connect(t, p)
		waitFor(t, "four connections", func() bool { return p.metrics(t)["rtbwire_gateway_connections_open"] == 4 })
		fifth := connect(t, p)
		if r, err := fifth.read(http.MethodPost); err != nil || r.StatusCode != http.StatusServiceUnavailable || !r.Close || r.Header.Get("Retry-After") != "1" {
			t.Errorf("a connection too many: %v, %v", r, err)
		}
		waitFor(t, "the counters", func() bool {
			got := counted(before, p.metrics(t))
			return got[requests("shed")] == 4 && got[reason("gateway.capacity")] == 4 && got[reason("gateway.connections")] == 1
		})

		p.Signal(t, syscall.SIGTERM)
		waitFor(t, "the end of readiness", func() bool {
			second.send(get("/status"))
			r := second.answer(t)
			if r.Close {
				second = connect(t, p)
			}
			return r.StatusCode == http.StatusServiceUnavailable && r.Close
		})
		close(release)
		if r := first.answer(t); r.StatusCode != http.StatusOK || r.text != answerBody || !r.Close {
			t.Errorf("the request that was read: %v", r)
		}
	})
}
