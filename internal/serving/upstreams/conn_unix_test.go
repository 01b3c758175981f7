//go:build unix

package upstreams

import (
	"bufio"
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// TestStale sends on a connection that was idle, after the upstream has closed it, reset it, or
// sent something unsolicited. Nothing of the request is sent then.
func TestStale(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(c net.Conn){
		"closed": func(c net.Conn) { c.Close() },
		"reset": func(c net.Conn) {
			if tcp, ok := c.(*net.TCPConn); ok {
				tcp.SetLinger(0)
			}
			c.Close()
		},
		"unasked": func(c net.Conn) { io.WriteString(c, "HTTP/1.1 408 Request Timeout\r\n\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachKind(t, func(t *testing.T, s *server) {
				t.Helper()
				answered, ended, rest := make(chan struct{}), make(chan struct{}), make(chan string, 1)
				c := s.connect(t, func(c net.Conn, r *bufio.Reader) {
					answer(c, r, ok)
					<-answered
					end(c)
					close(ended)
					b, _ := io.ReadAll(r)
					rest <- string(b)
				})
				if got, err := exchange(c, patience, request, "body"); got != ok || err != nil {
					t.Errorf("%q, %v", got, err)
				}
				close(answered)
				<-ended
				time.Sleep(20 * time.Millisecond) // until the system has noticed
				if got, err := exchange(c, patience, request, "body"); !errors.Is(err, ErrStale) || !Unsent(err) {
					t.Errorf("%q, %v", got, err)
				}
				c.Close()
				if sent := <-rest; sent != "" {
					t.Errorf("%q was sent", sent)
				}
			})
		})
	}
}

// TestIdle does a second exchange after a while: a connection that is idle and open is used.
func TestIdle(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *server) {
		t.Helper()
		c := s.connect(t, func(c net.Conn, r *bufio.Reader) {
			answer(c, r, ok)
			answer(c, r, ok)
		})
		for range 2 {
			if got, err := exchange(c, patience, request, "body"); got != ok || err != nil {
				t.Fatalf("%q, %v", got, err)
			}
			time.Sleep(30 * time.Millisecond)
		}
	})
}

// TestWithoutDescriptor uses a connection that is not a socket: it can't be asked whether it is
// open, and works all the same.
func TestWithoutDescriptor(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	defer here.Close()
	go func() {
		defer there.Close()
		answer(there, bufio.NewReader(there), ok)
	}()
	c := New(here, limits)
	if got, err := exchange(c, patience, request, "body"); got != ok || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := exchange(c, patience, request, "body"); !errors.Is(err, ErrStale) {
		t.Errorf("after the other end closed: %v", err)
	}
}
