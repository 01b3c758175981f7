package transport

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// reusePort lets several sockets have one address. The system spreads connections over them.
func reusePort(_, _ string, c syscall.RawConn) error {
	var err error
	if fail := c.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) }); fail != nil {
		return fail
	}
	return err
}
