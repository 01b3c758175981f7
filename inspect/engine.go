package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// Engine is a compiled [Config]. It is immutable, and any number of goroutines may share it. Make
// it with [New]. A nil engine and the zero value behave like New of the zero Config.
type Engine struct {
	global   *policySet
	partners map[string]*partnerPolicies

	entries []*entry          // that the layers bring
	byID    map[string]*entry // the first one of each id

	decoding    []wire.Option
	maxFindings int
	annotate    bool
}

// partnerPolicies are the policies of a partner and its publishers.
type partnerPolicies struct {
	own        *policySet
	publishers map[string]*policySet
}

// New compiles a configuration. The engine keeps nothing of c that the caller could change.
func New(c Config) (*Engine, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	e := &Engine{
		partners: map[string]*partnerPolicies{},
		decoding: slices.Clone(c.Decoding), maxFindings: cmp.Or(c.MaxFindings, MaxFindingsDefault), annotate: c.Annotate,
	}
	build := newCompiler(&c)
	var err error
	if build.patterns, build.scanner, err = newScanner(&c.Payload, globalLayer); err != nil {
		return nil, err
	}
	global, err := build.layer(&c.Global, globalLayer)
	if err != nil {
		return nil, err
	}
	if global.base, err = baseSeverities(cmp.Or(c.Preset, PresetDefault)); err != nil {
		return nil, err
	}
	if e.global, err = build.policySet(global); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Partners)) { // sorted, so that errors are the same every time
		if e.partners[name], err = build.partner(global, name, c.Partners[name]); err != nil {
			return nil, err
		}
	}
	e.entries, e.byID = build.entries, make(map[string]*entry, len(build.entries))
	for _, own := range e.entries {
		if e.byID[own.ID] == nil {
			e.byID[own.ID] = own
		}
	}
	return e, nil
}

// partner compiles the layers of one partner.
func (c *compiler) partner(global *layer, name string, p Partner) (*partnerPolicies, error) {
	where := fmt.Sprintf("partner %q", name)
	own, err := c.layer(&p.Layer, where, global)
	if err != nil {
		return nil, err
	}
	policies := &partnerPolicies{publishers: map[string]*policySet{}}
	if policies.own, err = c.policySet(global, own); err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(p.Publishers)) {
		l := p.Publishers[id]
		inner, err := c.layer(&l, fmt.Sprintf("%s, publisher %q", where, id), global, own)
		if err != nil {
			return nil, err
		}
		if policies.publishers[id], err = c.policySet(global, own, inner); err != nil {
			return nil, err
		}
	}
	return policies, nil
}

// baseSeverities returns the severities of all reasons under a preset.
func baseSeverities(p schema.Preset) ([]Severity, error) {
	preset, err := presetSeverities(p)
	if err != nil {
		return nil, err
	}
	reasons := registry()
	severities := make([]Severity, len(reasons.reasons))
	for n := range reasons.reasons {
		severities[n] = reasons.reasons[n].Severity
	}
	for rule := range ruleNumbers() {
		severities[reasons.numbers[schemaPrefix+rule]] = preset(rule)
	}
	if p != PresetDefault { // which says nothing of responses
		for id := range responseNumbers() {
			if r, ok := schema.RuleByID(id); ok {
				severities[reasons.numbers[responsePrefix+id]] = preset(r.ID)
			}
		}
	}
	return severities, nil
}

// NewWorker returns a worker that always uses this engine. Workers whose engine can be replaced
// come from [Holder.NewWorker].
func (e *Engine) NewWorker() *Worker { return NewHolder(e).NewWorker() }

// Annotates reports whether verdicts are written into requests, see [Config.Annotate].
func (e *Engine) Annotates() bool { return e != nil && e.annotate }

// policies returns the resolved policies of a partner and a publisher.
func (e *Engine) policies(partner, publisher string) *policySet {
	p := e.partners[partner]
	if p == nil {
		return e.global
	}
	if inner := p.publishers[publisher]; inner != nil {
		return inner
	}
	return p.own
}

// PublisherOf returns the id of the publisher that a request names: the first one of site, app and
// dooh that has one.
func PublisherOf(r *openrtb.BidRequest) string {
	if r == nil {
		return ""
	}
	if s := r.Site; s != nil && s.Publisher != nil && s.Publisher.ID != "" {
		return s.Publisher.ID
	}
	if a := r.App; a != nil && a.Publisher != nil && a.Publisher.ID != "" {
		return a.Publisher.ID
	}
	if d := r.DOOH; d != nil && d.Publisher != nil {
		return d.Publisher.ID
	}
	return ""
}

// defaultEngine stands in for nil and zero engines.
var defaultEngine = sync.OnceValue(func() *Engine {
	e, err := New(Config{})
	if err != nil {
		panic(err) // not reached: the zero configuration is valid
	}
	return e
})

// orDefault returns the engine, or the default one if it was not made by New.
func (e *Engine) orDefault() *Engine {
	if e == nil || e.global == nil {
		return defaultEngine()
	}
	return e
}
