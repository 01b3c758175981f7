//go:build unix

package filewatch

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestFIFO opens a pipe without a writer.
func TestFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	check(t, syscall.Mkfifo(path, 0o600))
	expect(t, NewFile(path, 0, words), true, "nothing", "PATH: "+ErrNotRegular.Error())
}

// TestFolderWithFIFO has a pipe in a folder.
func TestFolderWithFIFO(t *testing.T) {
	folder := t.TempDir()
	check(t, syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
	put(t, filepath.Join(folder, "words"), "w")
	expectFolder(t, newFolder(folder), true, "words:w", "PATH/pipe: "+ErrNotRegular.Error())
}
