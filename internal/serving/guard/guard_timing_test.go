package guard

import (
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// typical is a request of an exchange, of 800 bytes.
var typical = func() string {
	head := "POST /openrtb2/auction HTTP/1.1\r\nHost: bidder.example:8080\r\nUser-Agent: exchange/2.4\r\nAccept: application/json\r\n" +
		"Accept-Encoding: gzip\r\nContent-Type: application/json\r\nX-Openrtb-Version: 2.6\r\nConnection: keep-alive\r\n" +
		"X-Request-Id: 6f1c2f0e-35b9-4b0e-9d5f-9f2f6f1a7c11\r\nContent-Length: %d\r\n\r\n"
	size := 800 - len(fmt.Sprintf(head, 100))
	return fmt.Sprintf(head, size) + strings.Repeat("x", size)
}()

// loop is a connection that delivers the same pieces again and again, and takes answers.
type loop struct {
	net.Conn // nil: every other method panics

	pieces []string
	next   int
}

func (l *loop) Read(p []byte) (int, error) {
	n := copy(p, l.pieces[l.next])
	if l.next++; l.next == len(l.pieces) {
		l.next = 0
	}
	return n, nil
}

func (*loop) Write(p []byte) (int, error)     { return len(p), nil }
func (*loop) SetReadDeadline(time.Time) error { return nil }

// shapes are how requests arrive.
var shapes = map[string]func() []string{
	"whole":     func() []string { return []string{typical} },
	"head,body": func() []string { h, b, _ := strings.Cut(typical, "\r\n\r\n"); return []string{h + "\r\n\r\n", b} },
	"in head":   func() []string { return []string{typical[:100], typical[100:]} },
	"pipelined": func() []string { return []string{strings.Repeat(typical, 4)} },
	"chunked": func() []string {
		return []string{chunks("100\r\n" + strings.Repeat("x", 256) + "\r\nff\r\n" + strings.Repeat("x", 255) + "\r\n0\r\n\r\n")}
	},
}

// oneRequest reads a request and answers it.
func oneRequest(tb testing.TB, c *Conn, p, answer []byte) {
	for more := true; more; more = c.Unread() {
		if _, err := c.Read(p); err != nil {
			tb.Fatal(err)
		}
	}
	if _, err := c.Write(answer); err != nil {
		tb.Fatal(err)
	}
}

func BenchmarkRead(b *testing.B) {
	for name, shape := range shapes {
		b.Run(name, func(b *testing.B) {
			c := mustGuard(b, Options{}, nil).Conn(&loop{pieces: shape()})
			p, answer := make([]byte, 16<<10), []byte(okAnswer)
			b.ReportAllocs()
			for b.Loop() {
				oneRequest(b, c, p, answer)
			}
		})
	}
}

// BenchmarkWithout is BenchmarkRead/whole without a guard.
func BenchmarkWithout(b *testing.B) {
	var c net.Conn = &loop{pieces: []string{typical}}
	p, answer := make([]byte, 16<<10), []byte(okAnswer)
	for b.Loop() {
		if _, err := c.Read(p); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Write(answer); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	o := Options{}.withDefaults()
	text := []byte(typical)
	for b.Loop() {
		var h head
		if n, r := h.parse(text, &o); n == 0 || r != nil {
			b.Fatal(n, r)
		}
	}
}

// BenchmarkSocket reads over TCP, where setting a deadline has its price.
func BenchmarkSocket(b *testing.B) {
	for _, guarded := range []bool{false, true} {
		b.Run(fmt.Sprintf("guarded=%t", guarded), func(b *testing.B) {
			client, server := pair(b)
			if guarded {
				server = mustGuard(b, Options{}, nil).Conn(server)
			}
			p, q, request, answer := make([]byte, 16<<10), make([]byte, 1<<10), []byte(typical), []byte(okAnswer)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := client.Write(request); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(server, p[:len(request)]); err != nil {
					b.Fatal(err)
				}
				if _, err := server.Write(answer); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(client, q[:len(answer)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestNoAllocations(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector drops what is in pools")
	}
	for name, shape := range shapes {
		c := mustGuard(t, Options{}, nil).Conn(&loop{pieces: shape()})
		p, answer := make([]byte, 16<<10), []byte(okAnswer)
		if n := testing.AllocsPerRun(1000, func() { oneRequest(t, c, p, answer) }); n != 0 {
			t.Errorf("%s: %v allocations for a request", name, n)
		}
	}
}

// TestIdleConnectionsAreSmall wants a connection between requests to have no buffer.
func TestIdleConnectionsAreSmall(t *testing.T) {
	for name, shape := range shapes {
		if name == "pipelined" {
			continue
		}
		c := mustGuard(t, Options{}, nil).Conn(&loop{pieces: shape()})
		oneRequest(t, c, make([]byte, 16<<10), []byte(okAnswer))
		if c.stash != nil {
			t.Errorf("%s: the connection has a buffer after its request", name)
		}
	}
	if size := reflect.TypeFor[Conn]().Size(); size > 512 {
		t.Errorf("a connection has %d bytes, want at most 512", size)
	}
}
