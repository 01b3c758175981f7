package admin

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// source is a consumer of requests for tests.
type source struct {
	registry *prometheus.Registry
	stopping atomic.Bool
	rejects  rejects.Ring
	requests *prometheus.CounterVec
	reasons  *prometheus.CounterVec
	partners *prometheus.CounterVec
	times    prometheus.Histogram
}

func newSource() *source {
	s := &source{registry: prometheus.NewRegistry()}
	s.requests = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rtbwire_gateway_requests_total"}, []string{"request_type", "request_status"})
	s.reasons = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rtbwire_gateway_rejected_total"}, []string{"reason", "partner"})
	s.partners = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rtbwire_gateway_partner_requests_total"}, []string{"partner", "request_status"})
	s.times = prometheus.NewHistogram(prometheus.HistogramOpts{Name: "rtbwire_gateway_request_time_seconds", Buckets: []float64{0.001, 0.01, 0.1}})
	s.registry.MustRegister(s.requests, s.reasons, s.partners, s.times)
	return s
}

func (s *source) Ready() bool                     { return !s.stopping.Load() }
func (s *source) Collector() prometheus.Collector { return s.registry }
func (s *source) Rejects() []rejects.Reject       { return s.rejects.List() }
func (s *source) Configuration() rejects.Configuration {
	return rejects.Configuration{Generation: 1, Loaded: time.Unix(1_000_000, 0).UTC()}
}

// server returns a server of administration.
func server(t *testing.T, from rejects.Source, o Options) *Server {
	t.Helper()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s, err := New(from, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// get asks for a page. Headers are names and values; Host is one of them.
func get(t *testing.T, s *Server, path string, headers ...string) *http.Response {
	t.Helper()
	return ask(t, s, httptest.NewRequest(http.MethodGet, path, nil), headers...)
}

func ask(t *testing.T, s *Server, r *http.Request, headers ...string) *http.Response {
	t.Helper()
	r.Host = "127.0.0.1:8081"
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w.Result()
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const goodToken = "0123456789abcdef"

// all are the paths of the port.
var all = strings.Fields("/ /live /metrics /version /config /rejects /debug/pprof/ /debug/pprof/cmdline /debug/pprof/symbol /page/app.js")

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
