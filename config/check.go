package config

import (
	"fmt"
	stdpath "path"
	"strings"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/simd/literals"
)

// Conditions compile conditions. Package inspect/policy has the ones for CEL.
type Conditions interface {
	// Compile compiles a condition. If there is an issue, the condition is nil.
	Compile(source string, o ConditionOptions) (rule.Condition, []ConditionIssue)
}

// ConditionOptions are what a condition can refer to.
type ConditionOptions struct {
	// Lists are the kinds of the lists by name.
	Lists map[string]ListKind
	// Rates is whether there are exchange rates.
	Rates bool
	// Interpreted lets the interpreter evaluate what can't be compiled.
	Interpreted bool
}

// ConditionIssue is a mistake in a condition, at an offset of its source in bytes.
type ConditionIssue struct {
	Offset, Length int
	Message        string
	Suggestion     string
}

// layers returns all layers, outer ones first.
func (c *Config) layers() []*Layer {
	list := []*Layer{&c.Layer}
	for i := range c.Partners {
		list = append(list, &c.Partners[i].Layer)
		for j := range c.Partners[i].Publishers {
			list = append(list, &c.Partners[i].Publishers[j].Layer)
		}
	}
	return list
}

// checkNames reports rules, and scrubs, that have the name of another one that can be about the
// same request.
func (l *loader) checkNames(c *Config) {
	type names map[string]Place
	add := func(kind, name string, place Place, outer []names) {
		for _, scope := range outer {
			if first, taken := scope[name]; taken {
				at := place
				if n := place.Node().Member("name"); n != nil {
					at = setting.PlaceOf(n.Value)
				}
				l.reader.Report(at.Problem("", fmt.Sprintf("another %s is called %s (%s, line %d)", kind, setting.Quote(name), first.File, first.Line)))
				return
			}
		}
		outer[len(outer)-1][name] = place
	}
	layer := func(in *Layer, rules, scrubs []names) {
		for i := range in.Rules {
			if r := &in.Rules[i]; r.Name != "" { // the name was reported
				add("rule", r.Name, r.Place, rules)
			}
		}
		for i := range in.Scrub {
			if s := &in.Scrub[i]; s.Name != "" {
				add("scrub", s.Name, s.Place, scrubs)
			}
		}
	}
	global := [2]names{{}, {}}
	layer(&c.Layer, []names{global[0]}, []names{global[1]})
	for i := range c.Partners {
		partner := [2]names{{}, {}}
		layer(&c.Partners[i].Layer, []names{global[0], partner[0]}, []names{global[1], partner[1]})
		for j := range c.Partners[i].Publishers {
			layer(&c.Partners[i].Publishers[j].Layer, []names{global[0], partner[0], {}}, []names{global[1], partner[1], {}})
		}
	}
}

// The beginnings of reasons.
const (
	schemaPrefix  = "schema."
	policyPrefix  = "policy."
	payloadPrefix = "payload."
)

// checkReasons reports settings that match no reason: they would do nothing.
func (l *loader) checkReasons(c *Config) {
	var reasons []string
	for _, r := range inspect.Reasons() {
		reasons = append(reasons, r.ID)
	}
	for i := range c.Payload.Patterns {
		reasons = append(reasons, payloadPrefix+c.Payload.Patterns[i].ID)
	}
	for _, layer := range c.layers() {
		for i := range layer.Rules {
			reasons = append(reasons, policyPrefix+layer.Rules[i].Name)
		}
	}
	checked := map[string]bool{}
	check := func(settings []Setting, short bool) {
		for _, s := range settings {
			known, done := checked[s.Reasons]
			if !done {
				known = matchesAny(s.Reasons, reasons) || matchesAny(schemaPrefix+s.Reasons, reasons)
				checked[s.Reasons] = known
			}
			if known {
				continue
			}
			if strings.Count(s.Reasons, "*") > 1 {
				l.reader.Report(s.Place.Problem("", "a pattern has one * only"))
				continue
			}
			near := nearest.Name(s.Reasons, reasons)
			if near == "" {
				near = strings.TrimPrefix(nearest.Name(schemaPrefix+s.Reasons, reasons), schemaPrefix)
			}
			if near == "" {
				near = nearest.Name(fraudPrefix+s.Reasons, reasons)
			}
			if short {
				near = strings.TrimPrefix(near, schemaPrefix)
			}
			l.reader.Report(s.Place.Problem(near, "no reason matches "+setting.Quote(s.Place.Node().Text)+"; docs/reference/reasons.md lists all"))
		}
	}
	check(c.Schema.Severities, true)
	for _, layer := range c.layers() {
		check(layer.Severities, false)
	}
}

