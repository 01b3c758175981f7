package spec

import (
	"fmt"
	"slices"
	"strings"
)

// rules adds the rules that follow from the fields, and checks all of them and the silences.
func (l *loader) rules(s *Spec, legend *Legend) {
	if s.Formats != nil { // Native lists all of its rules
		l.deriveRules(s)
	}
	seen := map[string]bool{}
	for _, r := range slices.Concat(s.Rules, s.OwnRules) {
		if seen[r.ID] {
			l.problem(s.File, "rule %s is defined twice", r.ID)
		}
		seen[r.ID] = true
		l.rule(s, r, legend)
	}
	for _, silence := range s.Silences {
		l.silence(s, silence)
	}
	l.counts(s)
}

// deriveRules puts the rules that follow from the fields before the listed ones, in the order
// of the fields. A listed rule with the same id, or with the same op on the same field, takes
// the place of the derived one.
func (l *loader) deriveRules(s *Spec) {
	listed, said := map[string]*Rule{}, map[string]bool{}
	for _, r := range s.Rules {
		listed[r.ID] = r
		if c := r.Check; c != nil && c.Field != "" && c.When == "" {
			said[r.Object+"."+c.Field+" "+c.Op] = true
		}
	}
	var derived []*Rule
	for _, o := range s.Objects {
		for _, f := range o.Fields {
			for _, r := range fieldRules(s, o, f) {
				switch replacement := listed[r.ID]; {
				case replacement != nil:
					derived = append(derived, replacement)
				case !said[o.Name+"."+f.JSON+" "+r.Check.Op]:
					derived = append(derived, r)
				}
			}
		}
	}
	for _, r := range s.Rules {
		if !slices.Contains(derived, r) {
			derived = append(derived, r)
		}
	}
	s.Rules = derived
}

// fieldRules returns the rules that follow from the facts about one field.
func fieldRules(s *Spec, o *Object, f *Field) (out []*Rule) {
	add := func(kind, level, source, text string, c Check) {
		c.Field = f.JSON
		out = append(out, &Rule{
			ID: o.Name + "." + f.JSON + "." + kind, Object: o.Name, Section: o.Section, Scope: o.Side,
			Rule: text, Level: level, Kind: kind, Source: source, Check: &c,
		})
	}
	each := func(what string) string {
		if f.Array {
			return "each " + what + " of " + f.JSON
		}
		return f.JSON
	}
	if f.Required {
		text := f.JSON + " has to be present"
		if f.Type != "integer" && f.Type != "float" {
			text += " (empty counts as absent)"
		}
		add("required", "must", "spec", text, Check{Op: "required"})
	}
	if f.Recommended {
		add("recommended", "should", "spec", f.JSON+" is customary; flag absence as info only", Check{Op: "recommended"})
	}
	if f.Flag {
		add("flag", "must", "spec", f.JSON+" takes only 0 or 1", Check{Op: "in", Values: []int{0, 1}})
	}
	switch {
	case f.Min != nil || f.Max != nil:
		level := "should"
		if f.RangeSource == "spec" {
			level = "must"
		}
		add("range", level, f.RangeSource, each("value")+" "+bounds(f.Min, f.Max), Check{Op: "range", Min: f.Min, Max: f.Max})
	case f.List != "" && !f.Flag:
		add("enum", "should", "spec", each("value")+" comes from list "+f.List+"; unknown codes are tolerated, not rejected", Check{Op: "enum", List: f.List})
	}
	if format, ok := s.Formats[f.Format]; ok && !format.Unchecked {
		add("format", format.Level, format.Source, each("item")+" follows format "+f.Format, Check{Op: "format", Format: f.Format})
	}
	if f.Deprecated {
		instead := "do not send"
		if f.ReplacedBy != "" {
			instead = "send " + f.ReplacedBy + " instead"
		}
		add("deprecated", "should", "spec", f.JSON+" is deprecated since "+f.DeprecatedSince+"; "+instead, Check{Op: "deprecated"})
	}
	return out
}

