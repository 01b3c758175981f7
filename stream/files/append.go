package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/internal/wholefile"
)

// appendMode is that of new files, less what the process masks.
const appendMode = 0o666

// appended is a file that lines are appended to. One goroutine at a time uses it.
type appended struct {
	o    *SinkOptions
	lock *wholefile.Lock
	file *os.File // nil after an error: it is opened again
	size int64    // of what is synced
}

func openAppended(o *SinkOptions) (*appended, error) {
	lock, err := wholefile.Acquire(o.Path)
	switch {
	case errors.Is(err, wholefile.ErrBusy):
		return nil, fmt.Errorf("another process writes %s: %w", o.Path, wholefile.ErrBusy)
	case err != nil:
		return nil, fmt.Errorf("%s can't be locked: %w", o.Path, err)
	}
	a := &appended{o: o, lock: lock}
	if err := a.open(); err != nil {
		lock.Release()
		return nil, err
	}
	return a, nil
}

// open opens the file at its last newline.
func (a *appended) open() error {
	if info, err := os.Stat(a.o.Path); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "open", Path: a.o.Path, Err: wholefile.ErrNotFile}
	}
	f, err := os.OpenFile(a.o.Path, os.O_RDWR|os.O_CREATE, appendMode)
	if err != nil {
		return err
	}
	a.file = f
	if err := a.repair(); err != nil {
		return errors.Join(err, a.abandon())
	}
	return nil
}

// repair removes what follows the last newline.
func (a *appended) repair() error {
	info, err := a.file.Stat()
	if err != nil {
		return err
	}
	end, _, err := lastNewline(a.file, info.Size())
	if err != nil {
		return err
	}
	if torn := info.Size() - end; torn > 0 {
		a.o.Log.Warn("the last line of a file was torn and is removed; its record comes again", "file", a.o.Path, "bytes", torn)
		if err := a.file.Truncate(end); err != nil {
			return err
		}
	}
	a.size = end
	if err := a.file.Sync(); err != nil {
		return err
	}
	return wholefile.SyncFolder(filepath.Dir(a.o.Path))
}

// errMoved is a file that was removed or renamed while it was written.
var errMoved = errors.New("the file was removed or renamed")

// inPlace returns an error if the path means another file by now, or none: what goes to a file that
// was removed is lost, although writing and syncing go on without an error.
func (a *appended) inPlace() error {
	own, err := a.file.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(a.o.Path); err != nil || !os.SameFile(own, there) {
		return errMoved
	}
	return nil
}

// append appends lines durably, or none of them as far as that is possible.
func (a *appended) append(text []byte) error {
	if a.file != nil && a.inPlace() != nil {
		a.o.Log.Warn("a file that is written was removed or renamed; the next one begins", "file", a.o.Path)
		_ = a.abandon()
	}
	if a.file == nil {
		if err := a.open(); err != nil {
			return err
		}
	}
	if a.size >= a.o.RotateSize {
		if err := a.rotate(); err != nil {
			return err
		}
	}
	_, err := a.file.WriteAt(text, a.size)
	if err == nil {
		err = a.file.Sync()
	}
	if err == nil {
		err = a.inPlace() // it may have gone since
	}
	if err != nil {
		_ = a.file.Truncate(a.size) // else lines come twice, and a torn one is removed by open
		return errors.Join(err, a.abandon())
	}
	a.size += int64(len(text))
	return nil
}

// abandon closes the file after an error.
func (a *appended) abandon() error {
	err := a.file.Close()
	a.file = nil
	return err
}

// rotate renames the file and begins the next one.
func (a *appended) rotate() error {
	number, err := lastRotated(a.o.Path)
	if err != nil {
		return err
	}
	if err := a.abandon(); err != nil {
		return err
	}
	if err := os.Rename(a.o.Path, rotatedName(a.o.Path, number+1)); err != nil {
		return err
	}
	return a.open()
}

func (a *appended) close() error {
	defer a.lock.Release()
	if a.file == nil {
		return nil
	}
	return a.abandon()
}

// rotatedName returns the name of a file that was rotated.
func rotatedName(name string, number int) string { return fmt.Sprintf("%s.%06d", name, number) }

// lastRotated returns the number of the last file that was rotated, 0 if there is none.
func lastRotated(name string) (last int, err error) {
	all, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		return 0, err
	}
	for _, e := range all {
		if text, ours := strings.CutPrefix(e.Name(), filepath.Base(name)+"."); ours {
			if number, err := strconv.Atoi(text); err == nil {
				last = max(last, number)
			}
		}
	}
	return last, nil
}
