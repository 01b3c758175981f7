package http

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// reset ends a connection with RST.
func reset(c net.Conn) {
	_ = c.(*net.TCPConn).SetLinger(0)
	_ = c.Close()
}

// unlimited writes a text again and again until the other side has had enough.
func unlimited(c net.Conn, head, again string, most int) {
	if _, err := io.WriteString(c, head); err != nil {
		return
	}
	block := strings.Repeat(again, max(1, (64<<10)/len(again)))
	for sent := 0; sent < most; sent += len(block) {
		if _, err := io.WriteString(c, block); err != nil {
			return
		}
	}
}

// evil is what follows an answer that ends early for one reader and late for another.
const evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

// once writes a text, and closes.
func once(text string) func(net.Conn) { return func(c net.Conn) { _, _ = io.WriteString(c, text) } }

// badAnswers are invalid answers. The request is answered with a status of failure, was sent once,
// and the next request gets its own answer.
var badAnswers = []struct {
	name   string
	answer func(c net.Conn)
	status int
	reason string
}{
	{"closes", func(net.Conn) {}, 502, "gateway.upstream-broken"},
	{"resets", reset, 502, "gateway.upstream-broken"},
	{"hangs", func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) }, 504, "gateway.upstream-slow"},
	{"hangs in the head", func(c net.Conn) { once("HTTP/1.1 200 OK\r\nContent-")(c); _, _ = c.Read(make([]byte, 1)) }, 504, "gateway.upstream-slow"},
	{"hangs in the body", func(c net.Conn) {
		once("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")(c)
		_, _ = c.Read(make([]byte, 1))
	}, 504, "gateway.upstream-slow"},
	{"trickles", func(c net.Conn) {
		for _, b := range []byte("HTTP/1.1 200 OK\r\nX-A: " + strings.Repeat("a", 200)) {
			if _, err := c.Write([]byte{b}); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}, 504, "gateway.upstream-slow"},
	{"garbage", once("\x00\xff\r\n\r\n garbage"), 502, "gateway.upstream-broken"},
	{"another protocol", once("220 mail.example ESMTP\r\n"), 502, "gateway.upstream-broken"},
	{"half a head", once("HTTP/1.1 200 OK\r\nContent-Le"), 502, "gateway.upstream-broken"},
	{"half a body", once("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":"), 502, "gateway.upstream-broken"},
	{"reset in the body", func(c net.Conn) { once("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":")(c); reset(c) }, 502, "gateway.upstream-broken"},
	{"half a chunk", once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{"), 502, "gateway.upstream-broken"},
	{"chunks without an end", once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"), 502, "gateway.upstream-broken"},
	{"8 MB of head", func(c net.Conn) { unlimited(c, "HTTP/1.1 200 OK\r\n", "X-A: "+strings.Repeat("a", 100)+"\r\n", 8<<20) }, 502, "gateway.upstream-broken"},
	{"8 MB of one field", func(c net.Conn) { unlimited(c, "HTTP/1.1 200 OK\r\nX-A: ", "a", 8<<20) }, 502, "gateway.upstream-broken"},
	{"256 MB of body", func(c net.Conn) { unlimited(c, "HTTP/1.1 200 OK\r\nContent-Length: 268435456\r\n\r\n", "a", 256<<20) }, 502, "gateway.upstream-broken"},
	{"256 MB of chunks", func(c net.Conn) {
		unlimited(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "4000\r\n"+strings.Repeat("a", 0x4000)+"\r\n", 256<<20)
	}, 502, "gateway.upstream-broken"},
	{"256 MB until the end", func(c net.Conn) { unlimited(c, "HTTP/1.1 200 OK\r\n\r\n", "a", 256<<20) }, 502, "gateway.upstream-broken"},
	{"a chunk of 4 GB", once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n"), 502, "gateway.upstream-broken"},
	{"a length of 2^63", once("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n"), 502, "gateway.upstream-broken"},
	{"switches protocols", once("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), 502, "gateway.upstream-broken"},
	{"hints without an end", func(c net.Conn) {
		once(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 20))(c)
		_, _ = c.Read(make([]byte, 1))
	}, 502, "gateway.upstream-broken"},

	// What two readers could read in two ways.
	{"length with encoding", once("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + evil), 502, "gateway.upstream-broken"},
	{"encoding with length", once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 40\r\n\r\n0\r\n\r\n" + evil), 502, "gateway.upstream-broken"},
	{"two lengths", once("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 50\r\n\r\n{}" + evil), 502, "gateway.upstream-broken"},
	{"a signed length", once("HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\n{}" + evil), 502, "gateway.upstream-broken"},
	{"a negative length", once("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}" + evil), 502, "gateway.upstream-broken"},
	{"a listed length", once("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\n{}" + evil), 502, "gateway.upstream-broken"},
	{"an empty length", once("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n{}" + evil), 502, "gateway.upstream-broken"},
	{"another encoding", once("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n{}" + evil), 502, "gateway.upstream-broken"},
	{"two encodings", once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + evil), 502, "gateway.upstream-broken"},
	{"a chunk with 0x", once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n" + evil), 502, "gateway.upstream-broken"},
	{"a chunk with a sign", once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n" + evil), 502, "gateway.upstream-broken"},
	{"a chunk without CRLF", once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n" + evil), 502, "gateway.upstream-broken"},
	{"a chunk with bare LF", once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n" + evil), 502, "gateway.upstream-broken"},
	{"a folded field", once("HTTP/1.1 200 OK\r\nX-A: b\r\n Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}" + evil), 502, "gateway.upstream-broken"},
	{"a space before the colon", once("HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\n{}" + evil), 502, "gateway.upstream-broken"},
	{"bare LF", once("HTTP/1.1 200 OK\nContent-Length: 2\n\n{}" + evil), 502, "gateway.upstream-broken"},
	{"bare CR", once("HTTP/1.1 200 OK\r\nX-A: b\rContent-Length: 50\r\nContent-Length: 2\r\n\r\n{}" + evil), 502, "gateway.upstream-broken"},
	{"NUL", once("HTTP/1.1 200 OK\r\nX-A: \x00\r\nContent-Length: 2\r\n\r\n{}" + evil), 502, "gateway.upstream-broken"},
	{"HTTP/3.0", once("HTTP/3.0 200 OK\r\nContent-Length: 2\r\n\r\n{}"), 502, "gateway.upstream-broken"},
	{"no version", once("200 OK\r\nContent-Length: 2\r\n\r\n{}"), 502, "gateway.upstream-broken"},
	{"a status of two digits", once("HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\n{}"), 502, "gateway.upstream-broken"},
}

func TestBadAnswers(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		if plane == "std" && !testkit.Long(t) {
			t.Skip("both planes have the same code here")
		}
		var bad atomic.Pointer[func(net.Conn)]
		up := newUpstream(t, func(c net.Conn, _ *message) bool {
			if answer := bad.Swap(nil); answer != nil {
				(*answer)(c)
				return false
			}
			_, err := io.WriteString(c, answer(answerBody))
			return err == nil
		})
		p := serve(t, plane, up.url(), "--upstream-timeout", "1s", "--windows=false")
		for _, tt := range badAnswers {
			t.Run(tt.name, func(t *testing.T) {
				up.take()
				before := p.metrics(t)
				bad.Store(&tt.answer)
				c := connect(t, p)
				defer c.Close()
				c.send(post(good) + post(identified("2")))
				if r := c.answer(t); r.StatusCode != tt.status || r.text != "" {
					t.Errorf("%v, want %d", r, tt.status)
				}
				if r := c.answer(t); r.StatusCode != http.StatusOK || r.text != answerBody {
					t.Errorf("the next one: %v", r)
				}
				if got := up.take(); len(got) != 2 || !got[0].is(good) || !got[1].is(identified("2")) {
					t.Errorf("the upstream got %d requests, want 2", len(got))
				}
				got := counted(before, p.metrics(t))
				if got[requests("failed")] != 1 || got[reason(tt.reason)] != 1 || got[requests("forwarded")] != 1 {
					t.Errorf("counted %v", got)
				}
			})
		}
		if peak := p.Memory(t, "VmHWM"); !testkit.Race && peak > 200<<10 {
			t.Errorf("peak memory %d KiB", peak)
		}
	})
}

// TestExtraBytes has upstreams that send more than an answer: what is beyond it is never the answer
// to another request, whenever it comes.
func TestExtraBytes(t *testing.T) {
	for _, tt := range []struct{ name, first, later string }{
		{"two answers at once", answer(answerBody) + evil, ""},
		{"a second answer a moment later", answer(answerBody), evil},
		{"half of it with the first", answer(answerBody) + evil[:20], evil[20:]},
		{"a byte", answer(answerBody) + "\n", ""},
		{"a byte, then an answer", answer(answerBody) + "\n", evil},
		{"after no content", "HTTP/1.1 204 No Content\r\n\r\n" + evil, ""},
		{"after no content, later", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", evil},
		{"after chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + evil, ""},
		{"after chunks, half", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + evil[:10], evil[10:]},
		{"early hints", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + answer(answerBody) + evil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wrote := make(chan struct{}, 1)
			up := newUpstream(t, func(c net.Conn, m *message) bool {
				if m.field("X-First") == "" {
					_, err := io.WriteString(c, answer(m.field("X-Request-Id")))
					return err == nil
				}
				_, err := io.WriteString(c, tt.first)
				if err == nil && tt.later != "" {
					_, err = io.WriteString(c, tt.later)
				}
				wrote <- struct{}{}
				return err == nil
			})
			p := serve(t, "fast", up.url(), "--windows=false")
			for i := range testkit.Scale(t, 20, 50, 500) {
				c := connect(t, p)
				first := fmt.Sprint("first-", i)
				c.send(post(good, "X-First: 1\r\n", "X-Request-Id: "+first+"\r\n"))
				if r := c.answer(t); strings.Contains(r.text, "evil") || r.Header.Get("X-Request-Id") != first {
					t.Fatalf("round %d: %v", i, r)
				}
				<-wrote // what comes after the next request is sent can't be told from its answer
				second := fmt.Sprint("second-", i)
				c.send(post(good, "X-Request-Id: "+second+"\r\n"))
				if r := c.answer(t); r.StatusCode != http.StatusOK || r.text != second {
					t.Fatalf("round %d: %v, want %q", i, r, second)
				}
				c.Close()
			}
		})
	}
}

// TestUpstreamAbsent has an upstream that nothing listens at, and one that comes back.
func TestUpstreamAbsent(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	_ = ln.Close()
	p := serve(t, "fast", "http://"+address, "--windows=false")
	before := p.metrics(t)
	c := connect(t, p)
	for range 20 {
		c.send(post(good))
		if r := c.answer(t); r.StatusCode != http.StatusServiceUnavailable || r.text != "" || r.Close {
			t.Fatalf("%v", r)
		}
	}
	after := p.metrics(t)
	if got := counted(before, after); got[requests("failed")] != 20 || got[reason("gateway.upstream-absent")] != 20 {
		t.Errorf("counted %v", got)
	}
	if after[fmt.Sprintf("rtbwire_gateway_upstream_healthy{upstream=%q}", "http://"+address)] != 0 {
		t.Error("the breaker is closed")
	}
	if ln, err = net.Listen("tcp", address); err != nil {
		t.Skip("another program has the port: ", err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answerBody) })}
	go func() { _ = server.Serve(ln) }()
	defer server.Close()
	waitFor(t, "an answer after the upstream is back", func() bool {
		c.send(post(good))
		return c.answer(t).StatusCode == http.StatusOK
	})
	for range 20 {
		if err := c.works(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSilentClose has an upstream that closes its connections after each answer without saying so.
// No request is lost, and none is sent twice.
func TestSilentClose(t *testing.T) {
	closed := make(chan struct{}, 1)
	up := newUpstream(t, func(c net.Conn, _ *message) bool {
		_, _ = io.WriteString(c, answer(answerBody))
		_ = c.Close()
		closed <- struct{}{}
		return false
	})
	p := serve(t, "fast", up.url(), "--windows=false")
	c := connect(t, p)
	n := testkit.Scale(t, 50, 100, 2000)
	for i := range n {
		if err := c.works(); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		<-closed
	}
	if got := len(up.take()); got != n || up.connections() != n {
		t.Errorf("%d requests on %d connections, want %d", got, up.connections(), n)
	}
}

// TestFlapping has an upstream that comes and goes: every request is answered in time, and sent
// once at most.
func TestFlapping(t *testing.T) {
	var down atomic.Bool
	up := newUpstream(t, func(c net.Conn, _ *message) bool {
		if down.Load() {
			reset(c)
			return false
		}
		_, err := io.WriteString(c, answer(answerBody))
		return err == nil
	})
	p := serve(t, "fast", up.url(), "--windows=false")
	c := connect(t, p)
	statuses := map[int]int{}
	sent := 0
	for i := range testkit.Scale(t, 200, 400, 4000) {
		down.Store(i/20%2 == 1)
		sent++
		c.send(post(identified(fmt.Sprint(i))))
		statuses[c.answer(t).StatusCode]++
	}
	seen := map[string]bool{}
	for _, m := range up.take() {
		if seen[string(m.body)] {
			t.Errorf("sent twice: %s", m.body)
		}
		seen[string(m.body)] = true
	}
	if statuses[200]+statuses[502]+statuses[503] != sent || statuses[200] == 0 || statuses[502] == 0 {
		t.Errorf("statuses: %v", statuses)
	}
	down.Store(false)
	waitFor(t, "the end of the breaker", func() bool { return c.works() == nil })
	for range 20 {
		if err := c.works(); err != nil {
			t.Fatal(err)
		}
	}
}
