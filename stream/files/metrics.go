package files

import "github.com/prometheus/client_golang/prometheus"

// metrics are what a source counts besides what its stream does.
type metrics struct {
	registry   *prometheus.Registry
	readErrors prometheus.Counter
}

func (m *metrics) init() {
	m.registry = prometheus.NewRegistry()
	m.readErrors = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "rtbwire_stream_file_errors_total", Help: "Files that could not be opened or read at a try.",
	})
	m.registry.MustRegister(m.readErrors)
}

// sinkMetrics are what a sink counts.
type sinkMetrics struct {
	registry               *prometheus.Registry
	records, bytes, errors prometheus.Counter
}

// init makes the counters, whose label is the name of the file.
func (m *sinkMetrics) init(path string) {
	m.registry = prometheus.NewRegistry()
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{
			Name: "rtbwire_stream_file_" + name, Help: help, ConstLabels: prometheus.Labels{"file": path},
		})
		m.registry.MustRegister(c)
		return c
	}
	m.records = counter("written_records_total", "Records that are written to a file and synced.")
	m.bytes = counter("written_bytes_total", "Bytes that are written to a file and synced.")
	m.errors = counter("write_errors_total", "Tries at which a file could not be written; its records come again.")
}

// Describe implements [prometheus.Collector].
func (s *Sink) Describe(out chan<- *prometheus.Desc) { s.metrics.registry.Describe(out) }

// Collect implements [prometheus.Collector].
func (s *Sink) Collect(out chan<- prometheus.Metric) { s.metrics.registry.Collect(out) }

var (
	gaugeFiles   = prometheus.NewDesc("rtbwire_stream_files", "Files that are followed.", nil, nil)
	gaugeRefused = prometheus.NewDesc("rtbwire_stream_files_refused", "Files that are left out because they are compressed.", nil, nil)
	gaugeOpen    = prometheus.NewDesc("rtbwire_stream_files_open", "Files that are followed and open.", nil, nil)
	gaugeLag     = prometheus.NewDesc("rtbwire_stream_file_lag_bytes", "Bytes of a file that are not delivered yet, for files that are open.", []string{"file"}, nil)
	gaugeLagAll  = prometheus.NewDesc("rtbwire_stream_files_lag_bytes", "Bytes of all files that are not delivered yet.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (s *Source) Describe(out chan<- *prometheus.Desc) {
	s.metrics.registry.Describe(out)
	for _, d := range []*prometheus.Desc{gaugeFiles, gaugeRefused, gaugeOpen, gaugeLag, gaugeLagAll} {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (s *Source) Collect(out chan<- prometheus.Metric) {
	s.metrics.registry.Collect(out)
	send := func(d *prometheus.Desc, v int64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v), labels...)
	}
	var all, many, refused, open int64
	lag := map[string]int64{}
	if n := s.session.Load(); n != nil {
		n.mu.Lock()
		for _, f := range n.files {
			if f.refused != "" {
				refused++
				continue
			}
			many++
			own := f.lag()
			all += own
			if f.file != nil {
				open++
				lag[f.entry.Name] += own
			}
		}
		n.mu.Unlock()
	}
	send(gaugeFiles, many)
	send(gaugeRefused, refused)
	send(gaugeOpen, open)
	send(gaugeLagAll, all)
	for name, own := range lag {
		send(gaugeLag, own, name)
	}
}

// lag returns how much of a file is not delivered yet.
func (f *file) lag() int64 {
	done := f.entry.Position
	if f.lane != nil {
		if at, _ := f.lane.Position(); at > done {
			done = at
		}
	}
	size := f.size
	if f.file != nil { // nobody looks at the folder while the stream waits for its destination
		if info, err := f.file.Stat(); err == nil {
			size = info.Size()
		}
	}
	return max(size-done, 0)
}
