package transport

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// passed returns sockets as systemd passes them, with names.
func passed(t *testing.T, names ...string) (*Passed, []string) {
	t.Helper()
	p := &Passed{}
	var addresses []string
	for _, name := range names {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		file, err := ln.(*net.TCPListener).File()
		if err != nil {
			t.Skipf("no descriptors here: %v", err)
		}
		addresses = append(addresses, ln.Addr().String())
		ln.Close()
		p.files = append(p.files, passedFile{name, file})
		t.Cleanup(func() { file.Close() })
	}
	return p, addresses
}

func TestPassed(t *testing.T) {
	p, addresses := passed(t, "bids", "admin", "bids")
	s := &Sockets{Passed: p}
	list, err := s.Listen(context.Background(), parse(t, "systemd:bids"))
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	for i, ln := range list {
		if err := reaches(ln, "tcp", addresses[2*i]); err != nil {
			t.Error(err)
		}
		ln.Close()
	}
	if got := strings.Join(p.Unused(), " "); got != "admin" {
		t.Errorf("unused: %s", got)
	}
	for _, none := range []*Passed{p, nil, {}} {
		if _, err := (&Sockets{Passed: none}).Listen(context.Background(), parse(t, "systemd:bids")); err == nil {
			t.Error("a socket that was not passed")
		}
	}
}

// TestPassedWrong checks a descriptor that is not one of a socket.
func TestPassedWrong(t *testing.T) {
	file, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := &Sockets{Passed: &Passed{files: []passedFile{{"bids", file}}}}
	if _, err := s.Listen(context.Background(), parse(t, "systemd:bids")); err == nil {
		t.Error("a folder is a socket")
	}
}

func TestManager(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Skipf("no such sockets here: %v", err)
	}
	defer socket.Close()
	told := func() string {
		b := make([]byte, 200)
		socket.SetReadDeadline(time.Now().Add(10 * time.Second))
		n, err := socket.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	var m Manager
	t.Setenv("NOTIFY_SOCKET", "")
	if err := m.Ready(); err != nil {
		t.Errorf("without a manager: %v", err)
	}
	t.Setenv("NOTIFY_SOCKET", path)
	for _, tt := range []struct {
		tell func() error
		want string
	}{{m.Ready, "READY=1"}, {m.Reloading, "RELOADING=1\n"}, {m.Stopping, "STOPPING=1"}} {
		if err := tt.tell(); err != nil {
			t.Error(err)
		}
		if got := told(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	alive := func() bool { return true }
	t.Setenv("WATCHDOG_USEC", "")
	if err := m.Watchdog(ctx, alive); err != nil {
		t.Errorf("without a watchdog: %v", err)
	}
	t.Setenv("WATCHDOG_USEC", "20000")
	t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	ended := make(chan error, 1)
	go func() { ended <- m.Watchdog(ctx, alive) }()
	for range 3 {
		if got := told(); got != "WATCHDOG=1" {
			t.Errorf("%q", got)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
