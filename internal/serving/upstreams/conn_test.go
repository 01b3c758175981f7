package upstreams

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/guard"
)

// TestExchange does several exchanges on one connection: what is sent arrives, in parts of all
// sizes, and so do the answers.
func TestExchange(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *server) {
		t.Helper()
		sizes := []int{0, 1, 100, 70_000, 8 << 20} // the last one is more than sockets buffer
		bodies := make(chan string, len(sizes))
		c := s.connect(t, func(c net.Conn, r *bufio.Reader) {
			for range sizes {
				body, err := answer(c, r, ok)
				if err != nil {
					t.Errorf("server: %v", err)
				}
				bodies <- body
			}
		})
		for _, size := range sizes {
			body := strings.Repeat("x", size)
			head := fmt.Sprintf("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", size)
			n := min(size, 10)
			got, err := exchange(c, patience, head+body[:n], body[n:])
			if err != nil || got != ok || c.extra {
				t.Fatalf("%d bytes: %q, %v, extra %v", size, got, err, c.extra)
			}
			if sent := <-bodies; sent != body {
				t.Fatalf("%d bytes arrived, want %d", len(sent), size)
			}
		}
	})
}

// TestDeadline answers later than an exchange before would have allowed, which is fine, and then
// not at all.
func TestDeadline(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *server) {
		t.Helper()
		c := s.connect(t, func(c net.Conn, r *bufio.Reader) {
			answer(c, r, ok)
			answer(c, r, "") // late
			time.Sleep(time.Second)
			io.WriteString(c, ok)
			answer(c, r, "") // never
			io.Copy(io.Discard, r)
		})
		switch got, err := exchange(c, 800*time.Millisecond, request, "body"); {
		case IsTimeout(err):
			t.Skipf("this machine needs more than 800 ms for an exchange")
		case err != nil || got != ok:
			t.Fatalf("%q, %v", got, err)
		}
		if got, err := exchange(c, patience, request, "body"); err != nil || got != ok {
			t.Errorf("an answer after the deadline of the exchange before: %q, %v", got, err)
		}
		began := time.Now()
		_, err := exchange(c, 100*time.Millisecond, request, "body")
		if took := time.Since(began); !IsTimeout(err) || Unsent(err) || took < 100*time.Millisecond {
			t.Errorf("no answer: %v after %v", err, took)
		}
	})
}

// TestWriteDeadline sends to an upstream that reads nothing: the time for the exchange ends that.
func TestWriteDeadline(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *server) {
		t.Helper()
		release := make(chan struct{})
		c := s.connect(t, func(net.Conn, *bufio.Reader) { <-release })
		defer close(release)
		_, err := exchange(c, 200*time.Millisecond, request, strings.Repeat("x", 32<<20))
		if !IsTimeout(err) || Unsent(err) {
			t.Errorf("%v, unsent %v", err, Unsent(err))
		}
	})
}

// TestEarlyAnswer answers before the body was read, and goes on reading.
func TestEarlyAnswer(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *server) {
		t.Helper()
		const size = 4 << 20
		c := s.connect(t, func(c net.Conn, r *bufio.Reader) {
			r.ReadString('\n')
			io.WriteString(c, "HTTP/1.1 413 Request Entity Too Large\r\nContent-Length: 0\r\n\r\n")
			io.Copy(io.Discard, r)
		})
		got, err := exchange(c, patience, fmt.Sprintf("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", size), strings.Repeat("x", size))
		if err != nil || !strings.HasPrefix(got, "HTTP/1.1 413 ") {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// TestBrokenOff closes a new connection in the middle of the request: whether the upstream has seen
// it is unknown, so the request can't be sent again.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *server) {
		t.Helper()
		c := s.connect(t, func(_ net.Conn, r *bufio.Reader) { r.ReadString('\n') })
		got, err := exchange(c, patience, request, strings.Repeat("x", 8<<20))
		if err == nil && got != "" || Unsent(err) || IsTimeout(err) {
			t.Errorf("%q, %v, unsent %v", got, err, Unsent(err))
		}
	})
}

// TestExtraBytes sends more than the answer: the rest is not handed out, and is noticed.
func TestExtraBytes(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *server) {
		t.Helper()
		c := s.connect(t, func(c net.Conn, r *bufio.Reader) { answer(c, r, ok+"HTTP/1.1 200 OK\r\n") })
		if got, err := exchange(c, patience, request, "body"); got != ok || err != nil || !c.extra {
			t.Errorf("%q, %v, extra %v", got, err, c.extra)
		}
	})
}

