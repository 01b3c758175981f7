//go:build unix

package gateway

import (
	"errors"
	"syscall"
)

// stillOpen reports whether the other side has neither closed a connection nor sent anything: an
// answer before the request belongs to nobody.
func stillOpen(fd uintptr) bool {
	var b [1]byte
	for {
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EAGAIN):
			return true
		}
		return false // closed, broken, or with bytes
	}
}
