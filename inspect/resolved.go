package inspect

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/payload"
)

// This file resolves layers to policies. A request's place in the sample selects one of a few
// combinations of layers, and each is resolved in advance: judging a request takes two look-ups and
// no merging.

// policySet holds the resolved policies of one partner and publisher. shares are in rising order of
// below; the last one takes every request.
type policySet struct {
	shares        []sampleShare
	enforce       float64 // the share that refusals count for, in [0, 1]
	observeScrubs bool
}

// sampleShare holds the policies for requests whose place in the sample is below a share: resolved
// from the live layers, and from all layers. The two are the same if no layer is in shadow.
type sampleShare struct {
	below     float64
	live, all *resolvedPolicy
}

// sampled reports whether the policy depends on the request's place in the sample.
func (p *policySet) sampled() bool {
	return len(p.shares) > 1 || p.enforce > 0 && p.enforce < 1
}

// at returns the share of a place in the sample, which is below 1.
func (p *policySet) at(place float64) *sampleShare {
	i := 0
	for place >= p.shares[i].below {
		i++
	}
	return &p.shares[i]
}

// resolvedPolicy is the policy that some layers resolve to.
type resolvedPolicy struct {
	severities []Severity // of the fixed reasons, by number
	judges     []judge    // of the inspectors that have something to look for
	scrubs     []*compiledScrub
	answers    *responseJudge // of responses
}

// compiler resolves layers. Thousands of publishers usually have few combinations of severities and
// rules: what has the same ones is shared.
type compiler struct {
	limit   int
	entries []*entry // of all layers
	scrubs  int      // in all layers

	patterns []*entry // of the configuration, for the global layer
	scanner  *payload.Scanner
	fraud    Fraud
	response Response

	matches  map[pattern][]int
	fixed    map[string][]Severity      // by their bytes
	judges   map[string]judge           // by the inspector, its severities and its entries
	resolved map[string]*resolvedPolicy // by all that, and the scrubs

	// Working memory.
	severities []Severity
	graded     []graded
	layers     fraudLayers
	key, bytes []byte
}

func newCompiler(c *Config) *compiler {
	return &compiler{
		limit: cmp.Or(c.MaxFindings, MaxFindingsDefault), fraud: c.Fraud, response: c.Response, matches: map[pattern][]int{}, fixed: map[string][]Severity{}, judges: map[string]judge{}, resolved: map[string]*resolvedPolicy{},
		severities: make([]Severity, len(registry().reasons)),
	}
}

// policySet compiles layers, the outermost first.
func (c *compiler) policySet(layers ...*layer) (*policySet, error) {
	p := &policySet{enforce: 1}
	shares := []float64{1}
	for _, l := range layers {
		p.enforce = min(p.enforce, l.enforce)
		p.observeScrubs = p.observeScrubs || l.observeScrubs
		shares = append(shares, l.share)
		for _, own := range l.entries {
			shares = append(shares, own.share)
		}
	}
	slices.SortFunc(shares, cmp.Compare[float64])
	for _, share := range slices.Compact(shares) {
		var live, all []*layer
		shadow, apart := false, false
		for _, l := range layers {
			shadow = shadow || l.shadow // of a layer that is not sampled too: what is inside never refuses
			if l.share < share {
				continue
			}
			all = append(all, l)
			if !shadow {
				live = append(live, l)
			}
			apart = apart || shadow || slices.ContainsFunc(l.entries, func(own *entry) bool { return own.shadow })
		}
		next := sampleShare{below: share}
		var err error
		if next.all, err = c.policy(all, share, true); err != nil {
			return nil, err
		}
		next.live = next.all
		if apart {
			if next.live, err = c.policy(live, share, false); err != nil {
				return nil, err
			}
		}
		p.shares = append(p.shares, next)
	}
	return p, nil
}

