package transport

import (
	"context"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/backlog"
)

// TestSeveral opens sockets that share an address: each of them gets some of many connections, and
// a socket that does not share the address is refused.
func TestSeveral(t *testing.T) {
	const sockets, connections = 4, 400
	list, err := (&Sockets{Each: sockets}).Listen(context.Background(), parse(t, "127.0.0.1:0"))
	if runtime.GOOS != "linux" {
		if err == nil {
			t.Error("several sockets share an address")
		}
		return
	}
	if err != nil || len(list) != sockets {
		t.Fatalf("%d sockets, %v", len(list), err)
	}
	accepted := make(chan int)
	for i, ln := range list {
		if ln.Addr().String() != list[0].Addr().String() {
			t.Errorf("addresses %v and %v", ln.Addr(), list[0].Addr())
		}
		go func() {
			for {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				c.Close()
				accepted <- i
			}
		}()
		defer ln.Close()
	}
	var each [sockets]int
	for range connections {
		c, err := net.DialTimeout("tcp", list[0].Addr().String(), 20*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		each[<-accepted]++
		c.Close()
	}
	for i, n := range each {
		if n == 0 { // by chance: once in 10^49 runs
			t.Errorf("socket %d got none of %d connections: %v", i, connections, each)
		}
	}
	if other, err := (&Sockets{}).Listen(context.Background(), parse(t, list[0].Addr().String())); err == nil {
		other[0].Close()
		t.Error("a socket that does not share the address has it too")
	}
}

// TestEnds ends sockets: none of them makes a connection any more, so none can be lost.
func TestEnds(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("connections are made until the end")
	}
	for _, each := range []int{1, 2} {
		list, err := (&Sockets{Each: each}).Listen(t.Context(), parse(t, "127.0.0.1:0"))
		if err != nil {
			t.Fatal(err)
		}
		for _, ln := range list {
			defer ln.Close()
			if err := backlog.Listener(ln).(interface{ SetDeadline(time.Time) error }).SetDeadline(time.Now()); err != nil {
				t.Errorf("%d sockets: %v", each, err)
			}
		}
		if c, err := net.DialTimeout("tcp", list[0].Addr().String(), 50*time.Millisecond); err == nil {
			c.Close()
			t.Errorf("%d sockets: a connection was made after the end", each)
		}
	}
}

// TestSeveralMany refuses more sockets than anybody needs.
func TestSeveralMany(t *testing.T) {
	if _, err := (&Sockets{Each: ListenersMax + 1}).Listen(context.Background(), parse(t, "127.0.0.1:0")); err == nil {
		t.Error("too many sockets")
	}
}
