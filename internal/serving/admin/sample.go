package admin

import (
	"maps"
	"math"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/rtbwire/rtbwire/internal/serving/candidate"
)

// sample is what all metrics were at a time.
type sample struct {
	at       time.Time
	families map[string]*dto.MetricFamily
}

// take reads all metrics. Those that can't be read are missing.
func take(from prometheus.Gatherer, at time.Time) *sample {
	s := &sample{at, map[string]*dto.MetricFamily{}}
	families, _ := from.Gather() // /metrics says what is wrong
	for _, f := range families {
		name := strings.TrimPrefix(strings.TrimPrefix(f.GetName(), namespace), streamNamespace)
		if used[name] { // several samples are kept
			s.families[name] = f
		}
	}
	return s
}

// namespace begins the names of a gateway's metrics, streamNamespace those of a stream's.
const (
	namespace       = "rtbwire_gateway_"
	streamNamespace = "rtbwire_stream_"
)

// used are the metrics that the pages are made of, without the namespace: those of both, those of
// a gateway and those of a stream.
var used = union(sharedMetrics, gatewayMetrics, streamMetrics)

var sharedMetrics = map[string]bool{
	"shadow_rejected_total": true, "would_refuse_total": true, "judged_total": true, "rule_errors_total": true, "findings_total": true,
	MetricRefused: true, MetricClockJumps: true,
	"verdict_log_skipped_total": true, "telemetry_spans_dropped_total": true, "telemetry_metrics_exports_total": true,
	candidate.MetricRequests: true, candidate.MetricChanges: true,
	"process_resident_memory_bytes": true, "process_cpu_seconds_total": true, "go_memstats_heap_inuse_bytes": true, "go_goroutines": true,
}

var gatewayMetrics = map[string]bool{
	"requests_total": true, "partner_requests_total": true, "rejected_total": true,
	"request_time_seconds": true, "stage_time_seconds": true,
	"requests_in_flight": true, "requests_in_flight_limit": true, "requests_in_flight_max": true, "requests_read_bytes_max": true,
	"connections_open": true, "connections_max": true,
	"upstream_addresses": true, "upstream_resolve_failures_total": true, "vendor_open": true, "overrides_unsaved": true, "capture_skipped_total": true, "responses_total": true,
	"upstream_in_flight": true, "upstream_healthy": true, "upstream_drained": true, "upstream_connections": true, "upstream_requests_total": true, "upstream_failures_total": true,
}

var streamMetrics = map[string]bool{
	"ready": true, "records_total": true, "dead_letters_total": true, "read_bytes_total": true, "in_flight_bytes": true, "in_flight_bytes_max": true,
	"lag_records": true, "position": true, "committed_offset": true, "committed_timestamp_seconds": true, "fetch_errors_total": true, "responses_total": true,
	"paused": true, "upstream_attempts_total": true, "upstream_time_seconds": true, "upstream_waiting": true,
	"files_lag_bytes": true, "file_lag_bytes": true, "file_errors_total": true, "file_write_errors_total": true, "files_refused": true, "restarts_total": true, "commits_total": true,
}

func union(sets ...map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}

// labelled is a value with its labels.
type labelled struct {
	labels []*dto.LabelPair
	value  float64
}

// label returns the value of a label, "" if it is missing.
func (l *labelled) label(name string) string { return labelOf(l.labels, name) }

func labelOf(labels []*dto.LabelPair, name string) string {
	for _, p := range labels {
		if p.GetName() == name {
			return p.GetValue()
		}
	}
	return ""
}

// all returns the values of a metric.
func (s *sample) all(name string) (list []labelled) {
	for _, m := range s.families[name].GetMetric() {
		v := m.GetCounter().GetValue() + m.GetGauge().GetValue() // one of which is missing
		list = append(list, labelled{m.GetLabel(), v})
	}
	return list
}

// sum returns the sum of a metric's values where a label has a value; of all if the label is "".
func (s *sample) sum(name, label, value string) (sum float64) {
	for _, l := range s.all(name) {
		if label == "" || l.label(label) == value {
			sum += l.value
		}
	}
	return sum
}

// histogram returns a histogram, or nil.
func (s *sample) histogram(name, label, value string) *dto.Histogram {
	for _, m := range s.families[name].GetMetric() {
		if label == "" || labelOf(m.GetLabel(), label) == value {
			return m.GetHistogram()
		}
	}
	return nil
}

// quantile estimates a quantile of what was observed between two states of a histogram, in its
// unit: evenly spread within each bucket. NaN means that nothing was.
func quantile(q float64, before, after *dto.Histogram) float64 {
	old := before.GetBucket()
	count := func(i int) float64 {
		n := float64(after.GetBucket()[i].GetCumulativeCount())
		if i < len(old) {
			n -= float64(old[i].GetCumulativeCount())
		}
		return n
	}
	total := float64(after.GetSampleCount()) - float64(before.GetSampleCount())
	if total <= 0 {
		return math.NaN()
	}
	rank, below, from := q*total, 0.0, 0.0
	for i, b := range after.GetBucket() {
		n, to := count(i), b.GetUpperBound()
		if n >= rank && n > below && !math.IsInf(to, 1) {
			return from + (to-from)*(rank-below)/(n-below)
		}
		below, from = n, to
	}
	return from // more than the last bound
}
