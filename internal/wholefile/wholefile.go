// Package wholefile writes files atomically: a run that fails or is killed creates no file under
// the final name, and keeps an older one.
//
// What is written goes to a temporary file in the same folder, .NAME.part, which Commit renames. A
// run that was killed leaves it behind, and the next run for the same name uses it again. A lock on
// it keeps two runs apart.
//
// A [Lock] keeps processes apart that use a file for longer, one that is appended to say.
//
//	wholefile.go   File, Lock
//	lock_unix.go   the lock of systems that have flock, and folders that can be synced
//	lock_other.go  the others: there, a file that is open can't be removed
package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrBusy means that another process writes a file of the same name.
var ErrBusy = errors.New("another run writes this file now")

// ErrNotFile means that there is something else than a file under the name, such as a pipe.
var ErrNotFile = errors.New("not a file")

// ErrTaken means that there is something else than a file under the name of the temporary file.
var ErrTaken = errors.New("it is in the way, and not a file; remove it")

// mode is the mode of new files, before the process's umask.
const mode = 0o666

// File is a file that is being written. One goroutine at a time may use it.
type File struct {
	name, part string
	f          *os.File // nil after Commit and Discard
}

// Create begins a file. A symbolic link is followed, and the file keeps the mode of the one that it
// replaces. The caller calls Commit, and Discard in any case.
func Create(name string) (*File, error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	older, err := os.Stat(name)
	if err == nil && !older.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "create", Path: name, Err: ErrNotFile}
	}
	part := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".part")
	f, err := open(part)
	if err != nil {
		return nil, err
	}
	w := &File{name, part, f}
	err = f.Truncate(0) // of a run that was killed
	if older != nil && err == nil {
		err = f.Chmod(older.Mode().Perm())
	}
	if err != nil {
		w.Discard()
		return nil, err
	}
	return w, nil
}

// Private makes a file that no other user can read.
func (w *File) Private() error { return w.f.Chmod(0o600) }

// Write appends to the file.
func (w *File) Write(p []byte) (int, error) { return w.f.Write(p) }

// Commit completes the file: it is on the disk, and has its name there.
func (w *File) Commit() error {
	if err := w.f.Sync(); err != nil {
		w.Discard()
		return fmt.Errorf("cannot complete the file: %w", err)
	}
	if err := rename(w); err != nil {
		w.Discard()
		return err
	}
	w.f = nil
	return SyncFolder(filepath.Dir(w.name))
}

// Discard removes what was written. After Commit it does nothing.
func (w *File) Discard() {
	if w.f == nil {
		return
	}
	remove(w)
	w.f = nil
}

// Lock says that a file is this process's.
type Lock struct{ f *File }

// Acquire locks a file, which need not be there, with a file .NAME.lock beside it. The error is
// [ErrBusy] if another process has the lock. A process that ends without Release has no lock any
// more.
func Acquire(name string) (*Lock, error) {
	beside := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".lock")
	f, err := open(beside)
	if err != nil {
		return nil, err
	}
	return &Lock{&File{name: name, part: beside, f: f}}, nil
}

// Release gives the lock back. It may be called again.
func (l *Lock) Release() { l.f.Discard() }
