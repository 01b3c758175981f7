//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package wholefile

import (
	"errors"
	"io/fs"
	"os"
)

// open makes a temporary file. One that another run has open can't be removed.
func open(part string) (*os.File, error) {
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &fs.PathError{Op: "create", Path: part, Err: errors.Join(ErrBusy, err)}
	}
	return os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
}

// rename gives the file its name, which takes a closed one.
func rename(w *File) error {
	if err := w.f.Close(); err != nil {
		return err
	}
	return os.Rename(w.part, w.name)
}

// remove removes the file, which takes a closed one.
func remove(w *File) {
	_ = w.f.Close() // an error says that it is closed
	_ = os.Remove(w.part)
}

// SyncFolder does nothing: folders can't be synced here.
func SyncFolder(string) error { return nil }
