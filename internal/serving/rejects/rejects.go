// Package rejects keeps the last refused requests of a gateway or stream, its reasons and its
// configuration, for the admin port (package internal/serving/admin).
package rejects

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Source is a consumer of requests.
type Source interface {
	// Ready reports whether requests should be sent.
	Ready() bool
	// Collector returns the metrics. The page for operators is made of them, by the names that
	// docs/gateway.md has; what a source does not count is missing there.
	Collector() prometheus.Collector
	// Configuration says which configuration is in use.
	Configuration() Configuration
	// Rejects returns the last refused requests, the latest first.
	Rejects() []Reject
}

// CandidateSource is a [Source] that may compare a second configuration with the live one.
type CandidateSource interface {
	// Candidate says which one, nil if there is none.
	Candidate() *Configuration
}

// WaitingSource is a [Source] that may not be ready for other reasons than that it stops.
type WaitingSource interface {
	// NotReady says why, "" if it is ready.
	NotReady() (why string)
}

// NotReady says why a source is not ready, "" if it is.
func NotReady(s Source) (why string) {
	if w, ok := s.(WaitingSource); ok {
		return w.NotReady()
	}
	if s.Ready() {
		return ""
	}
	return "stopping"
}

// Configuration is about the configuration in use.
type Configuration struct {
	// Generation counts the configurations since the start. The first is 1.
	Generation int `json:"generation"`
	// Loaded is when this one was put in use.
	Loaded time.Time `json:"loaded"`
	// Failed is when a later one could not be loaded, and Problem why; zero and "" if the last one
	// is in use.
	Failed  time.Time `json:"failed,omitzero"`
	Problem string    `json:"problem,omitempty"`
}
