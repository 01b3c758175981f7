package gateway

import (
	"fmt"
	"sync"
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// Reload puts other options in use, for requests that begin from now on; the others end under the
// options that they began with. Nobody waits, and no connection closes. After an error everything
// stays as it was.
//
// What belongs to connections stays as in [New], until the next start: the settings that keys.go
// declares as fixed, and the logger. Fixed names those that differ.
func (g *Gateway) Reload(o Options) (fixed []string, err error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	g.reloading.Lock()
	defer g.reloading.Unlock()
	defer func() { g.reloaded(err) }()
	fixed = setting.Keep(&o, &g.options, keys)
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
	g.reloads.failed(err)
}

// reloads are what is known about the configuration in use.
type reloads struct {
	mu  sync.Mutex
	now Configuration
}

// problemMax is how much of a problem is kept, in bytes.
const problemMax = 4096

func (r *reloads) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = Configuration{Generation: r.now.Generation + 1, Loaded: time.Now()}
}

func (r *reloads) failed(err error) {
	problem := err.Error()
	if len(problem) > problemMax {
		problem = problem[:problemMax] + " ..."
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now.Failed, r.now.Problem = time.Now(), problem
}

// Configuration says which configuration is in use.
func (g *Gateway) Configuration() Configuration {
	g.reloads.mu.Lock()
	defer g.reloads.mu.Unlock()
	return g.reloads.now
}

// Options returns the options in use, with their defaults.
func (g *Gateway) Options() Options { return g.plan.Load().options }
