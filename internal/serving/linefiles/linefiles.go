// Package linefiles writes lines to files of a folder: a file is completed at a size or an age, and
// the oldest files are removed so that all of them together stay below a limit.
//
// A file is written under a name that ends in .part, and gets its name when it is complete. After a
// crash the last line of a .part file may be cut, which readers of lines tolerate; a later process
// completes such files. Several processes may have the same folder.
package linefiles

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Names of files are NAME-TIME-PROCESS-NUMBER.ndjson, so that they sort by time.
const (
	nameEnd = ".ndjson"
	// PartEnd is what the name of a file has besides that is being written.
	PartEnd = ".part"
)

const nameForm = `-[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[0-9a-f]{8}-[0-9]{6,}\.ndjson(\.part)?$`

const (
	// CountMax is how many files a folder may have.
	CountMax = 10_000

	// bufferSize is how much is gathered before it is written.
	bufferSize = 64 << 10
	// retryPause is how long nothing is written after an error of the disk.
	retryPause = 5 * time.Second
)

// Output is the file that is written.
type Output interface {
	io.WriteCloser
	Truncate(size int64) error
}

// Options say where files are and how large they get.
type Options struct {
	// Folder is where files are. Name begins their names.
	Folder, Name string
	// FileMax is how long a file may be, in bytes, and AgeMax how old, before the next one begins.
	FileMax int64
	AgeMax  time.Duration
	// DiskMax is how many bytes all files in the folder may have together.
	DiskMax int64
	// What is written, for the log.
	What   string
	Logger *slog.Logger
}

// Files manages the files of a folder. One goroutine uses it; others may ask for its [Stats].
type Files struct {
	// Options are those of Open. Create makes a file, and Pause is how long nothing is written
	// after an error: tests change them.
	Options
	Create func(name string) (Output, error)
	Pause  time.Duration

	form    *regexp.Regexp
	process string // in the names
	number  int

	name  string // of the open file, without .part
	out   Output // may be nil
	size  int64  // of the file, without the buffer
	buf   []byte // whole lines
	held  uint64 // how many
	since time.Time
	retry time.Time // nothing is written before

	counts struct {
		lines, bytes, lost, removed atomic.Uint64
		files, disk                 atomic.Int64
	}
}

// Stats count what is written.
type Stats struct {
	// Lines and Bytes were written. Lost lines were not, because of errors.
	Lines, Bytes, Lost uint64
	// Files and Disk are how many files and bytes are in the folder, as of the last new file, and
	// what was written since. Removed are the files that were removed to stay below the limit.
	Files, Disk int64
	Removed     uint64
}

// Stats returns the counts since Open.
func (f *Files) Stats() Stats {
	c := &f.counts
	return Stats{c.lines.Load(), c.bytes.Load(), c.lost.Load(), c.files.Load(), c.disk.Load(), c.removed.Load()}
}

// Open makes the folder, for the user alone, and checks that files can be made in it.
func (f *Files) Open(o Options) error {
	f.Options = o
	f.Create = func(name string) (Output, error) {
		return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	}
	f.Pause = retryPause
	f.form = regexp.MustCompile("^" + regexp.QuoteMeta(o.Name) + nameForm)
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return err
	}
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails
	f.process = hex.EncodeToString(id[:])
	probe := filepath.Join(f.Folder, ".probe-"+f.process)
	out, err := f.Create(probe)
	if err != nil {
		return err
	}
	return errors.Join(out.Close(), os.Remove(probe))
}

// Ready reports whether files can be written, as far as is known.
func (f *Files) Ready(now time.Time) bool { return !now.Before(f.retry) }

// Write takes a line. It reports false if the line will not be in the file.
func (f *Files) Write(line []byte) bool {
	if f.out != nil && f.size+int64(len(f.buf)+len(line)) > f.FileMax {
		f.Finish()
	}
	if f.out == nil && !f.open() {
		return false
	}
	f.buf = append(f.buf, line...)
	f.held++
	f.counts.lines.Add(1)
	f.counts.bytes.Add(uint64(len(line)))
	if len(f.buf) >= bufferSize {
		f.flush()
	}
	return true
}

