package gateway

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// TestHealthIsLogged breaks an upstream in two ways and mends it: each change is one line, with the
// upstream and the error.
func TestHealthIsLogged(t *testing.T) {
	eachPlane(t, testHealthIsLogged)
}

func testHealthIsLogged(t *testing.T, serve func(Options) *started) {
	var broken atomic.Bool
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		if broken.Load() {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
			}
			c.Close()
			return
		}
		io.WriteString(w, answered)
	})
	log := &testkit.Log{}
	g := serve(Options{Upstreams: At(up.URL), Logger: log.Logger()})
	post := func(bad bool, status int) {
		t.Helper()
		broken.Store(bad)
		if r := g.post(t, PathDefault, good(t)); r.status != status {
			t.Fatalf("%+v, want %d", r, status)
		}
	}
	count := func(want int, texts ...string) {
		t.Helper()
		if got := log.With(texts...); len(got) != want {
			t.Errorf("%d lines have %q, want %d:\n%s", len(got), texts, want, log.String())
		}
	}
	post(false, 200)
	count(0, "upstream")
	post(true, 502)
	post(false, 200)
	count(1, "level=WARN", "has failed", "upstream="+up.URL, "error=")
	count(1, "level=INFO", "answers again", "upstream="+up.URL)
	for range balance.BreakerFailures {
		post(true, 502)
	}
	count(1, "level=ERROR", "breaker is open", "upstream="+up.URL, "error=")
	broken.Store(false)
	waitFor(t, "the upstream that is back", func() bool { return g.post(t, PathDefault, good(t)).status == 200 })
	count(1, "level=INFO", "breaker is closed", "upstream="+up.URL)
}

// TestFailuresAreLimitedInTheLog has an upstream fail every other request: the log does not grow
// with them.
func TestFailuresAreLimitedInTheLog(t *testing.T) {
	var n atomic.Int64
	up := newRawCore(t, func(_ int64, c net.Conn) {
		if _, err := readRequest(c); err == nil && n.Add(1)%2 == 0 {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		}
	})
	log := &testkit.Log{}
	g := start(t, Options{Upstreams: At(up.url()), Logger: log.Logger()})
	for range 100 {
		g.post(t, PathDefault, good(t))
	}
	failed, back := len(log.With("has failed")), len(log.With("answers again"))
	if n.Load() != 100 || failed == 0 || failed > 50/2 || back > failed {
		t.Errorf("%d requests, %d lines of failures and %d of answers", n.Load(), failed, back)
	}
}

// TestUpstreamCounts counts statuses, bids and no-bids of each upstream and partner: of all
// answers, not of a sample.
func TestUpstreamCounts(t *testing.T) {
	eachPlane(t, testUpstreamCounts)
}

func testUpstreamCounts(t *testing.T, serve func(Options) *started) {
	up := newCore(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		switch r.Header.Get("X-Want") {
		case "bid":
			io.WriteString(w, `{"id":"x","seatbid":[{"bid":[{"id":"1","impid":"1","price":1}]}]}`)
		case "none":
			io.WriteString(w, `{"id":"x","seatbid":[]}`)
		case "gzip":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(zipped(t, []byte(answered)))
		case "404":
			w.WriteHeader(http.StatusNotFound)
		case "500":
			w.WriteHeader(http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
	g := serve(Options{Upstreams: At(up.URL), Partners: []Partner{{Name: "a", Match: Match{Path: "/a"}}}, Passthrough: []Passthrough{{Path: "/win"}}})
	for want, n := range map[string]int{"bid": 3, "none": 2, "gzip": 1, "404": 2, "500": 1, "": 4} {
		for range n {
			g.post(t, "/a", good(t), "X-Want", want)
		}
	}
	g.post(t, PathDefault, good(t), "X-Want", "bid")
	g.send(t, http.MethodGet, "/win", nil)
	for name, want := range map[string]map[string]float64{
		"rtbwire_gateway_upstream_responses_total": {"2xx": 12, "3xx": 0, "4xx": 2, "5xx": 1, "other": 0},
		"rtbwire_gateway_upstream_bids_total":      {"a,bid": 3, "a,no_bid": 6, "a,unread": 4, ",bid": 1, ",no_bid": 0, ",unread": 0},
	} {
		got := measured(t, g.Gateway, name)
		for labels, n := range want {
			first, result, two := strings.Cut(labels, ",")
			key := first + "," + up.URL
			if two {
				key = first + "," + result + "," + up.URL
			}
			if v, ok := got[key]; !ok || v != n {
				t.Errorf("%s{%s} is %v, want %v, of %v", name, key, v, n, got)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestBidOf finds bids as a decoder does.
func TestBidOf(t *testing.T) {
	for text, want := range map[string]balance.Bid{
		``:                                  balance.BidNone,
		`{}`:                                balance.BidNone,
		`{"id":"1"}`:                        balance.BidNone,
		`{"id":"1","seatbid":[]}`:           balance.BidNone,
		`{"id":"1","seatbid":[{"bid":[]}]}`: balance.BidNone,
		`{"id":"1","seatbid":[{"bid":[ ]},{"bid" : [` + "\n\t" + `]}]}`:       balance.BidNone,
		`{"id":"1","seatbid":[{"bid":[{"id":"1"}]}]}`:                         balance.BidMade,
		`{"id":"1","seatbid" : [ { "seat":"bid", "bid" :` + "\r\n [ {} ]}]}":  balance.BidMade,
		`{"id":"1","seatbid":[{"bid":[]},{"seat":"2","bid":[{"id":"1"}]}]}`:   balance.BidMade,
		`{"id":"\"bid\":[1]","seatbid":[]}`:                                   balance.BidNone,
		`{"id":"1","seatbid":[{"seat":"bid","bid":[]}],"ext":["bid"]}`:        balance.BidNone,
		`{"id":"1","seatbid":[],"ext":{"x":"\"bid\":[{}]","y":"\\","bid":1}}`: balance.BidNone,
		`{"ext":{"bid":[1]},"id":"1","seatbid":[]}`:                           balance.BidNone,
	} {
		var m fasthttp.Response
		m.SetBodyString(text)
		if got := bidOf(&m); got != want {
			t.Errorf("%s: %s, want %s", text, balance.BidNames[got], balance.BidNames[want])
		}
		if decoded, err := openrtb.ParseResponse([]byte(text)); err == nil {
			bids := 0
			for i := range decoded.SeatBid {
				bids += len(decoded.SeatBid[i].Bid)
			}
			if (bids > 0) != (want == balance.BidMade) {
				t.Errorf("%s has %d bids", text, bids)
			}
		}
	}
	for status, want := range map[int]balance.Bid{204: balance.BidNone, 302: balance.BidUnread, 500: balance.BidUnread} {
		var m fasthttp.Response
		m.SetStatusCode(status)
		if got := bidOf(&m); got != want {
			t.Errorf("status %d: %s, want %s", status, balance.BidNames[got], balance.BidNames[want])
		}
	}
}
