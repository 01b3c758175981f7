package inspect

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/payload"
)

// This file turns layers into tables. Only a few combinations of layers can be about a request:
// those that its place in the sample leaves. Each has tables of its own, so that judging a request
// is two look-ups and no merging.

// profile is the layers of one partner and publisher. cuts are in rising order of below; the last
// one takes every request.
type profile struct{ cuts []cut }

// cut is what counts for requests whose place in the sample is below a share: the tables of the
// layers that are live, and of all layers. They are the same if none is in shadow.
type cut struct {
	below     float64
	live, all *table
}

// sampled reports whether the profile depends on the request's place in the sample.
func (p *profile) sampled() bool { return len(p.cuts) > 1 }

// at returns the cut of a place in the sample, which is below 1.
func (p *profile) at(place float64) *cut {
	i := 0
	for place >= p.cuts[i].below {
		i++
	}
	return &p.cuts[i]
}

// table is what counts for a request under some layers.
type table struct {
	severities []Severity // of the fixed reasons, by number
	judges     []judge    // of the inspectors that have something to look for
	scrubs     []*compiledScrub
	answers    *responseJudge // of responses
}

// compiler makes profiles. Thousands of publishers usually have few combinations of severities and
// rules: what has the same ones is shared.
type compiler struct {
	limit   int
	entries []*entry // of all layers
	scrubs  int      // in all layers

	patterns []*entry // of the configuration, for the global layer
	scanner  *payload.Scanner
	fraud    Fraud
	response Response

	matches map[pattern][]int
	fixed   map[string][]Severity // by their bytes
	judges  map[string]judge      // by the inspector, its severities and its entries
	tables  map[string]*table     // by all that, and the scrubs

	// Working memory.
	severities []Severity
	graded     []graded
	layers     fraudLayers
	key, bytes []byte
}

func newCompiler(c *Config) *compiler {
	return &compiler{
		limit: cmp.Or(c.MaxFindings, MaxFindingsDefault), fraud: c.Fraud, response: c.Response, matches: map[pattern][]int{}, fixed: map[string][]Severity{}, judges: map[string]judge{}, tables: map[string]*table{},
		severities: make([]Severity, len(registry().reasons)),
	}
}

// profile compiles layers, the outermost first.
func (c *compiler) profile(layers ...*layer) (*profile, error) {
	p := &profile{}
	shares := []float64{1}
	for _, l := range layers {
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
		next := cut{below: share}
		var err error
		if next.all, err = c.table(all, share, true); err != nil {
			return nil, err
		}
		next.live = next.all
		if apart {
			if next.live, err = c.table(live, share, false); err != nil {
				return nil, err
			}
		}
		p.cuts = append(p.cuts, next)
	}
	return p, nil
}

// table returns the table of some layers for requests whose place in the sample is just below a
// share, with or without the rules in shadow.
func (c *compiler) table(layers []*layer, share float64, shadow bool) (*table, error) {
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
	if t := c.tables[string(c.key)]; t != nil {
		return t, nil
	}
	t := &table{severities: c.shared()}
	for _, l := range layers {
		t.scrubs = append(t.scrubs, l.scrubs...)
	}
	from := 0
	for i, end := range ends {
		j, err := c.judge(Inspector(i), string(c.key[from:end]), t.severities)
		if err != nil {
			return nil, err
		}
		switch answers, ok := j.(*responseJudge); {
		case ok:
			t.answers = answers
		case j != nil:
			t.judges = append(t.judges, j)
		}
		from = end
	}
	c.tables[string(c.key)] = t
	return t, nil
}

// grade applies layers, the outermost first: a setting is about the fixed reasons, and the entries
// of its own layer and of those outside.
func (c *compiler) grade(layers []*layer, share float64, shadow bool) {
	clear(c.severities)
	c.severities[registry().numbers[scrubFailed]] = Refuse // where the preset does not count, too
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

// appendKey appends what an inspector is to look for to the key.
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

// shared returns the severities of the fixed reasons, in memory that tables share.
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
