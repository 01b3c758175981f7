package stream

import (
	"sync"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// Judging is what verdicts are made of. The fields are those of [Options].
type Judging struct {
	Engine      *inspect.Engine
	Facts       inspect.Facts
	FactHeaders []string
	Windows     *window.Windows
}

// Swap puts other engines, facts and windows in use, for the records that are judged from now on.
// Nobody waits. A nil Engine is that of the zero [inspect.Config].
func (s *Stream) Swap(j Judging) {
	s.use(j)
	s.metrics.reloads.WithLabelValues(reloadDone).Inc()
}

func (s *Stream) use(j Judging) {
	s.judging.Store(&j)
	s.reloads.mu.Lock()
	defer s.reloads.mu.Unlock()
	s.reloads.now = rejects.Configuration{Generation: s.reloads.now.Generation + 1, Loaded: time.Now()}
}

// ReloadFailed notes a reload that failed before there was something to swap.
func (s *Stream) ReloadFailed(err error) {
	s.metrics.reloads.WithLabelValues(reloadFailed).Inc()
	problem := err.Error()
	if len(problem) > problemMax {
		problem = problem[:problemMax] + " ..."
	}
	s.reloads.mu.Lock()
	defer s.reloads.mu.Unlock()
	s.reloads.now.Failed, s.reloads.now.Problem = time.Now(), problem
}

// problemMax is how much of a problem is kept, in bytes.
const problemMax = 4096

// reloads are what is known about the configuration in use.
type reloads struct {
	mu  sync.Mutex
	now rejects.Configuration
}

// Configuration says which configuration is in use.
func (s *Stream) Configuration() rejects.Configuration {
	s.reloads.mu.Lock()
	defer s.reloads.mu.Unlock()
	return s.reloads.now
}

// Rejects returns the last refused records, the latest first.
func (s *Stream) Rejects() []rejects.Reject { return s.rejects.List() }
