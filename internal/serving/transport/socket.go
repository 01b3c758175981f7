package transport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"
)

// Sockets opens sockets. The zero value is ready to use.
type Sockets struct {
	// Config opens them. Its Control can set options of sockets of IP. Multipath TCP is not used: a
	// socket of it can't be ended without the loss of a connection; see package backlog.
	Config net.ListenConfig
	// Each is how many sockets an address of IP gets, which share its connections (SO_REUSEPORT).
	// Up to 1 is one. More than that are an error where the system is not Linux.
	Each int
	// UnixMode is the mode of sockets in the file system. 0 leaves what umask makes.
	UnixMode fs.FileMode
	// Passed are the sockets that systemd has passed; see [Inherit]. May be nil.
	Passed *Passed
}

// Listen opens the socket of an address, or returns those that systemd has passed for it.
func (s *Sockets) Listen(ctx context.Context, a Address) ([]net.Listener, error) {
	switch a.network {
	case "systemd":
		return s.Passed.take(a.at)
	case "unix":
		ln, err := s.unix(ctx, a.at)
		if err != nil {
			return nil, err
		}
		return []net.Listener{ln}, nil
	}
	if s.Each > 1 {
		return s.several(ctx, a.network, a.at)
	}
	config := s.config()
	ln, err := config.Listen(ctx, a.network, a.at)
	if err != nil {
		return nil, err
	}
	return []net.Listener{ln}, nil
}

// config returns what opens sockets of IP.
func (s *Sockets) config() net.ListenConfig {
	config := s.Config
	config.SetMultipathTCP(false)
	return config
}

// answerTime is how long somebody who listens at a socket may take to show it.
const answerTime = time.Second

// unix opens a socket in the file system. One that a process has left, because it was killed, is
// replaced: no process answers there.
func (s *Sockets) unix(ctx context.Context, path string) (net.Listener, error) {
	ln, err := s.listenUnix(ctx, path)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return ln, err
	}
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if before.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%s is there, and not a socket", path)
	}
	dialer := net.Dialer{Timeout: answerTime}
	c, err := dialer.DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		_ = c.Close() // nothing was sent
		return nil, fmt.Errorf("another process listens at %s", path)
	case !errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("%s may be in use: %w", path, err)
	}
	if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
		return nil, fmt.Errorf("another process has just begun to listen at %s", path)
	}
	if err := os.Remove(path); err != nil {
		return nil, err
	}
	return s.listenUnix(ctx, path)
}

func (s *Sockets) listenUnix(ctx context.Context, path string) (net.Listener, error) {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	if err != nil || s.UnixMode == 0 {
		return ln, err
	}
	if err := os.Chmod(path, s.UnixMode.Perm()); err != nil {
		_ = ln.Close() // nothing was accepted
		return nil, err
	}
	return ln, nil
}
