//go:build unix

package reload

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestFIFO opens a pipe that nobody writes to.
func TestFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	check(t, syscall.Mkfifo(path, 0o600))
	expect(t, NewFile(path, 0, words), true, "nothing", "PATH: "+ErrNotRegular.Error())
}
