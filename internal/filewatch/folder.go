package filewatch

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// FilesMaxDefault is how many files of a folder are read.
const FilesMaxDefault = 1 << 20

// problemsMax is how many refused files a status names.
const problemsMax = 10

// scanSize is how many names of a folder are read at once.
const scanSize = 1024

// ErrFolderEmptied is why a folder without files is not believed: so looks the place of a file
// system that is not mounted.
var ErrFolderEmptied = errors.New("the folder has no files, and had some (a file with any other name makes an empty folder valid)")

// FolderOptions configure a [Folder].
type FolderOptions[T any] struct {
	// Key returns what a file is about, from its name, and whether it is to be read. The key is
	// kept.
	Key func(name string) (key string, ok bool)
	// Parse reads a value from the file with the key.
	Parse func(key string, r io.Reader) (T, Result, error)
	// FilesMax is how many files are read; [FilesMaxDefault] if 0. With more, nothing changes.
	FilesMax int
	// SizeMax is the largest file that is read, in bytes; [SizeMaxDefault] if 0.
	SizeMax int64
}

// Folder has the values that are read from the files of a folder, by key. Each file is a [File]:
// one that can't be used keeps its last good value. The values of files that are gone are dropped.
// A folder is for all goroutines.
type Folder[T any] struct {
	path    string
	options FolderOptions[T]
	values  atomic.Pointer[map[string]T]
	known   atomic.Pointer[FolderStatus]

	mu      sync.Mutex // one refresh at a time
	entries map[string]*folderEntry[T]
	scans   uint64
	status  FolderStatus // as known, after the refresh
}

type folderEntry[T any] struct {
	file  *File[T]
	value *T // the last good one
	// name is the file's name, seen the last scan that found the entry, and found the name that it
	// found: the first in order, where several files have the key.
	name, found string
	seen        uint64
}

// FolderStatus is what is known about a folder.
type FolderStatus struct {
	Path string
	// Files is the number of files, and Refused how many of them can't be used as they are now.
	Files, Refused int
	// Problems are the errors of the first refused files, by name.
	Problems []error
	// Err is why the folder as it is now can't be used. All values stay as they were.
	Err error
	// Loads and Failures count files that were loaded, and new errors, since the program started.
	Loads, Failures uint64
	FailedAt        time.Time // when the last error was noticed first, also one that is over
	Result                    // of all files in use; SkippedFirst comes from the first file
	skippedIn       string
	LoadedAt        time.Time // the last file
}

// NewFolder returns a Folder that nothing has been read into yet.
func NewFolder[T any](path string, o FolderOptions[T]) *Folder[T] {
	if o.FilesMax <= 0 {
		o.FilesMax = FilesMaxDefault
	}
	f := &Folder[T]{path: path, options: o, entries: map[string]*folderEntry[T]{}, status: FolderStatus{Path: path}}
	f.values.Store(&map[string]T{})
	f.publish()
	return f
}

// Path returns the path of the folder.
func (f *Folder[T]) Path() string { return f.path }

// Values returns the values by key. The map never changes.
func (f *Folder[T]) Values() map[string]T { return *f.values.Load() }

// Status returns what is known about the folder. It doesn't wait for a refresh that is under way.
func (f *Folder[T]) Status() FolderStatus { return *f.known.Load() }

func (f *Folder[T]) publish() {
	known := f.status
	f.known.Store(&known)
}

// Refresh reads the names in the folder and loads the files that are new or have changed. It
// reports whether there is news: other values, or another error.
func (f *Folder[T]) Refresh() (news bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer f.publish()
	if err := f.scan(); err != nil {
		f.status.Failures++
		if news = f.status.Err == nil || f.status.Err.Error() != err.Error(); news {
			f.status.FailedAt = time.Now()
		}
		f.status.Err = err
		return news
	}
	news = f.status.Err != nil
	f.status.Err = nil
	return f.load() || news
}

// scan notes which files there are.
func (f *Folder[T]) scan() error {
	// A pipe would wait for its writer, so it is opened without blocking.
	folder, err := os.OpenFile(f.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return f.failed(err)
	}
	defer folder.Close()
	if info, err := folder.Stat(); err != nil || !info.IsDir() {
		return f.failed(cmp.Or(err, errNotFolder))
	}
	f.scans++
	for files, others := 0, 0; ; {
		names, err := folder.Readdirnames(scanSize)
		for _, name := range names {
			key, ok := f.options.Key(name)
			if !ok {
				others++
				continue
			}
			if files++; files > f.options.FilesMax {
				return f.failed(fmt.Errorf("the folder has more than %d files", f.options.FilesMax))
			}
			f.found(key, name)
		}
		switch {
		case errors.Is(err, io.EOF) && files+others == 0 && f.status.Files > 0:
			return f.failed(ErrFolderEmptied)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return f.failed(err)
		}
	}
}

func (f *Folder[T]) found(key, name string) {
	e := f.entries[key]
	switch {
	case e == nil:
		f.entries[key] = &folderEntry[T]{found: name, seen: f.scans}
	case e.seen != f.scans:
		e.found, e.seen = name, f.scans
	case name < e.found:
		e.found = name
	}
}

func (f *Folder[T]) failed(err error) error { return fileError(f.path, err) }

// load loads the files that the scan has found, and sums up what is known about them.
func (f *Folder[T]) load() (news bool) {
	s := FolderStatus{Path: f.path, Loads: f.status.Loads, Failures: f.status.Failures, FailedAt: f.status.FailedAt, LoadedAt: f.status.LoadedAt}
	var next map[string]T
	change := func() map[string]T {
		if next == nil {
			next = maps.Clone(f.Values())
		}
		return next
	}
	var refused []string // names, the first ones
	for key, e := range f.entries {
		if e.seen != f.scans {
			delete(f.entries, key)
			if e.value != nil {
				delete(change(), key)
			}
			continue
		}
		if e.name != e.found {
			e.name = e.found
			e.file = NewFile(filepath.Join(f.path, e.name), f.options.SizeMax, func(r io.Reader) (T, Result, error) {
				return f.options.Parse(key, r)
			})
		}
		if e.file.Refresh() {
			news = true
			if v := e.file.Value(); v != nil && v != e.value {
				e.value = v
				change()[key] = *v
				s.Loads++
				s.LoadedAt = time.Now()
			} else {
				s.Failures++
				s.FailedAt = time.Now()
			}
		}
		refused = s.add(e.name, e.file.Status(), refused)
	}
	for _, name := range refused {
		key, _ := f.options.Key(name)
		s.Problems = append(s.Problems, f.entries[key].file.Status().Err)
	}
	f.status = s
	if next != nil {
		f.values.Store(&next)
	}
	return news || next != nil
}

// add counts a file. Of the refused ones it keeps the first names.
func (s *FolderStatus) add(name string, file Status, refused []string) []string {
	s.Files++
	s.Entries += file.Entries
	s.Skipped += file.Skipped
	if file.SkippedFirst != nil && (s.SkippedFirst == nil || file.Path < s.skippedIn) {
		s.SkippedFirst, s.skippedIn = fileError(file.Path, file.SkippedFirst), file.Path
	}
	if file.Err == nil {
		return refused
	}
	s.Refused++
	at, _ := slices.BinarySearch(refused, name)
	if refused = slices.Insert(refused, at, name); len(refused) > problemsMax {
		refused = refused[:problemsMax]
	}
	return refused
}

// errNotFolder is what is wrong with a file in the place of a folder.
var errNotFolder = errors.New("expected a folder")
