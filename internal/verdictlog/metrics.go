package verdictlog

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/internal/serving/linefiles"
)

type counts struct {
	lines, bytes, queue, line, write, closed atomic.Uint64
}

// Stats count verdicts.
type Stats struct {
	// Lines and Bytes were written, or given to the brokers.
	Lines, Bytes uint64
	// Skipped were not written: the queue was full, the line too long, it could not be written, or
	// the writer was closed.
	Skipped struct{ Queue, Line, Write, Closed uint64 }
	// Files are those of the folder, nil if there is none.
	Files *linefiles.Stats
}

// Stats returns the counts since Open.
func (w *Writer) Stats() (s Stats) {
	c, k := &w.counts, &s.Skipped
	lost := w.sink.Lost()
	taken := c.lines.Load()
	s.Lines, s.Bytes = taken-min(lost, taken), c.bytes.Load() // a line may be lost before it is counted
	k.Queue, k.Line, k.Write, k.Closed = c.queue.Load(), c.line.Load(), c.write.Load()+lost, c.closed.Load()
	if f, ok := w.sink.(*files); ok {
		own := f.Stats()
		s.Files = &own
	}
	return s
}

// Collector has the metrics of the writer in use.
type Collector struct {
	writer                                       func() *Writer
	lines, bytes, skipped, files, disk, fileGone *prometheus.Desc
}

// NewCollector returns a collector, whose metrics begin with a namespace. The writer may be nil.
func NewCollector(namespace string, writer func() *Writer) *Collector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(namespace+"verdict_log_"+name, help, labels, nil)
	}
	return &Collector{
		writer: writer, lines: desc("lines_total", "Verdicts that were written."), bytes: desc("bytes_total", "Bytes of them."),
		skipped:  desc("skipped_total", "Verdicts that were to be written, and were left out.", "cause"),
		files:    desc("files", "Files of verdicts."),
		disk:     desc("disk_bytes", "Bytes of all files of verdicts, when the last one was begun, and of what was written since."),
		fileGone: desc("removed_total", "Files that were removed to stay below the limit."),
	}
}

// Describe implements [prometheus.Collector].
func (c *Collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.lines, c.bytes, c.skipped, c.files, c.disk, c.fileGone} {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	w := c.writer()
	if w == nil {
		return
	}
	s := w.Stats()
	send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	send(c.lines, prometheus.CounterValue, float64(s.Lines))
	send(c.bytes, prometheus.CounterValue, float64(s.Bytes))
	k := &s.Skipped
	for cause, n := range map[string]uint64{"queue": k.Queue, "line": k.Line, "write": k.Write, "closed": k.Closed} {
		send(c.skipped, prometheus.CounterValue, float64(n), cause)
	}
	if s.Files != nil {
		send(c.files, prometheus.GaugeValue, float64(s.Files.Files))
		send(c.disk, prometheus.GaugeValue, float64(s.Files.Disk))
		send(c.fileGone, prometheus.CounterValue, float64(s.Files.Removed))
	}
}
