package gateway

import "github.com/prometheus/client_golang/prometheus"

// captures are the metrics of the writer in use.
type captures struct{ g *Gateway }

var (
	captureLines   = prometheus.NewDesc(Namespace+"capture_lines_total", "Captured requests that were written.", nil, nil)
	captureBytes   = prometheus.NewDesc(Namespace+"capture_bytes_total", "Bytes of them.", nil, nil)
	captureSkipped = prometheus.NewDesc(Namespace+"capture_skipped_total", "Requests that were to be captured, and were left out.", []string{"cause"}, nil)
	captureDisk    = prometheus.NewDesc(Namespace+"capture_disk_bytes", "Bytes of all captures, when the last file was begun.", nil, nil)
	captureFiles   = prometheus.NewDesc(Namespace+"capture_files", "Files of captures.", nil, nil)
	captureRemoved = prometheus.NewDesc(Namespace+"capture_removed_total", "Files that were removed to stay below the limit.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (captures) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{captureLines, captureBytes, captureSkipped, captureDisk, captureFiles, captureRemoved} {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (c captures) Collect(out chan<- prometheus.Metric) {
	w := c.g.plan.Load().options.Capture
	if w == nil {
		return
	}
	s := w.Stats()
	send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	send(captureLines, prometheus.CounterValue, float64(s.Lines))
	send(captureBytes, prometheus.CounterValue, float64(s.Bytes))
	for cause, n := range map[string]uint64{
		"rate": s.Skipped.Rate, "queue": s.Skipped.Queue, "redact": s.Skipped.Redact, "line": s.Skipped.Line, "disk": s.Skipped.Disk, "closed": s.Skipped.Closed,
	} {
		send(captureSkipped, prometheus.CounterValue, float64(n), cause)
	}
	send(captureRemoved, prometheus.CounterValue, float64(s.Removed))
	send(captureDisk, prometheus.GaugeValue, float64(s.Disk))
	send(captureFiles, prometheus.GaugeValue, float64(s.Files))
}
