// Package verdictlog writes what was decided about requests: a line of JSON for each, with the
// columns of the table that "rtbwire check --format parquet" writes ([batch.Row]) and the time. A
// line has no personal data.
//
//	w, err := verdictlog.Open(verdictlog.Options{...})
//	gateway.Options{VerdictLog: w, ...}
//	...
//	err = w.Close(ctx) // writes what was added
//
// Add makes the row, puts it into a bounded queue and returns. If the queue is full, the row is
// left out and counted: nothing ever waits for a disk or a broker. One goroutine writes lines.
//
//	verdictlog.go  Options, Writer
//	keys.go        the settings
//	queue.go       what waits to be written
//	line.go        rows become lines
//	output.go      files, and standard output
//	metrics.go     what is counted
package verdictlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/background"
	"github.com/rtbwire/rtbwire/internal/serving/judged"
)

// To says where verdicts go.
type To string

// The places.
const (
	Nowhere To = ""
	Files   To = "files"
	Stdout  To = "stdout"
	Kafka   To = "kafka"
)

// The defaults and bounds of [Options].
const (
	FileMaxDefault = 64 << 20
	DiskMaxDefault = 1 << 30
	AgeMaxDefault  = time.Hour

	// FileMaxMin leaves room for the longest line.
	FileMaxMin = 1 << 20
	AgeMaxMin  = time.Second

	// QueueMax and QueueBytesMax bound what waits to be written.
	QueueMax      = 8192
	QueueBytesMax = 16 << 20
	// LineMax is how long a line may be. Longer ones are left out.
	LineMax = 512 << 10
)

// Settings are what a configuration says about the log.
type Settings struct {
	To To
	// Share of the requests that are forwarded is logged, and Refused of those that are refused or
	// would be; by a hash of the request's id.
	Share, Refused float64
	// Folder has the files, whose limits FileMax, AgeMax and DiskMax are.
	Folder  string
	FileMax int64
	AgeMax  time.Duration
	DiskMax int64
	// Topic is the topic of Kafka.
	Topic string
}

// Options say what is logged, and where.
type Options struct {
	Settings
	// Sink takes lines in place of files: standard output, or a topic.
	Sink Sink
	// Logger is told about lines that can't be written. Default: [slog.Default].
	Logger *slog.Logger
}

// Sink takes lines. One goroutine uses it.
type Sink interface {
	// Write takes a line, which ends with a line feed and is the caller's again when Write returns.
	// It reports false if the line was not taken.
	Write(line []byte) bool
	// Flush is called now and then, and at the end.
	Flush()
	// Lost returns how many lines were taken and not written.
	Lost() uint64
	// Close ends the sink. It waits for what is under way until the context ends.
	Close(ctx context.Context) error
}

// Validate checks the settings and fills in the defaults.
func (s *Settings) Validate() error {
	s.FileMax = cmp.Or(s.FileMax, FileMaxDefault)
	s.DiskMax = cmp.Or(s.DiskMax, DiskMaxDefault)
	s.AgeMax = cmp.Or(s.AgeMax, AgeMaxDefault)
	switch {
	case s.Share < 0 || s.Share > 1 || s.Refused < 0 || s.Refused > 1:
		return fmt.Errorf("verdict log: the shares %v and %v (want numbers from 0 to 1)", s.Share, s.Refused)
	case s.To == Kafka && s.Topic == "":
		return errors.New("verdict log: it goes to Kafka, and there is no topic (verdict_log.topic)")
	case s.Topic != "" && (s.To == Stdout || s.To == Files):
		return fmt.Errorf("verdict log: it goes to %s, and there is a topic (verdict_log.topic), which is for kafka", s.To)
	case s.Folder != "" && (s.To == Stdout || s.To == Kafka):
		return fmt.Errorf("verdict log: it goes to %s, and there is a folder (verdict_log.folder), which is for files", s.To)
	case s.To != Files:
		return nil
	case s.Folder == "":
		return errors.New("verdict log: it goes to files, and there is no folder (verdict_log.folder)")
	case s.FileMax < FileMaxMin:
		return fmt.Errorf("verdict log: files of %d bytes (want %d or more)", s.FileMax, FileMaxMin)
	case s.DiskMax < 2*s.FileMax:
		return fmt.Errorf("verdict log: %d bytes of disk for files of %d (want two of them or more)", s.DiskMax, s.FileMax)
	case s.AgeMax < AgeMaxMin:
		return fmt.Errorf("verdict log: files of %v (want %v or more)", s.AgeMax, AgeMaxMin)
	}
	return nil
}

// Writer writes verdicts. Its methods may be called from any goroutine.
type Writer struct {
	options Options
	sink    Sink
	queue   queue
	counts  counts
	loop    *background.Loop
}

// Open begins to write verdicts. To files, it fails if no file can be made in the folder.
func Open(o Options) (*Writer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	w := &Writer{options: o, sink: o.Sink}
	w.queue.items = make(chan *item, QueueMax)
	if o.To == Files {
		files, err := newFiles(&o)
		if err != nil {
			return nil, fmt.Errorf("verdict log: %w", err)
		}
		w.sink = files
	}
	if w.sink == nil {
		return nil, fmt.Errorf("verdict log: nothing writes to %s", o.To)
	}
	var line lineMaker
	w.loop = background.Start(w.queue.items, background.Writing[*item]{
		Write: func(i *item) { w.write(&line, i) }, Flush: w.sink.Flush, End: w.sink.Flush, Discard: w.discard,
	})
	return w, nil
}

// OpenTo begins to write verdicts to out, whose errors are logged and counted.
func OpenTo(out io.Writer, o Options) (*Writer, error) {
	o.Sink = newStdout(out, o.Logger)
	return Open(o)
}

// Add implements [judged.Log].
func (w *Writer) Add(r judged.Request) {
	share := w.options.Share
	if r.Verdict.Action == inspect.ActionRefuse || r.Verdict.WouldRefuse().Action == inspect.ActionRefuse {
		share = w.options.Refused
	}
	switch {
	case share <= 0, share < 1 && inspect.SampleOf(r.Request, r.Body) >= share:
	case w.loop.Closed():
		w.counts.closed.Add(1)
	case !w.queue.add(&r):
		w.counts.queue.Add(1)
	}
}

// Close writes what was added. What can't be written before the context ends is left out and
// counted. Requests that are added afterwards are left out.
func (w *Writer) Close(ctx context.Context) error {
	if w.loop.Closed() {
		return w.loop.Close(ctx)
	}
	if err := w.loop.Close(ctx); err != nil {
		// A write that hangs, to a pipe that nobody reads, is not waited for.
		return fmt.Errorf("verdict log: verdicts were not written: %w", err)
	}
	if err := w.sink.Close(ctx); err != nil {
		return fmt.Errorf("verdict log: %w", err)
	}
	return nil
}

// discard counts an item that is given up.
func (w *Writer) discard(i *item) {
	w.counts.closed.Add(1)
	w.queue.taken(i)
}

// write writes an item.
func (w *Writer) write(m *lineMaker, i *item) {
	text, err := m.line(i)
	w.queue.taken(i)
	switch {
	case err != nil || len(text) > LineMax:
		w.counts.line.Add(1)
	case !w.sink.Write(text):
		w.counts.write.Add(1)
	default:
		w.counts.lines.Add(1)
		w.counts.bytes.Add(uint64(len(text)))
	}
}
