// Package capture writes a sample of a gateway's requests to files, for "rtbwire replay" and
// "rtbwire policy test".
//
//	w, err := capture.Open(capture.Options{Folder: "/var/lib/rtbwire/capture"})
//	...
//	w.Add(&capture.Request{Body: body, Facts: facts, Verdict: &verdict, Engine: engine})
//	...
//	err = w.Close(ctx) // writes what was added
//
// Add copies the request into a bounded queue and returns. If the queue is full, the request is
// left out and counted: nothing ever waits for a disk. One goroutine takes personal data out of the
// requests (package internal/record), judges what is left of them, and writes lines.
//
// Files, with their limits, are those of package internal/serving/linefiles.
//
//	capture.go  Options, Writer, Add, Close
//	keys.go     the settings
//	queue.go    what waits to be written
//	write.go    the goroutine that redacts and writes
package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/background"
	"github.com/rtbwire/rtbwire/internal/serving/linefiles"
)

// The defaults and bounds of [Options].
const (
	FileMaxDefault = 64 << 20
	DiskMaxDefault = 1 << 30
	AgeMaxDefault  = time.Hour
	RateMaxDefault = 500

	// FileMaxMin leaves room for the longest line.
	FileMaxMin = 8 << 20
	AgeMaxMin  = time.Second
	RateMaxMax = 1_000_000

	// QueueMax and QueueBytesMax bound what waits to be written.
	QueueMax      = 1024
	QueueBytesMax = 16 << 20
)

// Options say where captures go. Only Folder has no default.
type Options struct {
	// Folder is where files are. It is made if it does not exist, for the user alone.
	Folder string
	// FileMax is how long a file may be, in bytes, and AgeMax how old, before the next one begins.
	FileMax int64
	AgeMax  time.Duration
	// DiskMax is how many bytes all captures in the folder may have together.
	DiskMax int64
	// RateMax is how many requests are captured a second, at most.
	RateMax int
	// Raw keeps requests as they are, with personal data, and before any scrub.
	Raw bool
	// Logger is told about files that can't be written. Default: [slog.Default].
	Logger *slog.Logger
}

// Validate checks the options and fills in the defaults.
func (o *Options) Validate() error {
	o.FileMax = cmp.Or(o.FileMax, FileMaxDefault)
	o.DiskMax = cmp.Or(o.DiskMax, DiskMaxDefault)
	o.AgeMax = cmp.Or(o.AgeMax, AgeMaxDefault)
	o.RateMax = cmp.Or(o.RateMax, RateMaxDefault)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	switch {
	case o.Folder == "":
		return errors.New("capture: no folder")
	case o.FileMax < FileMaxMin:
		return fmt.Errorf("capture: files of %d bytes (want %d or more)", o.FileMax, FileMaxMin)
	case o.DiskMax < 2*o.FileMax:
		return fmt.Errorf("capture: %d bytes of disk for files of %d (want two of them or more)", o.DiskMax, o.FileMax)
	case o.AgeMax < AgeMaxMin:
		return fmt.Errorf("capture: files of %v (want %v or more)", o.AgeMax, AgeMaxMin)
	case o.RateMax < 0 || o.RateMax > RateMaxMax:
		return fmt.Errorf("capture: %d requests a second (want at most %d)", o.RateMax, RateMaxMax)
	}
	return nil
}

// Request is what is captured of a request. It is the caller's again when Add returns.
type Request struct {
	Body    []byte
	Facts   *inspect.Facts
	Verdict *inspect.Verdict
	// Engine is what gave the verdict.
	Engine *inspect.Engine
}

// Writer writes captures. Its methods may be called from any goroutine.
type Writer struct {
	options Options
	queue   queue
	files   linefiles.Files
	counts  counts
	loop    *background.Loop
}

// Open begins to write captures. It fails if no file can be made in the folder.
func Open(o Options) (*Writer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	w := &Writer{options: o}
	w.queue.init(o.RateMax)
	if err := w.files.Open(linefiles.Options{
		Folder: o.Folder, Name: "capture", FileMax: o.FileMax, DiskMax: o.DiskMax, AgeMax: o.AgeMax, What: "captures", Logger: o.Logger,
	}); err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	var s scribe
	w.loop = background.Start(w.queue.items, background.Writing[*item]{
		Write: func(i *item) { w.write(&s, i) }, Flush: w.files.Tick, End: w.files.Finish, Discard: w.discard,
	})
	return w, nil
}

// Options returns the options, with their defaults.
func (w *Writer) Options() Options { return w.options }

// Add captures a request, or counts it as left out. It never waits.
func (w *Writer) Add(r *Request) {
	switch {
	case w.loop.Closed():
		w.counts.closed.Add(1)
	case !w.queue.allow(time.Now()):
		w.counts.rate.Add(1)
	case !w.queue.add(r):
		w.counts.queue.Add(1)
	}
}

// Close writes what was added, and completes the file. What can't be written before the context
// ends is left out and counted. Requests that are added afterwards are left out.
func (w *Writer) Close(ctx context.Context) error {
	err := w.loop.Close(ctx)
	<-w.loop.Done()
	if err != nil {
		return fmt.Errorf("capture: requests were not written: %w", err)
	}
	return nil
}

// Stats count captured requests.
type Stats struct {
	// Lines and Bytes were written.
	Lines, Bytes uint64
	// Skipped were not written: over the rate, the queue full, personal data that could not be
	// taken out, no JSON line, an error of the disk, or after Close.
	Skipped struct{ Rate, Queue, Redact, Line, Disk, Closed uint64 }
	// Files and Disk are how many files and bytes are in the folder, as of the last new file, and
	// what was written since. Removed are the files that were removed to stay below the limit.
	Files, Disk int64
	Removed     uint64
}

type counts struct {
	rate, queue, redact, line, disk, closed atomic.Uint64
}

// Stats returns the counts since Open.
func (w *Writer) Stats() (s Stats) {
	c, f := &w.counts, w.files.Stats()
	s.Lines, s.Bytes, s.Removed, s.Files, s.Disk = f.Lines, f.Bytes, f.Removed, f.Files, f.Disk
	k := &s.Skipped
	k.Rate, k.Queue, k.Redact = c.rate.Load(), c.queue.Load(), c.redact.Load()
	k.Line, k.Disk, k.Closed = c.line.Load(), c.disk.Load()+f.Lost, c.closed.Load()
	return s
}
