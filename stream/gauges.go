package stream

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

// gauges are numbers that are looked up when somebody asks.
type gauges struct{ s *Stream }

// gaugeDescs are all of them.
var gaugeDescs []*prometheus.Desc

func gauge(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc(Namespace+name, help, labels, nil)
	gaugeDescs = append(gaugeDescs, d)
	return d
}

var (
	gaugeReady       = gauge("ready", "Whether the stream reads: it is a member of its group, or the folder can be read.")
	gaugePartitions  = gauge("partitions", "Partitions that this member has.")
	gaugeLag         = gauge("lag_records", "Records of a partition that are not delivered yet.", "topic", "partition")
	gaugePosition    = gauge("position", "The end of the delivered records of a partition without a gap.", "topic", "partition")
	gaugeCommitted   = gauge("committed_offset", "The committed offset of a partition.", "topic", "partition")
	gaugeInFlight    = gauge("in_flight_bytes", "Bytes of records that were read and are not delivered yet.")
	gaugeInFlightMax = gauge("in_flight_bytes_max", "The limit on them, at which reading pauses.")
	gaugeLoaded      = gauge("config_loaded_timestamp_seconds", "When the configuration in use was loaded.")
	gaugeGeneration  = gauge("config_generation", "Configurations since the start. The first is 1.")
	gaugeFailed      = gauge("config_failed", "Whether a later configuration could not be loaded.")
	countForgotten   = gauge("window_forgotten_total", "Entries that windows have removed early, because a table is full.", "partner", "table")
)

// Describe implements [prometheus.Collector].
func (gauges) Describe(out chan<- *prometheus.Desc) {
	for _, d := range gaugeDescs {
		out <- d
	}
}

// windowOthers is the value of the label partner for the tables that partners share.
const windowOthers = "(others)"

// Collect implements [prometheus.Collector].
func (g gauges) Collect(out chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	s := g.s
	config := s.Configuration()
	send(gaugeReady, asFloat(s.Ready()))
	send(gaugeGeneration, float64(config.Generation))
	send(gaugeLoaded, float64(config.Loaded.UnixMilli())/1000)
	send(gaugeFailed, asFloat(config.Problem != ""))
	send(gaugeInFlightMax, float64(s.options.MaxInFlight))
	var assigned []places
	inFlight := 0
	if f := s.flow.Load(); f != nil {
		assigned, inFlight = placesOf(f.Lanes()), f.budget.inUse()
	}
	send(gaugePartitions, float64(len(assigned)))
	send(gaugeInFlight, float64(inFlight))
	if last := s.last.Load(); s.flow.Load() == nil && last != nil { // records wait for the next session
		assigned = *last
	}
	for _, l := range assigned {
		number := strconv.Itoa(int(l.id.Number))
		if l.lag >= 0 {
			send(gaugeLag, float64(l.lag), l.id.Name, number)
		}
		if l.position >= 0 {
			send(gaugePosition, float64(l.position), l.id.Name, number)
		}
		if l.committed >= 0 {
			send(gaugeCommitted, float64(l.committed), l.id.Name, number)
		}
	}
	windows := s.judging.Load().Windows
	if windows == nil {
		return
	}
	for _, name := range append(windows.Partners(), "") {
		f := windows.Stats(name).Forgotten
		if name == "" {
			name = windowOthers
		}
		for table, n := range map[string]uint64{"ifas": f.IFAs, "addresses": f.Addresses, "ids": f.IDs} {
			out <- prometheus.MustNewConstMetric(countForgotten, prometheus.CounterValue, float64(n), name, table)
		}
	}
}

func asFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
