package filewatch

import (
	"errors"
	"hash/maphash"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// SizeMaxDefault is the largest file that is read, in bytes.
const SizeMaxDefault = 1 << 30

// racyWindow is how old a change must be when a file is read, so that size and time of a later
// change differ from it. Some file systems count in two seconds (FAT).
const racyWindow = 2 * time.Second

// Parser reads a value from a file. It returns a [LineError] for a fault in a line.
type Parser[T any] func(r io.Reader) (T, Result, error)

// File is a value that is read from a file, again when the file changes. It is for all goroutines.
type File[T any] struct {
	path    string
	sizeMax int64
	parse   Parser[T]
	seed    maphash.Seed

	value  atomic.Pointer[T]
	status atomic.Pointer[Status]

	mu     sync.Mutex // one load at a time
	seen   seen
	hash   uint64 // of the content in use
	hashed bool
}

// seen is how the file looked when it was read last. Its zero value means no file.
type seen struct {
	info os.FileInfo
	// settled is false where the same size and time can be those of another content.
	settled bool
}

// NewFile returns a File that nothing has been read into yet. A sizeMax of 0 is [SizeMaxDefault].
func NewFile[T any](path string, sizeMax int64, parse Parser[T]) *File[T] {
	if sizeMax <= 0 {
		sizeMax = SizeMaxDefault
	}
	f := &File[T]{path: path, sizeMax: sizeMax, parse: parse, seed: maphash.MakeSeed()}
	f.status.Store(&Status{Path: path})
	return f
}

// Path returns the path of the file.
func (f *File[T]) Path() string { return f.path }

// Value returns the value of the last file that was good; nil if there was none.
func (f *File[T]) Value() *T { return f.value.Load() }

// Status returns what is known about the file. It doesn't wait for a load that is under way.
func (f *File[T]) Status() Status { return *f.status.Load() }

// Refresh loads the file if it has changed. It reports whether there is news: another value, or
// another error.
func (f *File[T]) Refresh() (news bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(f.path)
	if err != nil {
		f.seen = seen{}
		return f.failed(err)
	}
	if f.seen.like(info) {
		if f.seen.settled {
			return false
		}
		if same := f.unchanged(info); same {
			return false
		}
	}
	f.seen = seen{}
	return f.load()
}

func (s *seen) like(info os.FileInfo) bool {
	return s.info != nil && os.SameFile(s.info, info) && s.info.Size() == info.Size() && s.info.ModTime().Equal(info.ModTime())
}

func (s *seen) note(info os.FileInfo, at time.Time) {
	*s = seen{info: info, settled: at.Sub(info.ModTime()) > racyWindow}
}

// unchanged reads a file that looks as before, without parsing it.
func (f *File[T]) unchanged(info os.FileInfo) bool {
	at := time.Now()
	file, err := f.open()
	if err != nil {
		return false
	}
	defer file.Close()
	r := f.reader(file)
	if _, err := io.Copy(io.Discard, r); err != nil || !f.hashed || r.hash.Sum64() != f.hash {
		return false
	}
	f.seen.note(info, at)
	return true
}

func (f *File[T]) load() (news bool) {
	at := time.Now()
	file, err := f.open()
	if err != nil {
		return f.failed(err)
	}
	defer file.Close()
	before, err := file.Stat()
	if err != nil {
		return f.failed(err)
	}
	if before.Size() > f.sizeMax {
		f.seen.note(before, at)
		return f.failed(ErrTooLarge)
	}
	if before.Size() == 0 && f.Status().Entries > 0 {
		return f.failed(ErrEmptied)
	}
	r := f.reader(file)
	v, result, parseErr := f.parse(r)
	if parseErr == nil {
		_, parseErr = io.Copy(io.Discard, r) // what the parser did not need
	}
	after, err := file.Stat()
	if err != nil {
		return f.failed(err)
	}
	looked := seen{info: before}
	if !looked.like(after) || parseErr == nil && r.n != before.Size() {
		return f.failed(ErrChanging)
	}
	if r.err != nil { // the disk, not the text: the next look tries again
		return f.failed(r.err)
	}
	f.seen.note(before, at)
	f.hash, f.hashed = r.hash.Sum64(), parseErr == nil
	if parseErr != nil {
		return f.failed(parseErr)
	}
	f.value.Store(&v)
	was := f.Status()
	f.status.Store(&Status{
		Path: f.path, Loads: was.Loads + 1, Failures: was.Failures, FailedAt: was.FailedAt,
		Result: result, LoadedAt: at, Modified: before.ModTime(), Took: time.Since(at),
	})
	return true
}

// open opens a regular file. A pipe would wait for its writer, so it is opened without blocking.
func (f *File[T]) open() (*os.File, error) {
	file, err := os.OpenFile(f.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, err
	}
	return file, nil
}

// failed notes why the file can't be used. An error that was reported before is counted only.
func (f *File[T]) failed(err error) (news bool) {
	at, next := fileError(f.path, err), f.Status()
	news = next.Err == nil || next.Err.Error() != at.Error()
	if news {
		next.FailedAt = time.Now()
	}
	next.Err = at
	next.Failures++
	f.status.Store(&next)
	return news
}

// fileError returns the error of a file or folder. It says path and line once.
func fileError(file string, err error) *Error {
	var line *LineError
	var path *os.PathError
	at := &Error{Path: file, Err: err}
	switch {
	case errors.As(err, &line):
		at.Line, at.Err = line.Line, line.Err
	case errors.As(err, &path):
		at.Err = path.Err
	}
	return at
}

// reader counts and hashes what is read, and stops at the limit: a file can grow.
type reader struct {
	r    io.Reader
	n    int64
	err  error
	hash maphash.Hash
}

func (f *File[T]) reader(file io.Reader) *reader {
	r := &reader{r: io.LimitReader(file, f.sizeMax)}
	r.hash.SetSeed(f.seed)
	return r
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.n += int64(n)
	_, _ = r.hash.Write(p[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}
