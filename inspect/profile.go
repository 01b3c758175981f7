package inspect

import (
	"cmp"
	"slices"
)

// This file turns layers into tables. Only a few combinations of layers can be about a request:
// those that its place in the sample leaves. Each has tables of its own, so that judging a request
// is two look-ups and no merging.

// layer is a [Layer] whose names are resolved.
type layer struct {
	base     []Severity // of the global layer: the preset
	settings []setting
	shadow   bool
	share    float64 // in (0, 1]
}

type setting struct {
	numbers  []int
	severity Severity
}

// apply changes a table of severities as the layer asks.
func (l *layer) apply(severities []Severity) {
	copy(severities, l.base)
	for _, s := range l.settings {
		for _, n := range s.numbers {
			severities[n] = s.severity
		}
	}
}

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

// table is the severities of all reasons by number, and the inspectors that have something to
// look for.
type table struct {
	severities []Severity
	judges     []assigned
}

// assigned is a judge and the reasons of its inspector.
type assigned struct {
	judge
	span span
}

// compiler makes profiles. Profiles with the same severities share their tables: thousands of
// publishers usually have few of them.
type compiler struct {
	limit  int
	tables map[string]*table // by the bytes of the severities
}

// profile compiles layers, the outermost first.
func (c *compiler) profile(layers ...layer) (*profile, error) {
	p := &profile{}
	shares := []float64{1}
	for _, l := range layers {
		shares = append(shares, l.share)
	}
	slices.SortFunc(shares, cmp.Compare[float64])
	for _, share := range slices.Compact(shares) {
		var live, all []layer
		shadow := false
		for _, l := range layers {
			shadow = shadow || l.shadow // of a layer that is not sampled too: what is inside never refuses
			if l.share < share {
				continue
			}
			all = append(all, l)
			if !shadow {
				live = append(live, l)
			}
		}
		next := cut{below: share}
		var err error
		if next.all, err = c.table(all); err != nil {
			return nil, err
		}
		next.live = next.all
		if len(live) < len(all) {
			if next.live, err = c.table(live); err != nil {
				return nil, err
			}
		}
		p.cuts = append(p.cuts, next)
	}
	return p, nil
}

// table returns the table of some layers.
func (c *compiler) table(layers []layer) (*table, error) {
	reasons := registry()
	severities := make([]Severity, len(reasons.reasons))
	for _, l := range layers {
		l.apply(severities)
	}
	key := make([]byte, len(severities))
	for n, s := range severities {
		key[n] = byte(s)
	}
	if t := c.tables[string(key)]; t != nil {
		return t, nil
	}
	t := &table{severities: severities}
	for i, inspector := range inspectors {
		span := reasons.spans[i]
		j, err := inspector.judge(severities[span.from:span.to], c.limit)
		if err != nil {
			return nil, err
		}
		if j != nil {
			t.judges = append(t.judges, assigned{j, span})
		}
	}
	c.tables[string(key)] = t
	return t, nil
}
