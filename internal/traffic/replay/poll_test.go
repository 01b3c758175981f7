package replay

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// pair returns two ends of a connection.
func pair(t *testing.T) (ours, theirs net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, _ := l.Accept()
		accepted <- c
	}()
	if ours, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if theirs = <-accepted; theirs == nil {
		t.Fatal("the connection was not accepted")
	}
	t.Cleanup(func() { _ = theirs.Close() })
	return ours, theirs
}

// waitEvent waits for an event of a connection.
func waitEvent(t *testing.T, p poller) event {
	t.Helper()
	for range 1000 {
		list, err := p.wait(nil, 10*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 {
			return list[0]
		}
	}
	t.Fatal("nothing happened for 10 seconds")
	return event{}
}

// TestPoller reads, writes, wakes and waits with each kind of poller.
func TestPoller(t *testing.T) {
	eachPoller(t, func(t *testing.T, newPoller func() (poller, error)) {
		p, err := newPoller()
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		ours, theirs := pair(t)
		id := ident{3, 7}
		s, err := p.add(ours, id)
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		buf := make([]byte, 100)
		if _, err := s.read(buf); !errors.Is(err, errAgain) {
			t.Errorf("nothing was sent, and reading returns %v", err)
		}
		if _, err := io.WriteString(theirs, "hello"); err != nil {
			t.Fatal(err)
		}
		if e := waitEvent(t, p); e.ident != id || e.hangup {
			t.Errorf("event %+v", e)
		}
		if n, err := s.read(buf); string(buf[:n]) != "hello" || err != nil {
			t.Errorf("read %q, %v", buf[:n], err)
		}
		if n, err := s.write([]byte("world")); n != 5 || err != nil {
			t.Errorf("wrote %d bytes, %v", n, err)
		}
		if _, err := io.ReadFull(theirs, buf[:5]); string(buf[:5]) != "world" || err != nil {
			t.Errorf("%q arrived, %v", buf[:5], err)
		}

		p.wake()
		if _, err := p.wait(nil, time.Hour); err != nil { // longer than the test may take
			t.Errorf("woken: %v", err)
		}
		if list, err := p.wait(nil, 0); err != nil || len(list) > 0 {
			t.Errorf("looking: %v, %v", list, err)
		}
		begun := time.Now()
		for time.Since(begun) < 20*time.Millisecond { // an event of the write may come first
			if _, err := p.wait(nil, 20*time.Millisecond); err != nil {
				t.Fatal(err)
			}
		}

		_ = theirs.Close()
		for e := waitEvent(t, p); !e.hangup; e = waitEvent(t, p) {
			if e.ident != id {
				t.Errorf("event %+v", e)
			}
		}
		if n, err := s.read(buf); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("after the end %d bytes, %v", n, err)
		}
	})
}
