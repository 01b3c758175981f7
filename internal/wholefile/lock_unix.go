//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package wholefile

import (
	"cmp"
	"errors"
	"os"
	"syscall"
)

// open opens and locks a temporary file. Its name can be known before, so that in a folder of many
// users another one can have put something there: a link to a file is not followed, and nothing
// but a file is taken.
func open(part string) (*os.File, error) {
	for {
		f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, mode)
		if err != nil {
			if info, e := os.Lstat(part); e == nil && !info.Mode().IsRegular() {
				err = &os.PathError{Op: "create", Path: part, Err: ErrTaken}
			}
			return nil, err
		}
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			_ = f.Close() // nothing was written
			return nil, &os.PathError{Op: "create", Path: part, Err: cmp.Or(err, ErrTaken)}
		}
		// Not every file system has locks; without them it is up to the user.
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:gosec // a descriptor fits
		if errors.Is(err, syscall.EWOULDBLOCK) {
			_ = f.Close() // nothing was written
			return nil, &os.PathError{Op: "lock", Path: part, Err: ErrBusy}
		}
		if same(f, part) {
			return f, nil
		}
		_ = f.Close() // the run that had the lock has renamed or removed it
	}
}

// same reports whether an open file still has its name.
func same(f *os.File, name string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(opened, named)
}

// rename gives the file its name while it is locked.
func rename(w *File) error {
	if err := os.Rename(w.part, w.name); err != nil {
		return err
	}
	return w.f.Close()
}

// remove removes the file while it is locked.
func remove(w *File) {
	_ = os.Remove(w.part) // a partial file is useless
	_ = w.f.Close()
}

// SyncFolder makes the names in a folder durable.
func SyncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) { // some file systems can't
		err = nil
	}
	return errors.Join(err, f.Close())
}
