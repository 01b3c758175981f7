package capture

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Names of files are capture-TIME-PROCESS-NUMBER.ndjson, so that they sort by time.
const (
	namePrefix = "capture-"
	nameEnd    = ".ndjson"
	partEnd    = ".part"
)

var nameForm = regexp.MustCompile(`^capture-[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[0-9a-f]{8}-[0-9]{6,}\.ndjson(\.part)?$`)

// bufferSize is how much is gathered before it is written.
const bufferSize = 64 << 10

// output is the file that is written.
type output interface {
	io.WriteCloser
	Truncate(size int64) error
}

// files manages the files of a folder. One goroutine uses it.
type files struct {
	folder  string
	fileMax int64
	diskMax int64
	ageMax  time.Duration
	process string // in the names
	number  int
	create  func(name string) (output, error)

	name  string // of the open file, without .part
	out   output // may be nil
	size  int64  // of the file, without the buffer
	buf   []byte // whole lines
	held  uint64 // how many
	since time.Time
	retry time.Time // nothing is written before
	pause time.Duration
}

// init prepares the folder: it completes what processes have left, and checks that files can be
// made.
func (f *files) init(o *Options) error {
	f.folder, f.fileMax, f.diskMax, f.ageMax = o.Folder, o.FileMax, o.DiskMax, o.AgeMax
	f.create = func(name string) (output, error) {
		return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	}
	f.pause = retryPause
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails
	f.process = hex.EncodeToString(id[:])
	probe := filepath.Join(f.folder, ".probe-"+f.process)
	out, err := f.create(probe)
	if err != nil {
		return err
	}
	return errors.Join(out.Close(), os.Remove(probe))
}

// ready reports whether files can be written, as far as is known.
func (f *files) ready(now time.Time) bool { return !now.Before(f.retry) }

// write takes a line. It reports false if the line will not be in the file.
func (f *files) write(w *Writer, line []byte) bool {
	if f.out != nil && f.size+int64(len(f.buf)+len(line)) > f.fileMax {
		f.finish(w)
	}
	if f.out == nil && !f.open(w) {
		return false
	}
	f.buf = append(f.buf, line...)
	f.held++
	w.counts.lines.Add(1)
	w.counts.bytes.Add(uint64(len(line)))
	if len(f.buf) >= bufferSize {
		f.flush(w)
	}
	return true
}

// tick flushes, and completes a file that is old.
func (f *files) tick(w *Writer) {
	if f.out == nil {
		return
	}
	if time.Since(f.since) >= f.ageMax {
		f.finish(w)
		return
	}
	f.flush(w)
}

// flush writes the buffer.
func (f *files) flush(w *Writer) {
	if _, err := f.out.Write(f.buf); err != nil {
		f.fail(w, err)
		return
	}
	f.size += int64(len(f.buf))
	w.counts.size.Add(int64(len(f.buf)))
	f.empty()
}

// empty clears the buffer.
func (f *files) empty() {
	f.buf, f.held = f.buf[:0], 0
	if cap(f.buf) > 4*bufferSize {
		f.buf = nil
	}
}

// open begins a file, after freeing disk space for it.
func (f *files) open(w *Writer) bool {
	f.number++
	f.since = time.Now()
	if err := f.freeSpace(w); err != nil {
		f.fail(w, err)
		return false
	}
	name := filepath.Join(f.folder, fmt.Sprintf("%s%s-%s-%06d%s", namePrefix, f.since.UTC().Format("20060102T150405.000Z"), f.process, f.number, nameEnd))
	out, err := f.create(name + partEnd)
	if err != nil {
		f.fail(w, err)
		return false
	}
	f.name, f.out, f.size = name, out, 0
	return true
}

// finish completes the file.
func (f *files) finish(w *Writer) {
	if f.out == nil {
		return
	}
	f.flush(w)
	if f.out == nil { // flush has failed, and done it
		return
	}
	err := f.out.Close()
	f.out = nil
	if err = errors.Join(err, os.Rename(f.name+partEnd, f.name)); err != nil {
		f.fail(w, err)
	}
}

// fail gives up the file after an error: it is cut after the last line that was written, and what
// is in the buffer is lost. Nothing is written for a while.
func (f *files) fail(w *Writer, err error) {
	f.retry = time.Now().Add(f.pause)
	w.options.Logger.Error("captures can't be written; requests are left out for a while", "error", err, "pause", f.pause)
	w.counts.lines.Add(-f.held)
	w.counts.bytes.Add(-uint64(len(f.buf)))
	w.counts.disk.Add(f.held)
	f.empty()
	if f.out == nil {
		return
	}
	_ = f.out.Truncate(f.size) // readers tolerate a line that is cut
	_ = f.out.Close()
	f.out = nil
	_ = os.Rename(f.name+partEnd, f.name)
}

// found is a file of the folder.
type found struct {
	name string
	size int64
	part bool
}

// freeSpace removes the oldest files, so that a full one more stays below the limit. It completes
// files that a process has left that does not write any more: a file is written for ageMax at most.
func (f *files) freeSpace(w *Writer) error {
	entries, err := os.ReadDir(f.folder)
	if err != nil {
		return err
	}
	var list []found
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode()&fs.ModeType != 0 || !nameForm.MatchString(e.Name()) {
			continue
		}
		own := found{e.Name(), info.Size(), strings.HasSuffix(e.Name(), partEnd)}
		if own.part && time.Since(info.ModTime()) > f.ageMax+time.Minute {
			full := strings.TrimSuffix(own.name, partEnd)
			if os.Rename(filepath.Join(f.folder, own.name), filepath.Join(f.folder, full)) == nil {
				own.name, own.part = full, false
			}
		}
		list = append(list, own)
		total += own.size
	}
	slices.SortFunc(list, func(a, b found) int { return strings.Compare(a.name, b.name) })
	removed := 0
	for i := range list {
		if total+f.fileMax <= f.diskMax && len(list)-removed < FilesMax {
			break
		}
		if list[i].part { // another process writes it
			continue
		}
		if os.Remove(filepath.Join(f.folder, list[i].name)) == nil {
			total -= list[i].size
			removed++
		}
	}
	w.counts.removed.Add(uint64(removed))
	w.counts.files.Store(int64(len(list) - removed + 1))
	w.counts.size.Store(total)
	if total+f.fileMax > f.diskMax {
		return errors.New("other processes have filled the folder up to the limit")
	}
	return nil
}
