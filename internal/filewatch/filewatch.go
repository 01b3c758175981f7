// Package filewatch reloads files when they change: lists, rates, sellers' files.
//
// A [File] reads one file within bounds, and knows whether it has changed since. A file that can't
// be read or parsed changes nothing: the last good value stays, and [Status] says what is wrong.
// Values are immutable and replaced as a whole by one atomic store, so that no reader sees half of
// a file. A [Folder] has a File for each file of a folder.
//
// A [Watcher] refreshes its sources when the system reports a change in one of their folders, and
// at an interval besides, because not every change is reported: network file systems report none,
// and a path can lead through symbolic links in folders that are not watched.
package filewatch

import (
	"errors"
	"fmt"
	"time"
)

// Source is something that is read from files.
type Source interface {
	// Paths returns the files and folders that the source is read from.
	Paths() []string
	// Refresh looks at the files and loads those that have changed.
	Refresh()
}

// Error is why a file was refused.
type Error struct {
	Path string
	Line int // 0 if the error is about no line
	Err  error
}

// Error returns path, line and cause, as compilers write them.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// LineError is returned by parsers for a fault in a line. Lines are counted from 1.
type LineError struct {
	Line int
	Err  error
}

// Error returns line and cause.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// What is wrong with a file before it is parsed.
var (
	ErrNotRegular = errors.New("expected a regular file")
	ErrTooLarge   = errors.New("the file is larger than the limit")
	ErrEmptied    = errors.New("the file is empty, and the last good one was not (a comment line makes an empty list valid)")
	ErrChanging   = errors.New("the file changed while it was read (replace files by renaming)")
)

// Result is what a parser reports besides the value.
type Result struct {
	Entries int
	// Skipped is the number of bad entries that were tolerated; SkippedFirst is the first of them.
	Skipped      int
	SkippedFirst error
}

// Status is what is known about a file.
type Status struct {
	Path string
	// Loads and Failures count since the program started.
	Loads, Failures uint64
	// Err is why the file as it is now can't be used; nil after a load.
	Err error
	// FailedAt is when the last error was noticed first, also one that is over.
	FailedAt time.Time
	// The others are about the value in use.
	Result
	LoadedAt time.Time
	Modified time.Time     // of the file
	Took     time.Duration // to load
	Expires  time.Time     // of certificates: the end of the first one; zero for what does not end
}
