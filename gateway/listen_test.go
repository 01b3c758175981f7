package gateway

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
)

// failing is a listener whose first calls of Accept fail.
type failing struct {
	net.Listener
	errs []error
}

func (f *failing) Accept() (net.Conn, error) {
	if len(f.errs) > 0 {
		err := f.errs[0]
		f.errs = f.errs[1:]
		return nil, err
	}
	return f.Listener.Accept()
}

// TestAcceptErrors checks that errors which pass do not end Serve, and others do.
func TestAcceptErrors(t *testing.T) {
	g, err := New(Options{Upstreams: At(newCore(t, nil).URL)})
	if err != nil {
		t.Fatal(err)
	}
	serve := func(errs ...error) (addr string, done chan error) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		for i, err := range errs {
			errs[i] = &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", err)}
		}
		done = make(chan error, 1)
		go func() { done <- g.Serve(&failing{ln, errs}) }()
		return ln.Addr().String(), done
	}
	addr, _ := serve(syscall.EMFILE, syscall.ENFILE, syscall.ECONNABORTED, syscall.ENOMEM, syscall.ENOBUFS, syscall.EMFILE)
	s := &started{Gateway: g, addr: addr}
	if r := s.post(t, PathDefault, good(t)); r.status != 200 {
		t.Errorf("after errors that pass: %+v", r)
	}
	if _, done := serve(syscall.EINVAL); !errors.Is(<-done, syscall.EINVAL) {
		t.Error("Serve does not return an error that stays")
	}
}

// TestAcceptErrorsDraining runs out of descriptors while the gateway is drained: the connection
// that is queued is accepted all the same, and then comes the end.
func TestAcceptErrorsDraining(t *testing.T) {
	g, err := New(Options{Upstreams: At(newCore(t, nil).URL)})
	if err != nil {
		t.Fatal(err)
	}
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	client, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ln := g.conns.track(&failing{inner, []error{syscall.EMFILE, syscall.ENFILE}})
	g.conns.draining.Store(true)
	c, err := ln.Accept()
	if err != nil {
		t.Fatalf("the queued connection: %v", err)
	}
	c.Close()
	ln.stop()
	if _, err := ln.Accept(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// TestConnectionsMax checks that the limit is one for all listeners, that what is above it is
// answered and counted, and that room is found again.
func TestConnectionsMax(t *testing.T) {
	eachPlane(t, testConnectionsMax)
}

func testConnectionsMax(t *testing.T, serve func(Options) *started) {
	up := newCore(t, nil)
	g := serve(Options{Upstreams: At(up.URL), ConnectionsMax: 2})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go g.Serve(ln)
	second := &started{Gateway: g.Gateway, addr: ln.Addr().String()}
	a, b := g.dial(t), second.dial(t)
	waitFor(t, "two connections", func() bool { return g.conns.count() == 2 })
	for _, s := range []*started{g, second} {
		c := s.dial(t)
		if r := c.answer(t, 503); r.Header.Get("Retry-After") == "" || !r.Close {
			t.Errorf("turned away with %+v", r)
		}
		if _, err := io.ReadAll(c); err != nil {
			t.Errorf("the end: %v", err)
		}
	}
	if reasons, n := g.counts(t); reasons[reasonConnections] != 2 || n != 2 {
		t.Errorf("%v", reasons)
	}
	a.Close()
	waitFor(t, "room", func() bool { return g.conns.count() == 1 })
	if r := g.post(t, PathDefault, good(t)); r.status != 200 {
		t.Errorf("with room: %+v", r)
	}
	b.Close()
}

// TestManyConnections opens and closes more connections than there may be, one after the other.
func TestManyConnections(t *testing.T) {
	eachPlane(t, testManyConnections)
}

func testManyConnections(t *testing.T, serve func(Options) *started) {
	g := serve(Options{Upstreams: At("http://127.0.0.1:9"), ConnectionsMax: 4})
	for range 200 {
		c := g.dial(t)
		c.write(t, "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		c.answer(t, 200)
		c.Close()
		waitFor(t, "its end", func() bool { return g.conns.count() == 0 })
	}
}