// Tick flushes, and completes a file that is old.
func (f *Files) Tick() {
	if f.out == nil {
		return
	}
	if time.Since(f.since) >= f.AgeMax {
		f.Finish()
		return
	}
	f.flush()
}

// flush writes the buffer. A file that somebody has removed, or its folder, would take all of it
// without an error, and nobody could read it.
func (f *Files) flush() {
	_, err := os.Lstat(f.name + PartEnd)
	if err == nil {
		_, err = f.out.Write(f.buf)
	}
	if err != nil {
		f.fail(err)
		return
	}
	f.size += int64(len(f.buf))
	f.counts.disk.Add(int64(len(f.buf)))
	f.empty()
}

// empty clears the buffer.
func (f *Files) empty() {
	f.buf, f.held = f.buf[:0], 0
	if cap(f.buf) > 4*bufferSize {
		f.buf = nil
	}
}

// open begins a file, after freeing disk space for it.
func (f *Files) open() bool {
	f.number++
	f.since = time.Now()
	if err := f.freeSpace(); err != nil {
		f.fail(err)
		return false
	}
	name := filepath.Join(f.Folder, fmt.Sprintf("%s-%s-%s-%06d%s", f.Name, f.since.UTC().Format("20060102T150405.000Z"), f.process, f.number, nameEnd))
	out, err := f.Create(name + PartEnd)
	if err != nil {
		f.fail(err)
		return false
	}
	f.name, f.out, f.size = name, out, 0
	return true
}

// Finish completes the file.
func (f *Files) Finish() {
	if f.out == nil {
		return
	}
	f.flush()
	if f.out == nil { // flush has failed, and done it
		return
	}
	err := f.out.Close()
	f.out = nil
	if err = errors.Join(err, os.Rename(f.name+PartEnd, f.name)); err != nil {
		f.fail(err)
	}
}

// fail gives up the file after an error: it is cut after the last line that was written, and what
// is in the buffer is lost. Nothing is written for a while.
func (f *Files) fail(err error) {
	f.retry = time.Now().Add(f.Pause)
	f.Logger.Error(f.What+" can't be written; they are left out for a while", "error", err, "pause", f.Pause)
	f.counts.lines.Add(-f.held)
	f.counts.bytes.Add(-uint64(len(f.buf)))
	f.counts.lost.Add(f.held)
	f.empty()
	if f.out == nil {
		return
	}
	_ = f.out.Truncate(f.size) // readers tolerate a line that is cut
	_ = f.out.Close()
	f.out = nil
	_ = os.Rename(f.name+PartEnd, f.name)
}

// found is a file of the folder.
type found struct {
	name string
	size int64
	part bool
}

// freeSpace removes the oldest files, so that a full one more stays below the limit. It completes
// files that a process has left that does not write any more: a file is written for ageMax at most.
func (f *Files) freeSpace() error {
	entries, err := os.ReadDir(f.Folder)
	if err != nil {
		return err
	}
	var list []found
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode()&fs.ModeType != 0 || !f.form.MatchString(e.Name()) {
			continue
		}
		own := found{e.Name(), info.Size(), strings.HasSuffix(e.Name(), PartEnd)}
		if own.part && time.Since(info.ModTime()) > f.AgeMax+time.Minute {
			full := strings.TrimSuffix(own.name, PartEnd)
			if os.Rename(filepath.Join(f.Folder, own.name), filepath.Join(f.Folder, full)) == nil {
				own.name, own.part = full, false
			}
		}
		list = append(list, own)
		total += own.size
	}
	slices.SortFunc(list, func(a, b found) int { return strings.Compare(a.name, b.name) })
	removed := 0
	for i := range list {
		if total+f.FileMax <= f.DiskMax && len(list)-removed < CountMax {
			break
		}
		if list[i].part { // another process writes it
			continue
		}
		if os.Remove(filepath.Join(f.Folder, list[i].name)) == nil {
			total -= list[i].size
			removed++
		}
	}
	f.counts.removed.Add(uint64(removed))
	f.counts.files.Store(int64(len(list) - removed + 1))
	f.counts.disk.Store(total)
	if total+f.FileMax > f.DiskMax {
		return errors.New("other processes have filled the folder up to the limit")
	}
	return nil
}
