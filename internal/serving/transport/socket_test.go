package transport

import (
	"context"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func parse(tb testing.TB, text string) Address {
	tb.Helper()
	a, err := ParseAddress(text)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// listen opens the one socket of an address.
func listen(tb testing.TB, s *Sockets, text string) net.Listener {
	tb.Helper()
	list, err := s.Listen(context.Background(), parse(tb, text))
	if err != nil {
		tb.Fatal(err)
	}
	if len(list) != 1 {
		tb.Fatalf("%d listeners", len(list))
	}
	tb.Cleanup(func() { list[0].Close() })
	return list[0]
}

// reaches connects to an address and has the connection accepted.
func reaches(ln net.Listener, network, address string) error {
	accepted := make(chan error, 1)
	go func() {
		c, err := ln.Accept()
		if err == nil {
			c.Close()
		}
		accepted <- err
	}()
	c, err := net.Dial(network, address)
	if err != nil {
		ln.Close()
		<-accepted
		return err
	}
	defer c.Close()
	if err := <-accepted; err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, c)
	return err
}

// TestFamilies checks that an address without a host takes connections of both families.
func TestFamilies(t *testing.T) {
	if probe, err := net.Listen("tcp", "[::1]:0"); err != nil {
		t.Skip("no IPv6 here")
	} else {
		probe.Close()
	}
	for text, hosts := range map[string][]string{
		":0": {"127.0.0.1", "::1"}, "[::]:0": {"127.0.0.1", "::1"}, "[::1]:0": {"::1"}, "127.0.0.1:0": {"127.0.0.1"},
	} {
		for _, host := range hosts {
			ln := listen(t, &Sockets{}, text)
			_, port, err := net.SplitHostPort(ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			if err := reaches(ln, "tcp", net.JoinHostPort(host, port)); err != nil {
				t.Errorf("%s from %s: %v", text, host, err)
			}
		}
	}
}

func TestUnixMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	path := filepath.Join(t.TempDir(), "s")
	ln := listen(t, &Sockets{UnixMode: 0o620}, "unix:"+path)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o620 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := reaches(ln, "unix", path); err != nil {
		t.Error(err)
	}
	ln.Close()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
}

// TestStaleSocket checks what becomes of something at the path of a socket.
func TestStaleSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	left, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false) // as if it was killed
	refused := func(want string) {
		t.Helper()
		list, err := (&Sockets{}).Listen(context.Background(), parse(t, "unix:"+path))
		if err == nil {
			list[0].Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want: %s", err, want)
		}
	}
	refused("another process listens")
	left.Close()
	if err := reaches(listen(t, &Sockets{}, "unix:"+path), "unix", path); err != nil {
		t.Errorf("after the one before was killed: %v", err)
	}

	path = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("keep me"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("not a socket")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	path = link
	refused("not a socket")
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link is gone: %v", err)
	}
}