// TestHead reads the answer to HEAD, which has a length and no body.
func TestHead(t *testing.T) {
	t.Parallel()
	s := listen(t, "tcp")
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
	c := s.connect(t, func(c net.Conn, r *bufio.Reader) { answer(c, r, head) })
	if err := c.Begin(Now()+patience, true); err != nil {
		t.Fatal(err)
	}
	if err := c.Request([]byte("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"), nil); err != nil {
		t.Fatal(err)
	}
	if got, err := receive(c); got != head || err != nil || c.extra {
		t.Errorf("%q, %v, extra %v", got, err, c.extra)
	}
}

// TestAnswersWithinLimits refuses answers that are too long, or that could be read in two ways.
// None of them was unsent.
func TestAnswersWithinLimits(t *testing.T) {
	t.Parallel()
	s := listen(t, "tcp")
	for name, tt := range map[string]struct {
		text string
		good bool
	}{
		"a long head":          {"HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 4000) + "\r\nContent-Length: 0\r\n\r\n", true},
		"a head too long":      {"HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 4200) + "\r\nContent-Length: 0\r\n\r\n", false},
		"many fields":          {"HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 19) + "Content-Length: 0\r\n\r\n", true},
		"too many fields":      {"HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 20) + "Content-Length: 0\r\n\r\n", false},
		"chunks too long":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("10000\r\n"+strings.Repeat("x", 1<<16)+"\r\n", 17), false},
		"two lengths":          {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n", false},
		"length and chunks":    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false},
		"chunks":               {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", true},
		"an interim answer":    {"HTTP/1.1 103 Early Hints\r\n\r\n" + ok, true},
		"another protocol":     {"HTTP/1.1 101 Switching Protocols\r\n\r\n", false},
		"no HTTP":              {"SSH-2.0-OpenSSH_9.9\r\n", false},
		"a space before colon": {"HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n", false},
	} {
		c := s.connect(t, func(c net.Conn, r *bufio.Reader) { answer(c, r, tt.text) })
		got, err := exchange(c, patience, request, "body")
		var refused *guard.Refusal
		if tt.good && (err != nil || got != tt.text) || !tt.good && (!errors.As(err, &refused) || Unsent(err)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		c.Close()
	}
}

// TestUnsent says of which errors nothing was sent.
func TestUnsent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err             error
		unsent, timeout bool
	}{
		{nil, false, false},
		{io.EOF, false, false},
		{fasthttp.ErrTimeout, false, true},
		{fasthttp.ErrNoFreeConns, true, false},
		{ErrStale, true, false},
		{fmt.Errorf("wrapped: %w", ErrStale), true, false},
		{&DialError{io.EOF}, true, false},
		{&DialError{fasthttp.ErrTimeout}, true, true},
	} {
		if got := Unsent(tt.err); got != tt.unsent {
			t.Errorf("%v is unsent: %v, want %v", tt.err, got, tt.unsent)
		}
		if got := IsTimeout(tt.err); got != tt.timeout {
			t.Errorf("%v is a timeout: %v, want %v", tt.err, got, tt.timeout)
		}
	}
	if err := (&DialError{io.EOF}); err.Error() != io.EOF.Error() || !errors.Is(err, io.EOF) {
		t.Errorf("%v does not show its cause", err)
	}
}

// TestDone reads answers after which a connection is, or is not, used again.
func TestDone(t *testing.T) {
	for fields, want := range map[string]bool{
		"":                                       false,
		"Connection: keep-alive\r\n":             false,
		"Connection: closed, x-close\r\n":        false,
		"Connection: close\r\n":                  true,
		"connection: Close\r\n":                  true,
		"Connection: Close, X-Hop\r\n":           true,
		"Connection: X-Hop ,\tCLOSE\r\n":         true,
		"Connection: a\r\nConnection: close\r\n": true,
	} {
		r := bufio.NewReader(strings.NewReader("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + fields + "\r\n"))
		var answer fasthttp.Response
		if err := answer.Read(r); err != nil {
			t.Fatalf("%q: %v", fields, err)
		}
		if got := new(Conn).Done(r, &answer.Header); got != want {
			t.Errorf("%q: done %v, want %v", fields, got, want)
		}
	}
	var answer fasthttp.Response
	r := bufio.NewReader(strings.NewReader("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nmore"))
	if err := answer.Read(r); err != nil || !new(Conn).Done(r, &answer.Header) {
		t.Errorf("bytes after the answer: %v, and the connection is used again", err)
	}
}
