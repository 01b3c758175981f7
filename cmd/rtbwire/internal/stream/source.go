package stream

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/gateway/live"
	"github.com/rtbwire/rtbwire/stream"
)

// source is what the port of administration shows of a stream.
type source struct {
	*stream.Stream

	mu  sync.Mutex
	now live.Configuration
}

func newSource(s *stream.Stream) *source {
	return &source{Stream: s, now: live.Configuration{Generation: 1, Loaded: time.Now()}}
}

// Configuration says which configuration is in use.
func (s *source) Configuration() live.Configuration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// loaded notes a configuration that was loaded again.
func (s *source) loaded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = live.Configuration{Generation: s.now.Generation + 1, Loaded: time.Now()}
}

// failed notes one that could not be.
func (s *source) failed(problem string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Failed, s.now.Problem = time.Now(), problem[:min(len(problem), problemMax)]
}

// problemMax is how much of a problem is kept, in bytes.
const problemMax = 4096

// Rejects returns the last refused records.
func (s *source) Rejects() []live.Reject { return []live.Reject{} }

// notPaused is the metric of an upstream that is down, where there is none.
var notPaused = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
	Name: "rtbwire_stream_paused", Help: "Whether the upstream counts as down, and records wait for it.",
}, func() float64 { return 0 })
