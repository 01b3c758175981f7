package guard

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// short are timeouts for tests with sockets. A test that finds them too early by the clock fails; a
// slow machine only makes it wait.
var short = Options{HeadTimeout: 150 * time.Millisecond, BodyTimeout: 150 * time.Millisecond, IdleTimeout: 300 * time.Millisecond, LingerTimeout: time.Second}

// TestSlowClients wants a client that sends a byte now and then to be cut off: the time for a head
// or a body is a total.
func TestSlowClients(t *testing.T) {
	for _, tc := range []struct {
		name        string
		first, then string
		want        *Refusal
	}{
		{"head", "", "GET / HTTP/1.1\r\nHost: a.example\r\nA: a field that takes too long to arrive\r\n", headTimeout},
		{"later head", get(""), "GET / HTTP/1.1\r\nHost: a.example\r\nA: a field that takes too long to arrive\r\n", headTimeout},
		{"pipelined head", get("") + "GE", "T / HTTP/1.1\r\nHost: a.example\r\nA: a field that takes too long to arrive\r\n", headTimeout},
		{"body", post("Content-Length: 1000\r\n", ""), "a body that takes too long to arrive, like this one", bodyTimeout},
		{"chunks", chunks(""), "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n1\r\nd\r\n1\r\ne\r\n1\r\nf\r\n1\r\ng\r\n", bodyTimeout},
		{"chunk extension", chunks(""), "1;an extension that takes too long to arrive, like this one", bodyTimeout},
		{"silence in a head", "GET / HTTP/1.1\r\n", "", headTimeout},
		{"silence in a body", chunks("5\r\nab"), "", bodyTimeout},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			client, server := pair(t)
			var codes []string
			c := mustGuard(t, short, &codes).Conn(server)
			slowly := strings.Repeat(tc.then, 5)
			var sent atomic.Int64
			start := time.Now()
			answers := make(chan string, 1)
			go func() {
				got, _ := io.ReadAll(client)
				_ = client.Close() // which ends the guard's lingering
				answers <- string(got)
			}()
			go func() {
				_, _ = io.WriteString(client, tc.first)
				for i := range slowly {
					if _, err := io.WriteString(client, slowly[i:i+1]); err != nil {
						return
					}
					sent.Add(1)
					time.Sleep(10 * time.Millisecond)
				}
			}()
			err := readAll(c)
			if took, n := time.Since(start), int(sent.Load()); took < short.HeadTimeout || n == len(slowly) && n > 0 {
				t.Errorf("cut off after %v and %d bytes of %d", took, n, len(slowly))
			}
			if fmt.Sprint(codes) != "["+tc.want.Code+"]" || !errors.Is(err, io.EOF) && !errors.Is(err, tc.want) {
				t.Errorf("%v, %v", codes, err)
			}
			if got := <-answers; !strings.HasSuffix(got, string(tc.want.answer)) {
				t.Errorf("the client reads %q", got)
			}
		})
	}
}

// readAll reads until an error, and answers every message.
func readAll(c *Conn) error {
	p := make([]byte, 4096)
	for {
		if _, err := c.Read(p); err != nil {
			return err
		}
		if !c.Unread() {
			_, _ = io.WriteString(c, okAnswer)
		}
	}
}

// TestIdle wants an idle connection to end without an answer, before the first request and after.
func TestIdle(t *testing.T) {
	for name, text := range map[string]string{"new": "", "used": get(""), "body": post("Content-Length: 3\r\n", "abc")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, server := pair(t)
			var codes []string
			c := mustGuard(t, short, &codes).Conn(server)
			start := time.Now()
			_, _ = io.WriteString(client, text)
			if err := readAll(c); !errors.Is(err, io.EOF) || len(codes) > 0 {
				t.Errorf("%v, %v", err, codes)
			}
			if took := time.Since(start); took < short.IdleTimeout-short.IdleTimeout/64 {
				t.Errorf("closed after %v", took)
			}
			_ = c.Close()
			answers := ""
			if text != "" {
				answers = okAnswer
			}
			if got, _ := io.ReadAll(client); string(got) != answers {
				t.Errorf("the client reads %q", got)
			}
		})
	}
}

// TestServerTakesItsTime wants the time of a server that reads on without an answer not to count as
// the client's, within a bound.
func TestServerTakesItsTime(t *testing.T) {
	s := &script{pieces: []string{get("")}, then: os.ErrDeadlineExceeded}
	c := mustGuard(t, Options{IdleTimeout: 1}, nil).Conn(s)
	p := make([]byte, 4096)
	if _, err := c.Read(p); err != nil {
		t.Fatal(err)
	}
	s.deadlines = nil
	if n, err := c.Read(p); n != 0 || !errors.Is(err, io.EOF) || len(s.deadlines) != serverWaitsMax+1 {
		t.Errorf("%d, %v after %d deadlines", n, err, len(s.deadlines))
	}
}

// TestServerDeadlines wants the server's deadline to count beside the guard's, and a message to
// survive it.
func TestServerDeadlines(t *testing.T) {
	client, server := pair(t)
	var codes []string
	c := mustGuard(t, Options{}, &codes).Conn(server)
	p := make([]byte, 4096)
	for _, part := range []string{"", "GET /", " HTTP/1.1\r\nHost"} {
		if _, err := io.WriteString(client, part); err != nil {
			t.Fatal(err)
		}
		if err := c.SetReadDeadline(time.Now().Add(30 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if n, err := c.Read(p); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("after %q: %d, %v", part, n, err)
		}
	}
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(client, ": a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(p); string(p[:n]) != "GET / HTTP/1.1\r\nHost: a\r\n\r\n" || err != nil {
		t.Errorf("%q, %v", p[:n], err)
	}
	if len(codes) > 0 {
		t.Error(codes)
	}
}

// TestDeadlinesAreRare wants requests that come at once to set a deadline now and then only: it
// has its price.
func TestDeadlinesAreRare(t *testing.T) {
	s := &script{}
	c := mustGuard(t, Options{}, nil).Conn(s)
	p := make([]byte, 4096)
	for range 1000 {
		s.pieces = []string{get("")}
		oneRequest(t, c, p, []byte(okAnswer))
	}
	if n := len(s.deadlines); n == 0 || n > 10 { // a 64th of 75 seconds passes now and then
		t.Errorf("%d deadlines for 1000 requests", n)
	}
	// The other deadlines are set for each message.
	s.deadlines, s.pieces = nil, []string{"GET / HTTP/1.1\r\n", "Host: a\r\n\r\n"}
	oneRequest(t, c, p, []byte(okAnswer))
	s.pieces = []string{post("Content-Length: 2\r\n", ""), "a", "b"}
	oneRequest(t, c, p, []byte(okAnswer))
	if len(s.deadlines) != 3 { // head, idle, body
		t.Fatalf("%d deadlines, want 3", len(s.deadlines))
	}
	for i, want := range []time.Duration{DefaultHeadTimeout, DefaultIdleTimeout, DefaultBodyTimeout} {
		if in := time.Until(s.deadlines[i]); in > want || in < want-3*time.Second {
			t.Errorf("deadline %d is in %v, want %v", i, in, want)
		}
	}
}