// checkPatterns reports patterns of payloads that can't be together, and harmless ones that do not
// exist.
func (l *loader) checkPatterns(c *Config) {
	taken := map[string]string{"budget": "the id %s is taken: payload.budget is about the limit of work"}
	var ids []string
	bytes := 0
	for _, p := range payload.Default() {
		taken[p.ID] = "a default pattern has the id %s"
		ids, bytes = append(ids, p.ID), bytes+len(p.Literal)
	}
	for i := range c.Payload.Patterns {
		p := &c.Payload.Patterns[i]
		if text := taken[p.ID]; text != "" {
			at := p.Place
			if n := at.Node().Member("id"); n != nil {
				at = setting.PlaceOf(n.Value)
			}
			l.reader.Report(at.Problem("", fmt.Sprintf(text, setting.Quote(p.ID))))
		}
		if p.ID != "" { // otherwise it was reported
			taken[p.ID] = fmt.Sprintf("another pattern has the id %%s (%s, line %d)", strings.ReplaceAll(p.Place.File, "%", "%%"), p.Place.Line)
		}
		ids, bytes = append(ids, p.ID), bytes+len(p.Text)
		if len(ids) == literals.CountMax+1 || bytes > literals.BytesMax && bytes-len(p.Text) <= literals.BytesMax {
			l.reader.Report(p.Place.Problem("", fmt.Sprintf("more than %d patterns or %d bytes in all, the limits of all patterns together",
				literals.CountMax, literals.BytesMax)))
		}
	}
	for i := range c.Payload.Fields {
		for _, h := range c.Payload.Fields[i].Patterns {
			some := false
			var err error
			for _, id := range ids {
				var match bool
				match, err = stdpath.Match(h.ID, id)
				some = some || match
			}
			switch {
			case err != nil:
				l.reader.Report(h.Place.Problem("", setting.Quote(h.ID)+" is not a pattern: * is any text, ? any character, [a-z] one of some"))
			case !some:
				l.reader.Report(h.Place.Problem(nearest.Name(h.ID, ids), "no pattern of payloads has the id "+setting.Quote(h.ID)))
			}
		}
	}
}

// matchesAny reports whether a pattern with at most one * matches one of the ids.
func matchesAny(pattern string, ids []string) bool {
	prefix, suffix, star := strings.Cut(pattern, "*")
	for _, id := range ids {
		if id == pattern || star && len(id) >= len(prefix)+len(suffix) && strings.HasPrefix(id, prefix) && strings.HasSuffix(id, suffix) {
			return true
		}
	}
	return false
}

// Compile compiles all conditions. It is for programs that have to open lists and rates first;
// others give Load their [Options.Conditions].
func (c *Config) Compile(conditions Conditions) Problems {
	var r setting.Reader
	o := ConditionOptions{Lists: map[string]ListKind{}, Rates: c.Rates != nil}
	for i := range c.Lists {
		o.Lists[c.Lists[i].Name] = c.Lists[i].Kind
	}
	one := func(when *Condition, interpreted bool) {
		if when.Source == "" {
			return
		}
		o.Interpreted = interpreted
		compiled, issues := conditions.Compile(when.Source, o)
		for _, issue := range issues {
			r.Report(when.Place.Node().ProblemAt(issue.Offset, issue.Length, issue.Suggestion, "%s", issue.Message))
		}
		if when.Compiled = compiled; len(issues) > 0 {
			when.Compiled = nil
		}
	}
	for _, layer := range c.layers() {
		for i := range layer.Rules {
			one(&layer.Rules[i].When, layer.Rules[i].Interpreted)
		}
		for i := range layer.Scrub {
			one(&layer.Scrub[i].When, false)
		}
	}
	return r.Problems()
}
