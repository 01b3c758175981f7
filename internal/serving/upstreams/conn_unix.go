//go:build unix

package upstreams

import (
	"crypto/tls"
	"errors"
	"syscall"
)

// system is the part of a connection to an upstream that speaks to the system.
type system struct {
	raw  syscall.RawConn // may be nil
	step func(fd uintptr) bool

	// Of one request.
	parts [2][]byte // to write
	err   error     // of that
	asked bool      // all of them were written, and the answer is awaited
}

func (o *Conn) initSystem() {
	below := o.Conn
	if secure, ok := below.(*tls.Conn); ok {
		below = secure.NetConn()
	}
	if s, ok := below.(syscall.Conn); ok {
		o.raw, _ = s.SyscallConn()
	}
	o.step = o.ask // made once, since it is memory
}

// Request sends a request in two parts, and waits for the answer to begin. A connection that was
// idle is checked before: one that the upstream has closed would lose the request.
//
// All of that is one wait for the connection to become readable. At its beginning package net
// forgets what it knows about that, so nothing that comes later is missed, and no read is needed to
// find out that nothing has come yet.
func (o *Conn) Request(first, second []byte) error {
	if o.tls && o.used && o.raw != nil {
		open := false
		if err := o.raw.Control(func(fd uintptr) { open = stillOpen(int(fd)) }); err != nil || !open {
			return ErrStale
		}
	}
	if o.tls || o.raw == nil {
		return o.writeAll(first, second)
	}
	o.parts, o.err, o.asked = [2][]byte{first, second}, nil, false
	err := o.raw.Read(o.step)
	for o.early(err) && !o.asked {
		err = o.raw.Read(o.step)
	}
	first, second = o.parts[0], o.parts[1]
	o.parts = [2][]byte{}
	switch {
	case o.err != nil && !o.sent && o.used:
		return ErrStale
	case o.err != nil:
		return o.err
	case o.asked:
		return nil // what went wrong after that Read finds out
	case err != nil:
		return err
	}
	return o.writeAll(first, second) // waits for room
}

// ask is called when the connection may be readable, the first time in any case. It reports whether
// there is nothing to wait for.
func (o *Conn) ask(fd uintptr) bool {
	if o.asked {
		return true
	}
	if o.used && !o.sent && !stillOpen(int(fd)) {
		o.err = ErrStale
		return true
	}
	for i := range o.parts {
		for len(o.parts[i]) > 0 {
			n, err := syscall.Write(int(fd), o.parts[i])
			if n > 0 {
				o.sent = true
				o.parts[i] = o.parts[i][n:]
			}
			switch {
			case err == nil, errors.Is(err, syscall.EINTR):
			case errors.Is(err, syscall.EAGAIN):
				return true
			default:
				o.err = err
				return true
			}
		}
	}
	o.asked = true
	return false
}

// stillOpen reports whether the other side has neither closed a connection nor sent anything: an
// answer before the request is unsolicited.
func stillOpen(fd int) bool {
	var b [1]byte
	for {
		_, _, err := syscall.Recvfrom(fd, b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EAGAIN):
			return true
		}
		return false // closed, broken, or with bytes
	}
}
