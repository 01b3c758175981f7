package gateway

import (
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// Reload puts other options in use, for requests that begin from now on; the others end under the
// options that they began with. Nobody waits, and no connection closes. After an error everything
// stays as it was.
//
// What belongs to connections stays as in [New], until the next start: the settings that keys.go
// declares as fixed, and the logger. Fixed names those that differ. So does the candidate, whose
// holder may be swapped.
func (g *Gateway) Reload(o Options) (fixed []string, err error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	g.reloading.Lock()
	defer g.reloading.Unlock()
	defer func() { g.reloaded(err) }()
	fixed = setting.Keep(&o, &g.options, keys)
	o.Candidate, o.CandidateShare = g.options.Candidate, g.options.CandidateShare
	next, err := newPlan(&o, g.plan.Load())
	if err != nil {
		return nil, err
	}
	if err := next.canary(); err != nil {
		return nil, fmt.Errorf("gateway: the new configuration failed a test request: %w", err)
	}
	g.use(next)
	return fixed, nil
}

// ReloadFailed notes a reload that failed before it came here: the new configuration had problems.
func (g *Gateway) ReloadFailed(err error) { g.reloaded(err) }

// reloaded counts a reload.
func (g *Gateway) reloaded(err error) {
	if err == nil {
		g.metrics.reloads.WithLabelValues(reloadDone).Inc()
		return
	}
	g.metrics.reloads.WithLabelValues(reloadFailed).Inc()
	g.reloads.Failed(err)
}

// Configuration says which configuration is in use.
func (g *Gateway) Configuration() Configuration { return g.reloads.Now() }

// Candidate says which candidate configuration is compared with it, nil if none is.
func (g *Gateway) Candidate() *Configuration { return g.candidate.Configuration() }

// CandidateReloaded notes that [Options.Candidate] has another engine, or why it has not.
func (g *Gateway) CandidateReloaded(err error) {
	if err != nil {
		g.candidate.ReloadFailed(err)
		return
	}
	g.candidate.Reloaded()
}

// ReasonText returns what a reason means under the configuration in use: the message of the rule
// that has brought it, for example. "" for a reason that is unknown.
func (g *Gateway) ReasonText(id string) string {
	if text := reasonTexts[id]; text != "" {
		return text
	}
	if r, known := g.plan.Load().options.Engine.ReasonByID(id); known {
		return r.Text
	}
	if strings.HasPrefix(id, reasonGuard) {
		return reasonTexts[reasonGuard]
	}
	return ""
}

// Options returns the options in use, with their defaults.
func (g *Gateway) Options() Options { return g.plan.Load().options }
