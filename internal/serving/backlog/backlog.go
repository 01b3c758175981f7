// Package backlog closes a listener without losing the connections in the kernel's accept queue.
//
// A listener with a deadline returns an error once it has passed, whatever waits in its queue, and
// a listener that is closed resets what does. To the client such a connection was made, and its
// request may be on it already.
package backlog

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// Listener returns a listener whose SetDeadline ends it so that nothing is lost: Accept returns all
// connections that are queued before it returns the error. On Linux no more connections of TCP are
// made from the call on, and clients try again after a second. A listener that does not speak to
// the system is returned as it is.
//
// Linux can't do that for a socket of Multipath TCP, which [net.Listen] opens by default where the
// system has it: SetDeadline returns [ErrOpen] then. Open the socket with a [net.ListenConfig]
// after SetMultipathTCP(false).
func Listener(ln net.Listener) net.Listener {
	s, ok := ln.(socket)
	if !ok {
		return ln
	}
	if _, done := ln.(*listener); done {
		return ln
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return ln
	}
	return &listener{socket: s, raw: raw}
}

// ErrOpen says that the deadline is set, but the system makes connections until the listener is
// closed: one that is made after the last Accept is reset.
var ErrOpen = errors.New("backlog: the system can't be told to make no more connections")

// socket is what *net.TCPListener and *net.UnixListener have.
type socket interface {
	net.Listener
	syscall.Conn
	SetDeadline(time.Time) error
}

type listener struct {
	socket
	raw syscall.RawConn

	mu     sync.Mutex
	ending bool
}

// Shared returns a listener that [Listener] leaves as it is: other processes have its socket too,
// and what is queued at its end is theirs.
func Shared(ln net.Listener) net.Listener {
	if s, ok := ln.(socket); ok {
		return shared{ln, s}
	}
	return ln
}

// shared hides that a listener speaks to the system.
type shared struct {
	net.Listener
	s socket
}

func (l shared) SetDeadline(t time.Time) error { return l.s.SetDeadline(t) }

// again is how much longer Accept waits when the deadline has passed and connections are queued.
const again = 100 * time.Millisecond

// SetDeadline ends the listener at a time. The zero time has no effect. After an error that is
// [ErrOpen] the deadline is set.
func (l *listener) SetDeadline(t time.Time) error {
	if t.IsZero() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var refused error
	if !l.ending {
		l.ending = true
		_ = l.raw.Control(func(fd uintptr) { refused = refuse(fd) }) // returns SetDeadline's error
	}
	if err := l.socket.SetDeadline(t); err != nil {
		return err
	}
	if refused != nil {
		return fmt.Errorf("%w: %w", ErrOpen, refused)
	}
	return nil
}

// Close closes the listener. If another process has its socket after all, connections can be made
// again.
func (l *listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending {
		l.ending = false
		_ = l.raw.Control(allow)
	}
	return l.socket.Close()
}

// Accept returns the next connection, and an error when the deadline has passed and none is queued.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.socket.Accept()
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) || !l.queued() {
			return c, err
		}
		if err := l.socket.SetDeadline(time.Now().Add(again)); err != nil {
			return nil, err
		}
	}
}

// queued reports whether a connection is queued.
func (l *listener) queued() (yes bool) {
	_ = l.raw.Control(func(fd uintptr) { yes = readable(fd) })
	return yes
}