// policy returns the policy of some layers for requests whose place in the sample is just below a
// share, with or without the rules in shadow.
func (c *compiler) policy(layers []*layer, share float64, shadow bool) (*resolvedPolicy, error) {
	c.grade(layers, share, shadow)
	c.key = c.key[:0]
	var ends [len(inspectors)]int // of the inspectors' parts of the key
	for i := range inspectors {
		c.appendKey(Inspector(i))
		ends[i] = len(c.key)
	}
	for _, l := range layers {
		for _, s := range l.scrubs {
			c.key = binary.AppendUvarint(c.key, uint64(s.number))
		}
	}
	if p := c.resolved[string(c.key)]; p != nil {
		return p, nil
	}
	p := &resolvedPolicy{severities: c.shared()}
	for _, l := range layers {
		p.scrubs = append(p.scrubs, l.scrubs...)
	}
	from := 0
	for i, end := range ends {
		j, err := c.judge(Inspector(i), string(c.key[from:end]), p.severities)
		if err != nil {
			return nil, err
		}
		switch answers, ok := j.(*responseJudge); {
		case ok:
			p.answers = answers
		case j != nil:
			p.judges = append(p.judges, j)
		}
		from = end
	}
	c.resolved[string(c.key)] = p
	return p, nil
}

// grade applies layers, the outermost first: a setting is about the fixed reasons, and the entries
// of its own layer and of those outside.
func (c *compiler) grade(layers []*layer, share float64, shadow bool) {
	clear(c.severities)
	for _, id := range [...]string{scrubFailed, ruleLimit} {
		c.severities[registry().numbers[id]] = Refuse // where the preset does not count, too
	}
	c.graded = c.graded[:0]
	c.layers = fraudLayers{threshold: fraud.ThresholdDefault}
	for _, l := range layers {
		c.layers.add(l.fraud)
		copy(c.severities, l.base)
		for _, own := range l.entries {
			if own.share >= share && (shadow || !own.shadow) {
				c.graded = append(c.graded, graded{own, own.Reason.Severity})
			}
		}
		for _, s := range l.settings {
			for _, n := range s.numbers {
				c.severities[n] = s.severity
			}
			for i := range c.graded {
				if s.pattern.matches(c.graded[i].entry.ID) {
					c.graded[i].severity = s.severity
				}
			}
		}
	}
	c.graded = slices.DeleteFunc(c.graded, func(g graded) bool { return g.severity == Off })
}

// appendKey appends the reasons and severities of an inspector to the key.
func (c *compiler) appendKey(inspector Inspector) {
	c.key = append(c.key, byte(inspector))
	for _, s := range registry().severities(c.severities, inspector) {
		c.key = append(c.key, byte(s))
	}
	for _, g := range c.graded {
		if g.entry.Inspector == inspector {
			c.key = append(binary.AppendUvarint(c.key, uint64(g.entry.number)), byte(g.severity))
		}
	}
	c.key = append(c.key, 0, 0) // no entry is off
	if inspector == InspectorFraud {
		c.key = c.layers.appendKey(c.key)
	}
}

// shared returns the severities of the fixed reasons, in memory that policies share.
func (c *compiler) shared() []Severity {
	c.bytes = c.bytes[:0]
	for _, s := range c.severities {
		c.bytes = append(c.bytes, byte(s))
	}
	shared := c.fixed[string(c.bytes)]
	if shared == nil {
		shared = slices.Clone(c.severities)
		c.fixed[string(c.bytes)] = shared
	}
	return shared
}

// judge returns the judge of an inspector, which key is the part of.
func (c *compiler) judge(inspector Inspector, key string, severities []Severity) (judge, error) {
	if j, known := c.judges[key]; known {
		return j, nil
	}
	g := grades{fixed: registry().severities(severities, inspector), scanner: c.scanner, fraud: &c.fraud, layers: &c.layers, response: &c.response}
	for _, own := range c.graded {
		if own.entry.Inspector == inspector {
			g.entries = append(g.entries, own)
		}
	}
	j, err := inspectors[inspector].judge(g, c.limit)
	if err == nil {
		c.judges[key] = j
	}
	return j, err
}
