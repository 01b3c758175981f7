//go:build unix

package files

import (
	"os"
	"syscall"
)

// inode returns the number that the file system knows a file by. Devices are left out: their
// numbers change with a restart of the machine.
func inode(info os.FileInfo) uint64 {
	if s, is := info.Sys().(*syscall.Stat_t); is {
		return uint64(s.Ino) //nolint:unconvert // it has another type on some systems
	}
	return 0
}
