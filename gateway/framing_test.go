package gateway

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// counts returns the counters of rejections by reason, and of rejected requests.
func (s *started) counts(tb testing.TB) (byReason map[string]float64, rejected float64) {
	tb.Helper()
	families, err := s.metrics.registry.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	byReason = map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				switch {
				case f.GetName() == "rtbwire_gateway_rejected_total" && l.GetName() == "reason":
					byReason[l.GetValue()] += m.GetCounter().GetValue()
				case f.GetName() == "rtbwire_gateway_requests_total" && l.GetValue() == outcomeNames[outcomeRejected]:
					rejected = m.GetCounter().GetValue()
				}
			}
		}
	}
	return byReason, rejected
}

// TestFraming sends what two parsers could read in two ways, after a good request on the same
// connection. Each is refused once, by the guard alone, the connection closes, and nothing of it or
// after it reaches the core.
func TestFraming(t *testing.T) {
	eachPlane(t, testFraming)
}

func testFraming(t *testing.T, serve func(Options) *started) {
	up := newCore(t, nil)
	const soon = 100 * time.Millisecond
	patient := serve(Options{Upstreams: At(up.URL), BodyMax: 4 << 10, HeadMax: 4 << 10})
	hasty := serve(Options{Upstreams: At(up.URL), HeadTimeout: soon, BodyTimeout: soon})
	ok := string(good(t))
	post := func(fields, body string) string {
		return "POST " + PathDefault + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n" + body
	}
	whole := post(fmt.Sprintf("Content-Length: %d\r\n", len(ok)), ok)
	const chunked = "Transfer-Encoding: chunked\r\n"
	for _, tt := range []struct{ code, text string }{
		{"framing.length-and-encoding", post("Content-Length: 5\r\n"+chunked, "0\r\n\r\n")},
		{"framing.length-and-encoding", post(chunked+"Content-Length: 5\r\n", "0\r\n\r\n")},
		{"framing.length-twice", post("Content-Length: 5\r\nContent-Length: 5\r\n", "abcde")},
		{"framing.length-sign", post("Content-Length: +5\r\n", "abcde")},
		{"framing.encoding", post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n")},
		{"framing.encoding", post("Transfer-Encoding: gzip\r\n", "")},
		{"framing.look-alike", post("Content_Length: 5\r\n", "abcde")},
		{"head.bare-lf", "POST " + PathDefault + " HTTP/1.1\nHost: x\n\n"},
		{"head.fold", post("X: a\r\n b\r\n", "")},
		{"head.control", post("X: \x00\r\n", "")},
		{"head.blank-line", "\r\n" + whole},
		{"field.space-before-colon", post("Content-Length : 5\r\n", "abcde")},
		{"host.twice", post("Host: y\r\n", "")},
		{"host.missing", "GET /status HTTP/1.1\r\n\r\n"},
		{"target.host-mismatch", "GET http://y/status HTTP/1.1\r\nHost: x\r\n\r\n"},
		{"target.size", "GET /" + strings.Repeat("a", 9<<10) + " HTTP/1.1\r\n"},
		{"head.size", post("X: "+strings.Repeat("a", 5<<10)+"\r\n", "")},
		{"head.fields", post(strings.Repeat("X: a\r\n", 101), "")},
		{"protocol.http-0.9", "GET /status\r\n"},
		{"protocol.version", "GET /status HTTP/3.0\r\nHost: x\r\n\r\n"},
		{"protocol.h2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
		{"protocol.tls", "\x16\x03\x01\x02\x00\x01"},
		{"method.connect", "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n"},
		{"expect.unknown", post("Expect: something\r\nContent-Length: 5\r\n", "abcde")},
		{"body.size", post("Content-Length: 5000\r\n", "abcde")},
		{"body.size", post(chunked, "ffffff\r\n")},
		{"chunk.size", post(chunked, "0x5\r\nabcde\r\n0\r\n\r\n")},
		{"chunk.overflow", post(chunked, "100000005\r\nabcde\r\n0\r\n\r\n")},
		{"chunk.line-end", post(chunked, "5;a\nabcde\r\n0\r\n\r\n")},
		{"chunk.data-end", post(chunked, "4\r\nabcde\r\n0\r\n\r\n")},
		{"chunk.trailer-name", post(chunked, "0\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n")},
		{"chunk.extensions", post(chunked, "5;"+strings.Repeat("a", 1100)+"\r\nabcde\r\n0\r\n\r\n")},
		{"head.timeout", "POST /"},
		{"body.timeout", post("Content-Length: 5\r\n", "abcd")},
		{"body.timeout", post(chunked, "5\r\nab")},
	} {
		g, text := patient, whole+tt.text+whole+whole
		if strings.HasSuffix(tt.code, ".timeout") {
			g, text = hasty, whole+tt.text
		}
		before, rejected := g.counts(t)
		got := g.raw(t, text)
		lines := statusLines.FindAllString(got, -1)
		if len(lines) != 2 || !strings.HasPrefix(lines[0], "HTTP/1.1 200") || !strings.Contains(got, "Connection: close") {
			t.Errorf("%s: %q: answers %q", tt.code, tt.text, lines)
		}
		if n := len(up.take()); n != 1 {
			t.Errorf("%s: %q: the core got %d requests", tt.code, tt.text, n)
		}
		after, now := g.counts(t)
		reason := reasonGuard + tt.code
		if after[reason] != before[reason]+1 || now != rejected+1 || after[reasonHTTP] != 0 {
			t.Errorf("%s: %q: rejected %v, now %v by %v", tt.code, tt.text, rejected, now, after)
		}
	}
	for _, g := range []*started{patient, hasty} {
		waitFor(t, "the end of all connections", func() bool { return g.conns.count() == 0 })
		if n := g.conns.held.Load(); n != 0 {
			t.Errorf("%d bytes are held", n)
		}
	}
}

// TestGuardOptions checks that limits which the guard can't have are errors of New.
func TestGuardOptions(t *testing.T) {
	if _, err := New(Options{Upstreams: At("http://127.0.0.1:9"), HeadMax: 100}); err == nil || !strings.Contains(err.Error(), "HeadBytes") {
		t.Errorf("a head of 100 bytes: %v", err)
	}
}

// TestQueuedRequestIsTaken stops a gateway that has read the first bytes of a request together with
// the one before it: it was taken, so it is answered, whether the first answer came before or after
// the stop.
func TestQueuedRequestIsTaken(t *testing.T) {
	eachPlane(t, testQueuedRequestIsTaken)
}

func testQueuedRequestIsTaken(t *testing.T, serve func(Options) *started) {
	for _, answerFirst := range []bool{true, false} {
		release := make(chan struct{})
		up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			<-release
			io.WriteString(w, answered)
		})
		g := serve(Options{Upstreams: At(up.URL), UpstreamTimeout: 20 * time.Second, DrainTimeout: 20 * time.Second})
		ok := string(good(t))
		request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", PathDefault, len(ok), ok)
		c := g.dial(t)
		c.write(t, request+request[:30])
		waitFor(t, "the core", func() bool { return g.overload.inFlight.Load() == 1 })
		if answerFirst {
			close(release)
			c.answer(t, 200)
		}
		stopped := make(chan error, 1)
		go func() {
			ctx, cancel := contextFor(20 * time.Second)
			defer cancel()
			stopped <- g.Shutdown(ctx)
		}()
		waitFor(t, "the drain", func() bool { return g.conns.draining.Load() })
		if !answerFirst {
			close(release)
			c.answer(t, 200)
		}
		// An idle connection would be closed now.
		time.Sleep(2 * idleGrace)
		if n := g.conns.count(); n != 1 {
			t.Fatalf("%d connections", n)
		}
		c.write(t, request[30:])
		if r := c.answer(t, 200); !r.Close {
			t.Error("the last answer does not say that the connection closes")
		}
		if err := <-stopped; err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if n := len(up.take()); n != 2 {
			t.Errorf("the core got %d requests", n)
		}
	}
}
