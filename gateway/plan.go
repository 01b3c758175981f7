package gateway

import (
	"sync"

	"github.com/rtbwire/rtbwire/inspect"
)

// plan is what options are compiled to. A request is served by one plan from its beginning to its
// end, so that a reload takes effect as a whole.
type plan struct {
	options   Options
	upstreams []*upstream
	workers   sync.Pool // of *inspect.Worker, for the engine
}

// newPlan compiles options, which are valid. Upstreams of the plan before are kept.
func newPlan(o *Options, before *plan) (*plan, error) {
	p := &plan{options: *o}
	for _, address := range o.Upstreams {
		u, err := newUpstream(address, o)
		if err != nil {
			return nil, err
		}
		p.upstreams = append(p.upstreams, u)
	}
	p.workers.New = func() any { return o.Engine.NewWorker() }
	return p, nil
}

func (p *plan) worker() *inspect.Worker { return p.workers.Get().(*inspect.Worker) }

func (p *plan) release(w *inspect.Worker) {
	w.Release()
	p.workers.Put(w)
}
