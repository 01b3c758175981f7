package admin

import (
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/stream"
	"github.com/rtbwire/rtbwire/stream/files"
	"github.com/rtbwire/rtbwire/stream/kafka"
	"github.com/rtbwire/rtbwire/stream/upstream"
)

// streamSource is a stream for tests.
type streamSource struct {
	source
	gauges map[string]*prometheus.GaugeVec
}

// set sets a metric. Labels are names and values.
func (s *streamSource) set(name string, value float64, labels ...string) {
	own := prometheus.Labels{}
	var names []string
	for i := 0; i < len(labels); i += 2 {
		names = append(names, labels[i])
		own[labels[i]] = labels[i+1]
	}
	if s.gauges[name] == nil {
		s.gauges[name] = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: streamNamespace + name}, names)
		s.registry.MustRegister(s.gauges[name])
	}
	s.gauges[name].With(own).Set(value)
}

// newStreamSource returns a stream whose upstream is down.
func newStreamSource() *streamSource {
	s := &streamSource{source{registry: prometheus.NewRegistry()}, map[string]*prometheus.GaugeVec{}}
	s.set("ready", 1)
	s.set("paused", 1)
	s.set("upstream_waiting", 12)
	s.set("lag_records", 250, "topic", "bids", "partition", "3")
	s.set("lag_records", 0, "topic", "bids", "partition", "11")
	s.set("position", 1_000_000, "topic", "bids", "partition", "3")
	s.set("position", 5, "topic", "bids", "partition", "11")
	s.set("committed_offset", 999_000, "topic", "bids", "partition", "3")
	s.set("records_total", 2_000_000, "result", "accepted")
	s.set("records_total", 7, "result", "undeliverable")
	s.set("dead_letters_total", 7, "reason", "stream.undeliverable")
	return s
}

// TestLaneRows lists partitions by lag, with the rate at which they get on.
func TestLaneRows(t *testing.T) {
	t.Parallel()
	from := newStreamSource()
	at := time.Unix(1_000_000, 0)
	before := take(from.registry, at)
	from.set("position", 1_000_500, "topic", "bids", "partition", "3")
	from.set("position", 7, "topic", "bids", "partition", "12") // new, and its lag is not known
	want := []laneRow{
		{Name: "bids", Partition: "3", Lag: 250, Position: 1_000_500, Committed: 999_000, PerSecond: 50, Behind: 5},
		{Name: "bids", Partition: "11", Lag: 0, Position: 5, Committed: -1},
		{Name: "bids", Partition: "12", Lag: -1, Position: 7, Committed: -1, PerSecond: -1, Behind: -1},
	}
	past := []*sample{before}
	if got := laneRows(past, take(from.registry, at.Add(10*time.Second))); !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	// From when it is known on, there is a rate.
	past = append(past, take(from.registry, at.Add(10*time.Second)))
	from.set("position", 27, "topic", "bids", "partition", "12")
	if got := laneRows(past, take(from.registry, at.Add(15*time.Second))); got[2].PerSecond != 4 || got[0].PerSecond != 33.333 {
		t.Errorf("a new one: %+v", got)
	}
	from.set("file_lag_bytes", 77, "file", "bids")
	if got := laneRows(past[:1], before); got[0].Lag != 250 || got[0].PerSecond != -1 {
		t.Errorf("at one time: %+v", got)
	}
	if got := laneRows(past, take(from.registry, at.Add(10*time.Second))); got[0].Lag != 77 {
		t.Errorf("a file's lag: %+v", got[0])
	}
	for i := range 2 * LanesMax {
		from.set("position", 1, "topic", "many", "partition", string(rune('a'+i)))
	}
	if got := laneRows(past, take(from.registry, at)); len(got) != LanesMax {
		t.Errorf("%d rows", len(got))
	}
}

