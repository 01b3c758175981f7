package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/internal/wholefile"
	"github.com/rtbwire/rtbwire/stream"
)

// Defaults and bounds of [Options].
const (
	// PatternDefault matches the names of rotated and of compressed files too: the former are read,
	// and the latter are left out with a message, where another pattern would skip both silently.
	PatternDefault = "*.ndjson*"

	PollIntervalDefault = 500 * time.Millisecond
	PollIntervalMin     = 10 * time.Millisecond
	PollIntervalMax     = time.Minute

	IdleAfterDefault = time.Minute
	IdleAfterMin     = 10 * time.Millisecond
	IdleAfterMax     = 24 * time.Hour

	FilesMaxDefault = 1000
	FilesMaxMax     = 10_000
)

// Options say what a source reads. Folder and Positions have no default; the zero value of every
// other field is its default.
type Options struct {
	// Folder has the files. Folders in it are not looked at.
	Folder string
	// Pattern is the form of the names of files that are read, as in [path.Match]. Names that begin
	// with a dot never match. Default: [PatternDefault].
	Pattern string
	// Positions is the file that says how far each file is delivered. One process at a time uses
	// it. Its folder must exist.
	Positions string
	// AtEnd leaves out what is in the files when the source is first used, without a positions
	// file. Files that appear later are read from their beginning.
	AtEnd bool

	// PollInterval is the time between two looks at the folder. Default: [PollIntervalDefault].
	PollInterval time.Duration
	// IdleAfter is how long a file must not have grown to be closed until it grows, and its last
	// line to be complete without a newline if it was rotated away. Default: [IdleAfterDefault].
	IdleAfter time.Duration
	// FilesMax is how many files are followed. More are left out, the last by name, until others
	// are deleted. Default: [FilesMaxDefault], at most [FilesMaxMax].
	FilesMax int

	// Written are files that are written by sinks of the same process: a source must not read them.
	Written []string
}

// validate refuses what no source can be made of, and fills in the defaults.
func (o *Options) validate() error {
	switch {
	case o.Folder == "":
		return errors.New("stream: no folder to read")
	case o.Positions == "":
		return errors.New("stream: no file for positions: without it, every start would read all files again")
	}
	o.Pattern = cmp.Or(o.Pattern, PatternDefault)
	if _, err := filepath.Match(o.Pattern, ""); err != nil {
		return fmt.Errorf("stream: the pattern %q is not one (want a name with * and ?, such as %s)", o.Pattern, PatternDefault)
	}
	for _, d := range []struct {
		name                string
		value               *time.Duration
		otherwise, min, max time.Duration
	}{
		{"PollInterval", &o.PollInterval, PollIntervalDefault, PollIntervalMin, PollIntervalMax},
		{"IdleAfter", &o.IdleAfter, IdleAfterDefault, IdleAfterMin, IdleAfterMax},
	} {
		*d.value = cmp.Or(*d.value, d.otherwise)
		if *d.value < d.min || *d.value > d.max {
			return fmt.Errorf("stream: %s is %v (want 0 for the default, or %v to %v)", d.name, *d.value, d.min, d.max)
		}
	}
	o.FilesMax = cmp.Or(o.FilesMax, FilesMaxDefault)
	if o.FilesMax < 1 || o.FilesMax > FilesMaxMax {
		return fmt.Errorf("stream: FilesMax is %d (want 0 for the default, or 1 to %d)", o.FilesMax, FilesMaxMax)
	}
	for _, name := range append([]string{o.Positions}, o.Written...) {
		if o.reads(name) {
			return fmt.Errorf("stream: %s is written, and is in the folder that is read, where %s matches it: put it elsewhere", name, o.Pattern)
		}
	}
	return nil
}

// reads reports whether the source would read what is written under a name, or what a sink renames
// it to.
func (o *Options) reads(name string) bool {
	folder, err := os.Stat(o.Folder)
	if err != nil {
		return false // Open says so
	}
	parent, err := os.Stat(filepath.Dir(name))
	if err != nil || !os.SameFile(folder, parent) {
		return false
	}
	base := filepath.Base(name)
	return o.matches(base) || o.matches(rotatedName(base, 1))
}

// matches reports whether a file with a name is read.
func (o *Options) matches(name string) bool {
	match, _ := filepath.Match(o.Pattern, name) // the pattern is known to be one
	return match && name[0] != '.'
}

// Source follows the files of a folder. Make it with [NewSource].
type Source struct {
	options Options
	metrics metrics
	opened  atomic.Bool
	session atomic.Pointer[session]
}

// Unit returns what positions count.
func (*Source) Unit() string { return "byte" }

// NewSource returns a source. It opens no file.
func NewSource(o Options) (*Source, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := &Source{options: o}
	s.metrics.init()
	return s, nil
}

// Open begins to follow the folder: it locks and reads the positions, looks at the folder, and
// writes the positions, so that what can't work is known before anything is read.
func (s *Source) Open(_ context.Context, f *stream.Flow) (stream.Session, error) {
	n, err := s.open(f)
	if err != nil {
		if n != nil {
			n.release()
		}
		if !s.opened.Load() || errors.Is(err, errDamaged) || errors.Is(err, wholefile.ErrBusy) {
			err = stream.Fatal(err)
		}
		return nil, err
	}
	s.opened.Store(true)
	s.session.Store(n)
	return n, nil
}

func (s *Source) open(f *stream.Flow) (*session, error) {
	info, err := os.Stat(s.options.Folder)
	switch {
	case err != nil:
		return nil, fmt.Errorf("stream: the folder that is read: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("stream: %s is not a folder (want the folder that has the files)", s.options.Folder)
	}
	lock, err := wholefile.Acquire(s.options.Positions)
	switch {
	case errors.Is(err, wholefile.ErrBusy):
		return nil, fmt.Errorf("stream: another process uses the positions %s: %w", s.options.Positions, wholefile.ErrBusy)
	case err != nil:
		return nil, fmt.Errorf("stream: the positions can't be locked: %w", err)
	}
	n := newSession(s, f, lock)
	known, err := readPositions(s.options.Positions)
	first := errors.Is(err, fs.ErrNotExist)
	if err != nil && !first {
		return n, err
	}
	n.lost = known
	if err := n.scan(time.Now(), first && s.options.AtEnd); err != nil {
		return n, err
	}
	return n, n.save()
}
