package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	prom "github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/rtbwire/rtbwire/internal/serving/tracing"
)

// numbers returns the values of all counters, by name and value of the label.
func numbers(t *testing.T, of *Telemetry) map[string]float64 {
	t.Helper()
	registry := prom.NewRegistry()
	if err := of.Register(registry.Register); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			all[f.GetName()+label(m)] = m.GetCounter().GetValue()
		}
	}
	return all
}

func label(m *dto.Metric) string {
	if len(m.Label) == 0 {
		return ""
	}
	return " " + m.Label[0].GetValue()
}

// twoSpans returns a trace with two spans.
func twoSpans() *tracing.Trace {
	s := tracing.Sampling{Share: 1}
	c, _ := s.Begin(nil, 0)
	now := time.Now()
	one := &tracing.Trace{Context: *c, Root: tracing.Span{Name: "root", Kind: tracing.Server, Began: now, Ended: now}}
	one.Stage("inside", now, now)
	return one
}

func noEnvironment(string) string { return "" }

// TestHangs has a collector that does not answer: nobody waits, what has no room is dropped, and
// every span is counted once.
func TestHangs(t *testing.T) {
	t.Parallel()
	answer := make(chan struct{})
	to := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-answer }))
	defer to.Close()
	of, err := Open(Options{Settings: tracing.Settings{Endpoint: to.URL}, Namespace: "x_", Log: slog.New(slog.DiscardHandler)}, noEnvironment)
	if err != nil {
		t.Fatal(err)
	}
	const sent = 3 * QueueMax
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range sent / 3 {
				of.Take(twoSpans())
			}
		})
	}
	all.Wait() // while the collector hangs
	before := numbers(t, of)["x_telemetry_spans_dropped_total queue"]
	if before == 0 || before > 2*sent {
		t.Errorf("%v spans are dropped, of %d", before, 2*sent)
	}
	close(answer)
	if err := of.Close(t.Context()); err != nil {
		t.Error(err)
	}
	n := numbers(t, of)
	if total := n["x_telemetry_spans_sent_total"] + n["x_telemetry_spans_dropped_total queue"] + n["x_telemetry_spans_dropped_total export"]; total != 2*sent || n["x_telemetry_spans_sent_total"] == 0 {
		t.Errorf("%v, want %d spans in all", n, 2*sent)
	}
	of.Take(twoSpans()) // after the end nobody waits either
}

// TestClose gives up what can't be sent when its time is over, and says so.
func TestClose(t *testing.T) {
	t.Parallel()
	answer := make(chan struct{})
	to := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-answer:
		case <-r.Context().Done():
		}
	}))
	defer to.Close()
	defer close(answer)
	of, err := Open(Options{Settings: tracing.Settings{Endpoint: to.URL, Metrics: time.Hour}, Namespace: "x_", Log: slog.New(slog.DiscardHandler)}, noEnvironment)
	if err != nil {
		t.Fatal(err)
	}
	if err := of.SendMetrics(prom.NewRegistry()); err != nil {
		t.Fatal(err)
	}
	of.Take(twoSpans())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := of.Close(ctx); err == nil {
		t.Error("all was sent to a collector that does not answer")
	}
	if n := numbers(t, of); n["x_telemetry_spans_dropped_total export"] != 2 {
		t.Errorf("%v", n)
	}
}

// TestOff sends nothing without an endpoint, or if the environment says so. Everything may be
// called all the same.
func TestOff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		endpoint, disabled string
	}{{"", ""}, {"http://127.0.0.1:9", "true"}} {
		of, err := Open(Options{Settings: tracing.Settings{Endpoint: tt.endpoint, Metrics: time.Second}, Log: slog.New(slog.DiscardHandler)}, func(string) string { return tt.disabled })
		if of != nil || err != nil || of.Tracer() != nil {
			t.Errorf("%+v: %v, %v", tt, of, err)
		}
		if err := of.SendMetrics(nil); err != nil {
			t.Error(err)
		}
		if err := of.Register(nil); err != nil {
			t.Error(err)
		}
		if err := of.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