// TestEndRows says what the state of source and destinations is.
func TestEndRows(t *testing.T) {
	t.Parallel()
	from := newStreamSource()
	at := time.Unix(1_000_000, 0)
	states := func(f *Flow, change func()) (out []string) {
		before := take(from.registry, at)
		change()
		for _, e := range endRows(f, before, take(from.registry, at.Add(10*time.Second))) {
			out = append(out, e.Role+" "+e.State+" "+e.Text)
		}
		return out
	}
	toUpstream := &Flow{From: "bids", Group: "edge", Accepted: "http://127.0.0.1:9", DeadLetters: "refused", Upstream: true}
	toFiles := &Flow{From: "in/*", Accepted: "ok.ndjson", DeadLetters: "refused.ndjson", Responses: "answers.ndjson", Bytes: true}
	for _, tt := range []struct {
		name   string
		flow   *Flow
		change func()
		want   []string
	}{
		{"an upstream that is down", toUpstream, func() {}, []string{"reads good reading", "accepted bad down; 12 records wait", "dead letters good writing"}},
		{"one of them waits", toUpstream, func() { from.set("upstream_waiting", 1) }, []string{"reads good reading", "accepted bad down; 1 record wait", "dead letters good writing"}},
		{"it is back", toUpstream, func() { from.set("paused", 0) }, []string{"reads good reading", "accepted good taking records", "dead letters good writing"}},
		{"attempts fail", toUpstream, func() { from.set("upstream_attempts_total", 9, "result", "late") }, []string{"reads good reading", "accepted warn some attempts fail", "dead letters good writing"}},
		{"they have failed", toUpstream, func() {}, []string{"reads good reading", "accepted good taking records", "dead letters good writing"}},
		{"fetches fail", toUpstream, func() { from.set("fetch_errors_total", 3) }, []string{"reads warn reading, with errors", "accepted good taking records", "dead letters good writing"}},
		{"a file can't be written", toFiles, func() { from.set("file_write_errors_total", 3, "file", "refused.ndjson") },
			[]string{"reads good reading", "accepted good writing", "dead letters bad can't be written", "responses good writing"}},
		{"nothing is read", toFiles, func() { from.set("ready", 0) }, []string{"reads bad not reading", "accepted good writing", "dead letters good writing", "responses good writing"}},
	} {
		if got := states(tt.flow, tt.change); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestStreamDocument reads what the page of a stream is made of.
func TestStreamDocument(t *testing.T) {
	t.Parallel()
	from := newStreamSource()
	from.set("committed_timestamp_seconds", float64(time.Now().Add(-90*time.Second).UnixMilli())/1000)
	s := server(t, from, Options{Flow: &Flow{From: "bids", Group: "edge", Accepted: "http://127.0.0.1:9", DeadLetters: "refused", Upstream: true}})
	s.document(query{})
	s.history.add(take(from.registry, time.Now().Add(2*time.Second))) // there is a point
	d := s.document(query{})
	if d.Kind != kindStream || d.Totals["accepted"] != 2_000_000 || len(d.Lanes) != 2 || len(d.Ends) != 3 || d.Reasons[0].Reason != "stream.undeliverable" {
		t.Errorf("%+v", d)
	}
	tiles := map[string]tile{}
	for _, own := range d.Tiles {
		tiles[own.Title] = own
	}
	for _, want := range []tile{
		{"Records", "0/s", []string{"2M in all"}, stateGood}, {"Lag", "250", []string{"records", "nothing is delivered"}, stateWarn},
		{"Destination", "down", []string{"accepted: down; 12 records wait"}, stateBad},
	} {
		if got := tiles[want.Title]; !reflect.DeepEqual(got, want) {
			t.Errorf("tile %+v, want %+v", got, want)
		}
	}
	if got := tiles["Last commit"]; !strings.HasPrefix(got.Value, "1 min 3") || got.State != stateWarn {
		t.Errorf("tile %+v", got)
	}
	if len(d.Notices) != 1 || d.Notices[0].State != stateBad || !strings.Contains(d.Notices[0].Text, "12 records wait") || d.Notices[0].Place != "http://127.0.0.1:9" {
		t.Errorf("notices %+v", d.Notices)
	}
	if got := undeliverableNotices(d, numbers{"records.undeliverable": 2.5}); len(got) != 1 || got[0].State != stateWarn || !strings.Contains(got[0].Text, "2.5/s") || got[0].Place != "http://127.0.0.1:9" {
		t.Errorf("undeliverable: %+v", got)
	}
	from.stopping.Store(true)
	if n := s.document(query{}).Notices; len(n) != 2 || !strings.Contains(n[0].Text, "does not read") {
		t.Errorf("notices %+v", n)
	}
}

// TestStreamMetricsExist wants every metric that the page is made of to be one of a stream, of its
// sources and of its destinations.
func TestStreamMetricsExist(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source, err := files.NewSource(files.Options{Folder: dir, Positions: filepath.Join(t.TempDir(), "positions")})
	if err != nil {
		t.Fatal(err)
	}
	sink, err := files.NewSink(files.SinkOptions{Path: filepath.Join(t.TempDir(), "refused")})
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	to, err := upstream.New(upstream.Options{URL: "http://127.0.0.1:9"})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	own, err := stream.New(stream.Options{Source: source, Upstream: to, DeadLetters: sink})
	if err != nil {
		t.Fatal(err)
	}
	group, err := kafka.NewGroup(kafka.GroupOptions{Topics: []string{"bids"}, Group: "edge", DeadLetters: "refused", Client: nil})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []prometheus.Collector{to.Collector(), group} {
		if err := own.Register(c); err != nil {
			t.Fatal(err)
		}
	}
	body := text(t, get(t, server(t, own, Options{Flow: &Flow{}}), "/metrics"))
	for name := range streamMetrics {
		// Partitions and open files exist while something is read, reasons from the first one on.
		if slices.Contains([]string{"lag_records", "position", "committed_offset", "file_lag_bytes", "dead_letters_total"}, name) {
			continue
		}
		if !strings.Contains(body, "# TYPE "+streamNamespace+name+" ") {
			t.Errorf("no %s", name)
		}
	}
}

// waiting is a stream that does not read.
type waiting struct{ *source }

func (waiting) NotReady() string { return "it begins again after a failure; the log has the error" }

// TestNotReady: a stream that does not read says why, to probes and on the page.
func TestNotReady(t *testing.T) {
	t.Parallel()
	s := server(t, waiting{newSource()}, Options{Flow: &Flow{From: "bids"}})
	why := waiting{}.NotReady()
	if r := get(t, s, "/readyz"); r.StatusCode != http.StatusServiceUnavailable || text(t, r) != why+"\n" {
		t.Errorf("/readyz: %s", r.Status)
	}
	if r := get(t, s, "/healthz"); r.StatusCode != http.StatusOK {
		t.Errorf("/healthz: %s", r.Status) // else it would be started again, to no end
	}
	if d := s.document(query{}); d.Ready || d.NotReady != why || len(d.Notices) == 0 || d.Notices[0].Kind != "reads" || !strings.Contains(d.Notices[0].Text, why) {
		t.Errorf("ready %v %q, notices %+v", d.Ready, d.NotReady, d.Notices)
	}
}
