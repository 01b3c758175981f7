package gateway

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/balance"
)

// plan is what options are compiled to. A request is served by one plan from its beginning to its
// end, so that a reload takes effect as a whole.
type plan struct {
	options   Options
	upstreams *balance.Set
	routing   routing
	partners  []*partner
	tokenKey  []byte
	tokens    bool // a partner has one
	named     namedHeaders
	routes    map[string]route
	methods   map[string]string // that routes have
	workers   sync.Pool         // of *inspect.Worker, for the engine
}

// newPlan compiles options, which are valid. Upstreams and limits that are the same as in the plan
// before are kept.
func newPlan(o *Options, before *plan) (p *plan, err error) {
	p = &plan{options: *o}
	if before != nil {
		p.tokenKey = before.tokenKey
	} else {
		p.tokenKey = newTokenKey()
	}
	if p.upstreams, err = balance.New(o.balanceOptions(), before.set()); err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	if p.routing, err = newRouting(o, p.upstreams); err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	if p.partners, err = newPartners(o.Partners, o.Vendors, p.tokenKey, before); err != nil {
		return nil, err
	}
	for _, own := range p.partners {
		if err := own.addRoutes(o, p.upstreams); err != nil {
			return nil, fmt.Errorf("gateway: partner %s: %w", own.Name, err)
		}
		if err := own.Responses.validate(o.Responses); err != nil {
			return nil, fmt.Errorf("%w, of partner %s", err, own.Name)
		}
	}
	p.tokens = slices.ContainsFunc(p.partners, func(own *partner) bool { return own.Match.Token != "" })
	p.named = newNamedHeaders(o)
	if err := p.addRoutes(); err != nil {
		return nil, err
	}
	p.workers.New = func() any { return o.Engine.NewWorker() }
	return p, nil
}

// set returns the upstreams; nil if there is no plan.
func (p *plan) set() *balance.Set {
	if p == nil {
		return nil
	}
	return p.upstreams
}

// partner returns the partner with a name; nil if there is none, or no plan.
func (p *plan) partner(name string) *partner {
	if p != nil {
		for _, own := range p.partners {
			if own.Name == name {
				return own
			}
		}
	}
	return nil
}

// canaries are requests that every new plan must be able to judge, for every partner.
var canaries = []string{
	``, `{`, `{"id":"canary"}`,
	`{"id":"canary","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s","page":"https://canary.example/"},"device":{"ua":"x","ip":"192.0.2.1"},"user":{"id":"u"}}`,
}

// canaryAnswer is an answer to the last of them.
const canaryAnswer = `{"id":"canary","seatbid":[{"bid":[{"id":"1","impid":"1","price":1,"adm":"<script>","adomain":["a.example"],"w":300,"h":250}]}]}`

// prepare judges an answer, so that what is made at the first one is made before it comes.
func (p *plan) prepare() {
	if p.options.Responses.Mode != ResponsesOff {
		new(inspect.Worker).JudgeResponse([]byte(canaryAnswer), inspect.Facts{})
	}
}

// canary judges a few requests. It fails if that panics, or if edits can't be applied.
func (p *plan) canary() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	w := p.options.Engine.NewWorker()
	names := []string{""}
	for _, own := range p.partners {
		names = append(names, own.Name)
	}
	for _, body := range canaries {
		for _, name := range names {
			v := w.Inspect([]byte(body), inspect.Facts{Partner: name})
			w.JudgeResponse([]byte(canaryAnswer), inspect.Facts{Partner: name})
			if v.Action == inspect.ActionForward {
				if _, err := v.Apply(nil, []byte(body)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (p *plan) worker() *inspect.Worker { return p.workers.Get().(*inspect.Worker) }

func (p *plan) release(w *inspect.Worker) {
	w.Release()
	p.workers.Put(w)
}

// trusts reports whether an address is a trusted proxy's.
func (p *plan) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(p.options.TrustedProxies, func(r netip.Prefix) bool { return r.Contains(a) })
}
