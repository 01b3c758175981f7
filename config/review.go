package config

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Warning is something that a configuration may say, and that a reviewer should know.
type Warning struct {
	Place   Place
	Message string
}

// Summary returns place and message on one line.
func (w Warning) Summary() string { return w.Place.Problem("", w.Message).Summary() }

// Review returns what is probably not meant: partners that anybody can be, lists and weights that
// do nothing, scrubs that may fail open. Layers in shadow and rules that only observe are ordinary.
func (s *Setup) Review() (warnings []Warning) {
	add := func(at Place, format string, args ...any) {
		warnings = append(warnings, Warning{at, fmt.Sprintf(format, args...)})
	}
	c := s.Config
	conditions := c.conditions()
	s.reviewLists(conditions, add)
	if c.Rates == nil {
		for _, when := range conditions {
			if usdCall.MatchString(when.Source) {
				add(when.Place, "usd() without rates: no currency but USD has a value")
			}
		}
	}
	for _, layer := range c.layers() {
		for _, own := range layer.Severities {
			if own.Reasons == scrubFailed && own.Severity != inspect.Refuse {
				add(own.Place, "requests that can't be scrubbed are forwarded with what was to be removed")
			}
		}
	}
	s.reviewScrubs(add)
	s.reviewFraud(add)
	s.reviewGeoIP(add)
	for _, m := range setting.Modules() {
		if m.Review != nil {
			m.Review(&c.Scope, add)
		}
	}
	return warnings
}

// scrubFailed is the reason of requests that can't be scrubbed.
const scrubFailed = policyPrefix + "scrub"

var (
	usdCall  = regexp.MustCompile(`\busd\s*\(`)
	usedList = regexp.MustCompile(`\blists\s*\.\s*([a-z0-9_]+)`)
)

// ambiguous are requests that two parsers read differently, by the rule about them.
var ambiguous = [...]struct{ rule, text string }{
	{"schema.any.duplicate-key", `{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],"site":{"id":"1"},"regs":{"coppa":1},"regs":{"coppa":0}}`},
	{"schema.any.key-case", `{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],"site":{"id":"1"},"REGS":{"COPPA":1}}`},
}

// reviewScrubs warns of scrubs with a condition that a request can get around, because another
// parser may find another value where it has a key twice or in other letters.
func (s *Setup) reviewScrubs(add func(at Place, format string, args ...any)) {
	for _, layer := range s.Config.layers() {
		for i := range layer.Scrub {
			when := &layer.Scrub[i].When
			if when.Source == "" {
				continue
			}
			for _, a := range ambiguous {
				v := s.Engine.NewWorker().Inspect([]byte(a.text), inspect.Facts{})
				if !slices.ContainsFunc(v.Findings, func(f inspect.Finding) bool { return f.ID == a.rule && f.Severity == inspect.Refuse }) {
					add(when.Place, "%s does not refuse, and the condition sees one of two copies: other parsers may read the other one", a.rule)
				}
			}
			return // one place is enough
		}
	}
}

func (s *Setup) reviewLists(conditions []*Condition, add func(at Place, format string, args ...any)) {
	used := map[string]bool{}
	for _, when := range conditions {
		for _, match := range usedList.FindAllStringSubmatch(when.Source, -1) {
			used[match[1]] = true
		}
	}
	for _, own := range s.Config.Fraud.lists() {
		used[own.name.Name] = true
	}
	for i := range s.Config.Lists {
		l := &s.Config.Lists[i]
		status := s.Lists.List(l.Name).Status()
		switch {
		case status.Entries == 0:
			add(l.Place, "the list %s is empty", l.Name)
		case status.Skipped > 0:
			add(l.Place, "%d entries of the list %s were skipped; the first: %v", status.Skipped, l.Name, status.SkippedFirst)
		}
		if !used[l.Name] {
			add(l.Place, "nothing uses the list %s", l.Name)
		}
	}
}

// conditions returns all conditions, outer layers first, those of rules before those of scrubs.
func (c *Config) conditions() (list []*Condition) {
	for _, layer := range c.layers() {
		for i := range layer.Rules {
			list = append(list, &layer.Rules[i].When)
		}
		for i := range layer.Scrub {
			if when := &layer.Scrub[i].When; when.Source != "" {
				list = append(list, when)
			}
		}
	}
	return list
}
