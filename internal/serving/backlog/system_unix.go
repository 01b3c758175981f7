//go:build unix

package backlog

import (
	"errors"

	"golang.org/x/sys/unix"
)

// readable reports whether a socket that listens has a connection in its queue.
func readable(fd uintptr) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // a descriptor
	for {
		n, err := unix.Poll(fds, 0)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n > 0 && fds[0].Revents&unix.POLLIN != 0
		}
	}
}
