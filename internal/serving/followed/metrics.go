package followed

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// collector looks up what is known when somebody asks.
type collector struct {
	files func() []filewatch.Named

	entries, skipped, refused, failed, loaded, modified, ageMax, expires, loads, failures *prometheus.Desc
}

// Collector returns the metrics of files, whose names begin with a namespace. A file is one value
// of each, with the labels kind and name, so there are as many as the configuration names.
func Collector(namespace string, files func() []filewatch.Named) prometheus.Collector {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(namespace+"followed_file_"+name, help, []string{"kind", "name"}, nil)
	}
	return &collector{
		files:    files,
		entries:  desc("entries", "Entries of a followed file that are in use: of a list, currencies, networks, certificates, tokens."),
		skipped:  desc("skipped_entries", "Entries of the file that are left out because they are bad, and that many may be."),
		refused:  desc("refused_files", "Files of a folder that can't be used as they are now."),
		failed:   desc("failed", "Whether the file as it is now can't be used, and its last good content is."),
		loaded:   desc("loaded_timestamp_seconds", "When the content in use was loaded."),
		modified: desc("modified_timestamp_seconds", "When the content in use was made: the file's time, or what a database says of itself."),
		ageMax:   desc("age_max_seconds", "How old the content may be, for files of which that is known."),
		expires:  desc("expires_timestamp_seconds", "When the first certificate of a file ends."),
		loads:    desc("loads_total", "Times that the file was loaded."),
		failures: desc("failures_total", "Times that the file could not be loaded."),
	}
}

// Describe implements [prometheus.Collector].
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.entries, c.skipped, c.refused, c.failed, c.loaded, c.modified, c.ageMax, c.expires, c.loads, c.failures} {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *collector) Collect(out chan<- prometheus.Metric) {
	files := c.files()
	for i := range files {
		f := &files[i]
		send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64) {
			out <- prometheus.MustNewConstMetric(d, kind, v, f.Kind, f.Name)
		}
		failed := 0.0
		if f.Err != nil {
			failed = 1
		}
		send(c.entries, prometheus.GaugeValue, float64(f.Entries))
		send(c.skipped, prometheus.GaugeValue, float64(f.Skipped))
		send(c.refused, prometheus.GaugeValue, float64(f.Refused))
		send(c.failed, prometheus.GaugeValue, failed)
		send(c.loads, prometheus.CounterValue, float64(f.Loads))
		send(c.failures, prometheus.CounterValue, float64(f.Failures))
		if !f.LoadedAt.IsZero() {
			send(c.loaded, prometheus.GaugeValue, seconds(f.LoadedAt))
		}
		if !f.Modified.IsZero() {
			send(c.modified, prometheus.GaugeValue, seconds(f.Modified))
		}
		if f.MaxAge > 0 {
			send(c.ageMax, prometheus.GaugeValue, f.MaxAge.Seconds())
		}
		if !f.Expires.IsZero() {
			send(c.expires, prometheus.GaugeValue, seconds(f.Expires))
		}
	}
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