// bounds words a range; at least one end is set.
func bounds(lo, hi *float64) string {
	switch {
	case hi == nil:
		return fmt.Sprintf("is %v or more", *lo)
	case lo == nil:
		return fmt.Sprintf("is %v or less", *hi)
	}
	return fmt.Sprintf("lies in %v..%v", *lo, *hi)
}

// subjects are what rules speak of besides the objects: every object, the transport, and the
// macros in markup and notices.
var subjects = map[string]bool{"*": true, "HTTP": true, "Macros": true}

// rule checks what one rule refers to, and completes it.
func (l *loader) rule(s *Spec, r *Rule, legend *Legend) {
	if !subjects[r.Object] && s.Object(r.Object) == nil {
		l.problem(s.File, "rule %s is about %q, but there is no such object", r.ID, r.Object)
	}
	if r.Undecidable == "" {
		r.Undecidable = s.Undecidable[r.Scope]
	}
	if r.Severity != "" && r.SeverityWhy == "" {
		l.problem(s.File, `rule %s has a severity of its own: add "severity_why"`, r.ID)
	}
	for _, word := range []struct {
		key, word string
		known     map[string]string
	}{
		{"level", r.Level, legend.Levels}, {"scope", r.Scope, legend.Scopes},
		{"source", r.Source, legend.Sources}, {"kind", r.Kind, legend.Kinds},
	} {
		optional := s.Formats == nil && (word.key == "source" || word.key == "kind") // Native has neither
		if word.known[word.word] == "" && !(optional && word.word == "") {
			l.problem(s.File, "rule %s has the %s %q, which legend.rule_%s does not explain", r.ID, word.key, word.word, word.key)
		}
	}
	c := r.Check
	if c == nil {
		return
	}
	if legend.Ops[c.Op] == "" {
		l.problem(s.File, "rule %s has the op %q, which legend.check_ops does not explain", r.ID, c.Op)
	}
	if c.List != "" && listByName(s.lists, c.List) == nil {
		l.problem(listsFile, "no list %q, which rule %s in %s names: add it, or correct the name there", c.List, r.ID, s.File)
	}
	if c.Format != "" {
		l.ruleFormat(s, r)
	}
}

// ruleFormat checks the format of a rule.
func (l *loader) ruleFormat(s *Spec, r *Rule) {
	name := r.Check.Format
	format, ok := s.Formats[name]
	if !ok {
		l.problem(s.File, "rule %s names the format %q, which formats does not have", r.ID, name)
		return
	}
	if format.Expected, ok = l.words.Expected[name]; !ok {
		l.problem(openRTBNames, `expected has no %q, which rule %s checks: add %q: "...", what a finding says was expected`, name, r.ID, name)
	}
	s.Formats[name] = format
}

// silence checks what one silence refers to.
func (l *loader) silence(s *Spec, c *Silence) {
	at := "a silence of " + c.Rule
	if c.When != "" {
		at += " (" + c.When + ")"
	}
	rule := s.Rule(c.Rule)
	if rule == nil {
		l.problem(s.File, "%s: there is no such rule", at)
		return
	}
	if c.YieldsTo == c.Rule || c.YieldsTo != "" && s.Rule(c.YieldsTo) == nil {
		l.problem(s.File, "%s yields to %q: expected another rule", at, c.YieldsTo)
	}
	if c.Field != "" {
		object, field := rule.Object, c.Field
		if rule.Object == "*" {
			object, field, _ = strings.Cut(c.Field, ".")
		}
		if o := s.Object(object); o == nil || o.Field(field) == nil {
			l.problem(s.File, "%s has the field %q, but there is no such field", at, c.Field)
		}
	}
	if c.Why == "" || len(c.Example) == 0 {
		l.problem(s.File, "%s needs a why and an example", at)
	}
}
