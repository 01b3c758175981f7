package stream

import (
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
	s.reloads.Done()
}

// ReloadFailed notes a reload that failed before there was something to swap.
func (s *Stream) ReloadFailed(err error) {
	s.metrics.reloads.WithLabelValues(reloadFailed).Inc()
	s.reloads.Failed(err)
}

// Configuration says which configuration is in use.
func (s *Stream) Configuration() rejects.Configuration { return s.reloads.Now() }

// Candidate says which candidate configuration is compared with it, nil if none is.
func (s *Stream) Candidate() *rejects.Configuration { return s.candidate.Configuration() }

// CandidateReloaded notes that [Options.Candidate] has another engine, or why it has not.
func (s *Stream) CandidateReloaded(err error) {
	if err != nil {
		s.candidate.ReloadFailed(err)
		return
	}
	s.candidate.Reloaded()
}

// ReasonText returns what a reason of the configuration in use asks for, or of the stream itself.
// "" for a reason that is unknown.
func (s *Stream) ReasonText(id string) string {
	if text := reasonTexts[id]; text != "" {
		return text
	}
	r, _ := s.judging.Load().Engine.ReasonByID(id)
	return r.Text
}

// Rejects returns the last refused records, the latest first.
func (s *Stream) Rejects() []rejects.Reject { return s.rejects.List() }
