package inspect

import (
	"fmt"
	"slices"
)

// This file resolves the names in layers, and finds what is wrong with them.

// globalLayer is the name of the layer of all requests.
const globalLayer = "the global layer"

// layer is a [Layer] whose names are resolved.
type layer struct {
	base     []Severity // of the global layer: the preset
	settings []resolvedSetting
	entries  []*entry
	names    map[string]bool // of the rules
	scrubs   []*compiledScrub
	fraud    *FraudSettings
	shadow   bool
	share    float64 // in (0, 1]
	enforce  float64 // in [0, 1]
	// observeScrubs is as in [Layer].
	observeScrubs bool
}

// resolvedSetting is a [Setting] whose pattern is resolved.
type resolvedSetting struct {
	pattern  pattern
	numbers  []int // of the fixed reasons that it matches
	severity Severity
}

// layer resolves a layer. where names it in errors, and outer are the layers that it is in.
func (c *compiler) layer(l *Layer, where string, outer ...*layer) (*layer, error) {
	out := &layer{shadow: l.Shadow, fraud: &l.Fraud, enforce: 1, observeScrubs: l.ObserveScrubs}
	fail := func(format string, args ...any) (*layer, error) {
		return nil, fmt.Errorf("inspect: %s: %w", where, fmt.Errorf(format, args...))
	}
	var err error
	if out.share, err = share(l.Sample); err != nil {
		return fail("%w", err)
	}
	if l.Enforce != nil {
		if out.enforce = *l.Enforce; !(out.enforce >= 0 && out.enforce <= 1) { // also NaN
			return fail("the share to enforce is %v (want 0 to 1)", out.enforce)
		}
	}
	if err = l.Fraud.Validate(); err != nil {
		return fail("%w", err)
	}
	scope := append(slices.Clip(outer), out)
	if len(outer) == 0 {
		for _, own := range c.patterns {
			own.number = len(c.entries)
			c.entries = append(c.entries, own)
			out.entries = append(out.entries, own)
		}
	}
	if len(l.Rules) > 0 {
		out.names = make(map[string]bool, len(l.Rules))
	}
	for i := range l.Rules {
		own, err := newEntry(&l.Rules[i], where, func(name string) bool {
			return slices.ContainsFunc(scope, func(l *layer) bool { return l.names[name] })
		})
		if err != nil {
			return fail("rule %d: %w", i+1, err)
		}
		own.number = len(c.entries)
		c.entries = append(c.entries, own)
		out.entries = append(out.entries, own)
		out.names[l.Rules[i].Name] = true
	}
	for i := range l.Scrubs {
		s, err := l.Scrubs[i].compile(i + 1)
		if err != nil {
			return fail("scrub %d: %w", i+1, err)
		}
		s.number = c.scrubs
		c.scrubs++
		out.scrubs = append(out.scrubs, s)
	}
	for _, s := range l.Severities {
		resolved, found := c.resolve(s.Reasons, scope)
		if !found {
			return fail("no reason matches %q; docs/reference/reasons.md lists all but those of the configuration", s.Reasons)
		}
		if s.Reasons == ReasonBlockedNow {
			return fail("%s has no severity: operators block and release at run time", s.Reasons)
		}
		if s.Severity > Refuse {
			return fail("%s: invalid severity %v", s.Reasons, s.Severity)
		}
		resolved.severity = s.Severity
		out.settings = append(out.settings, resolved)
	}
	return out, nil
}

// share returns the share of requests that a sample is: 0 means all.
func share(sample float64) (float64, error) {
	switch {
	case sample == 0:
		return 1, nil
	case !(sample > 0 && sample <= 1): // also NaN
		return 0, fmt.Errorf("the sample is %v (want more than 0, at most 1)", sample)
	}
	return sample, nil
}

// resolve finds the reasons that a text is about, in some layers. It is an id, or a pattern with a
// * that matches any text. The part "schema." may be left out: "Imp.id.required", "Banner.*".
func (c *compiler) resolve(text string, scope []*layer) (s resolvedSetting, found bool) {
	s.pattern = newPattern(text)
	s.numbers = c.match(s.pattern)
	if s.numbers != nil || text == policyPrefix+"*" || slices.ContainsFunc(scope, s.pattern.matchesEntry) {
		return s, true
	}
	s.pattern = newPattern(schemaPrefix + text)
	s.numbers = c.match(s.pattern)
	return s, s.numbers != nil
}

// matchesEntry reports whether a pattern matches an entry of a layer.
func (p pattern) matchesEntry(l *layer) bool {
	return slices.ContainsFunc(l.entries, func(own *entry) bool { return p.matches(own.ID) })
}

// match is [reasonTable.match]. The layers of thousands of publishers have the same patterns.
func (c *compiler) match(p pattern) []int {
	numbers, known := c.matches[p]
	if !known {
		numbers = registry().match(p)
		c.matches[p] = numbers
	}
	return numbers
}
