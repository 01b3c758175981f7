package admin

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// patience is how long a test waits for what should come at once.
const patience = 20 * time.Second

// dial opens a connection that sends a text.
func dial(t *testing.T, address, sends string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, sends); err != nil {
		t.Fatal(err)
	}
	return c
}

// answer reads an answer, and returns its status.
func answer(t *testing.T, c net.Conn) int {
	t.Helper()
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		t.Fatal(err)
	}
	return r.StatusCode
}

// TestStrangers holds all connections without a token: probes are answered, and so is a request
// with a token that came before.
func TestStrangers(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	s := server(t, newSource(), Options{Tokens: []string{goodToken}, Config: func() any {
		close(begun)
		<-release
		return "done"
	}})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ln) }()
	address := ln.Addr().String()
	operator := dial(t, address, fmt.Sprintf("GET /config HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", goodToken))
	<-begun
	for _, sends := range []string{"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "GET /healthz HTTP/1.1\r\n", ""} {
		var idle []net.Conn
		for range ConnectionsMax {
			c := dial(t, address, sends)
			if len(sends) > 0 && sends[len(sends)-4:] == "\r\n\r\n" {
				if status := answer(t, c); status != http.StatusOK {
					t.Errorf("/healthz: %d", status)
				}
			}
			idle = append(idle, c)
		}
		if status := answer(t, dial(t, address, "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")); status != http.StatusOK {
			t.Errorf("/readyz after %q: %d", sends, status)
		}
		if _, err := io.ReadAll(idle[0]); isTimeout(err) {
			t.Errorf("the oldest connection, which has sent %q, is open", sends)
		}
	}
	close(release)
	if status := answer(t, operator); status != http.StatusOK {
		t.Errorf("the operator: %d", status)
	}
	s.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// TestLimitBusy closes what comes when all connections are busy, and finds room afterwards.
func TestLimitBusy(t *testing.T) {
	t.Parallel()
	l := limit(nil, 2).(*limited)
	pipe := func() net.Conn {
		a, b := net.Pipe()
		t.Cleanup(func() { a.Close(); b.Close() })
		return a
	}
	first, second := l.add(pipe()), l.add(pipe())
	first.setBusy(true)
	second.setBusy(true)
	if l.add(pipe()) != nil {
		t.Error("a connection above the limit")
	}
	first.setBusy(false)
	third := l.add(pipe())
	if _, err := first.Write(nil); third == nil || err == nil {
		t.Errorf("%v, and the first one is open: %v", third, err)
	}
	third.Close()
	if fourth := l.add(pipe()); fourth == nil || len(l.conns) != 2 {
		t.Errorf("%v, %d connections", fourth, len(l.conns))
	}
}

// fromAddress is a connection of a client at an address.
type fromAddress struct {
	net.Conn
	address net.Addr
}

func (c fromAddress) RemoteAddr() net.Addr { return c.address }

// TestLimitFloods opens connections from one address, or one network of IPv6, faster than a probe
// from another is answered: the probe's connection stays, and the next probe gets one.
func TestLimitFloods(t *testing.T) {
	t.Parallel()
	const max = 8
	l := limit(nil, max).(*limited)
	from := func(ip string) net.Conn {
		a, b := net.Pipe()
		t.Cleanup(func() { a.Close(); b.Close() })
		return fromAddress{a, &net.TCPAddr{IP: net.ParseIP(ip), Port: 1}}
	}
	open := func(c *conn) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		_, ok := l.conns[c]
		return ok
	}
	probes := []*conn{l.add(from("192.0.2.1")), l.add(from("2001:db8:1::1"))}
	for i := range 10 * max {
		l.add(from("192.0.2.66"))
		l.add(from(fmt.Sprintf("2001:db8:2::%x", i+1)))
	}
	for i, probe := range probes {
		if !open(probe) {
			t.Errorf("probe %d is closed for strangers", i)
		}
	}
	if next := l.add(from("192.0.2.1")); next == nil || !open(next) || !open(probes[0]) || len(l.conns) != max {
		t.Errorf("the next probe: %v, %d connections", next, len(l.conns))
	}
}
