//go:build !linux

package transport

import (
	"errors"
	"syscall"
)

// reusePort is refused: other systems give all connections to one of the sockets, or to none.
func reusePort(string, string, syscall.RawConn) error {
	return errors.New("several listeners of one address need Linux")
}
