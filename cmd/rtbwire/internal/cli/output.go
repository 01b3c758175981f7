package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rtbwire/rtbwire/internal/wholefile"
)

// Output is where a verb writes what it was asked for. Commit, or Discard, ends it.
type Output interface {
	io.Writer
	// Commit completes it.
	Commit() error
	// Discard ends it without what was written, where that can be. It does nothing after Commit.
	Discard()
}

// CreateOutput opens the file of a flag. A file has its name once it is complete: until then, one
// that was there before stays as it is. What is not a file, such as a pipe or a device, is written
// directly, and so is an open file of this process, such as /dev/stdout.
func CreateOutput(name string) (Output, error) {
	if !isDescriptor(name) {
		whole, err := wholefile.Create(name)
		if err == nil {
			return whole, nil
		}
		if !errors.Is(err, wholefile.ErrNotFile) {
			return nil, err
		}
	}
	// What another program writes to the same open file stays.
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	return &direct{f, f.Close}, nil
}

// StreamOutput returns a stream of the process, such as its standard output, which stays open.
func StreamOutput(w io.Writer) Output { return &direct{w, nil} }

// direct is an output that is there while it is written.
type direct struct {
	io.Writer
	close func() error // nil for none
}

func (d *direct) Commit() error {
	if d.close == nil {
		return nil
	}
	closing := d.close
	d.close = nil
	return closing()
}

func (d *direct) Discard() { _ = d.Commit() } // another error is the one to know

// isDescriptor reports whether a name stands for a file that a process has open. That can be a
// regular file, which has another name.
func isDescriptor(name string) bool {
	if full, err := filepath.Abs(name); err == nil {
		name = filepath.ToSlash(full)
	}
	return name == "/dev/stdout" || name == "/dev/stderr" || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/")
}
