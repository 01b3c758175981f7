package backlog

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// echo answers each connection with what it sends.
func echo(c net.Conn) {
	defer c.Close()
	_, _ = io.Copy(c, c)
}

// listenTCP opens a socket, of Multipath TCP where it is wanted and the system has it.
func listenTCP(t *testing.T, multipath bool) net.Listener {
	t.Helper()
	var config net.ListenConfig
	config.SetMultipathTCP(multipath)
	ln, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

// TestRefuse ends listeners: either no connection is made any more, or SetDeadline says so.
func TestRefuse(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("connections are made until the end")
	}
	for _, multipath := range []bool{false, true} {
		ln := Listener(listenTCP(t, multipath))
		err := ln.(socket).SetDeadline(time.Now())
		if errors.Is(err, ErrOpen) && multipath {
			err = nil
		} else if c, made := net.DialTimeout("tcp", ln.Addr().String(), 50*time.Millisecond); made == nil {
			c.Close()
			t.Errorf("multipath %v: a connection was made after the end", multipath)
		}
		if err != nil {
			t.Errorf("multipath %v: %v", multipath, err)
		}
		if _, err := ln.Accept(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("multipath %v: Accept: %v", multipath, err)
		}
	}
}

// TestQueued ends a listener whose deadline passes while connections are queued: all are accepted.
func TestQueued(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		address := "127.0.0.1:0"
		if network == "unix" {
			address = filepath.Join(t.TempDir(), "s")
		}
		var config net.ListenConfig
		config.SetMultipathTCP(false)
		inner, err := config.Listen(t.Context(), network, address)
		if err != nil {
			t.Skip(err)
		}
		ln := Listener(inner)
		if Listener(ln) != ln {
			t.Error("a listener is wrapped twice")
		}
		const n = 20
		var clients []net.Conn
		for range n {
			c, err := net.Dial(network, inner.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			clients = append(clients, c)
		}
		if err := ln.(socket).SetDeadline(time.Now().Add(-time.Second)); err != nil {
			t.Fatal(err)
		}
		for range n {
			c, err := ln.Accept()
			if err != nil {
				t.Fatalf("%s: a connection that was queued: %v", network, err)
			}
			go echo(c)
		}
		if _, err := ln.Accept(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: at the end: %v", network, err)
		}
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
		for i, c := range clients {
			fmt.Fprint(c, "x")
			b := make([]byte, 1)
			if _, err := io.ReadFull(c, b); err != nil {
				t.Errorf("%s: connection %d: %v", network, i, err)
			}
		}
	}
}

// TestUnderLoad ends listeners while clients connect as fast as they can: a connection that was
// made is served.
func TestUnderLoad(t *testing.T) {
	for round := range testkit.Scale(t, 3, 6, 500) {
		inner := listenTCP(t, false)
		ln := Listener(inner)
		var served atomic.Int64
		var all sync.WaitGroup
		all.Go(func() {
			defer inner.Close()
			for {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				served.Add(1)
				all.Go(func() { echo(c) })
			}
		})
		for range 8 {
			all.Go(func() {
				dialer := net.Dialer{Timeout: 300 * time.Millisecond} // a dropped segment is retransmitted after a second
				for {
					c, err := dialer.Dial("tcp", inner.Addr().String())
					if err != nil {
						return
					}
					fmt.Fprint(c, "x")
					b := make([]byte, 1)
					_, err = io.ReadFull(c, b)
					_ = c.Close()
					if err != nil {
						t.Errorf("round %d: a connection that was made: %v", round, err)
						return
					}
				}
			})
		}
		for served.Load() < 50 {
			time.Sleep(time.Millisecond)
		}
		_ = ln.(socket).SetDeadline(time.Now())
		all.Wait()
	}
}

// notSocket does not speak to the system.
type notSocket struct{ net.Listener }

func TestOthers(t *testing.T) {
	inner := listenTCP(t, false)
	if ln := Listener(notSocket{inner}); ln != net.Listener(notSocket{inner}) {
		t.Error("it was wrapped")
	}
	ln := Listener(inner)
	if err := ln.(socket).SetDeadline(time.Time{}); err != nil {
		t.Error(err)
	}
	go func() {
		if c, err := net.Dial("tcp", inner.Addr().String()); err == nil {
			c.Close()
		}
	}()
	c, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := ln.Close(); err != nil {
		t.Error(err)
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	if err := ln.(socket).SetDeadline(time.Now()); !errors.Is(err, net.ErrClosed) && !errors.Is(err, syscall.EINVAL) {
		t.Error(err)
	}
}

// TestShared ends listeners of a socket that somebody else has too: connections can still be made,
// and wait for the next one.
func TestShared(t *testing.T) {
	held := listenTCP(t, false)
	for _, mark := range []func(net.Listener) net.Listener{Shared, func(ln net.Listener) net.Listener { return ln }} {
		file, err := held.(*net.TCPListener).File()
		if err != nil {
			t.Skip(err)
		}
		own, err := net.FileListener(file)
		if err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
		ln := Listener(mark(own))
		if err := ln.(interface{ SetDeadline(time.Time) error }).SetDeadline(time.Now()); err != nil {
			t.Fatal(err)
		}
		if _, err := ln.Accept(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Accept: %v", err)
		}
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
		client, err := net.DialTimeout("tcp", held.Addr().String(), 20*time.Second)
		if err != nil {
			t.Fatalf("afterwards: %v", err)
		}
		defer client.Close()
		c, err := held.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
	}
	if ln := Shared(notSocket{held}); ln != net.Listener(notSocket{held}) {
		t.Error("it was wrapped")
	}
}
