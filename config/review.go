package config

import (
	"fmt"
	"regexp"

	"github.com/rtbwire/rtbwire/inspect"
)

// Warning is something that a configuration may say, and that a reviewer should know.
type Warning struct {
	Place   Place
	Message string
}

// Summary returns place and message on one line.
func (w Warning) Summary() string { return w.Place.Problem("", w.Message).Summary() }

// Review returns what is probably not meant: partners that anybody can be, lists that do nothing,
// scrubs that may fail open. Layers in shadow and rules that only observe are ordinary.
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
		for _, setting := range layer.Severities {
			if setting.Reasons == scrubFailed && setting.Severity != inspect.Refuse {
				add(setting.Place, "requests that can't be scrubbed are forwarded with what was to be removed")
			}
		}
	}
	for i := range c.Partners {
		p := &c.Partners[i]
		if m := &p.Match; m.MTLS == "" && len(m.From) == 0 && m.TokenEnv == "" && m.TokenFile == "" {
			add(p.Place, "anybody can be the partner %s: its match has none of mtls, from and a token", p.Name)
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

func (s *Setup) reviewLists(conditions []*Condition, add func(at Place, format string, args ...any)) {
	used := map[string]bool{}
	for _, when := range conditions {
		for _, match := range usedList.FindAllStringSubmatch(when.Source, -1) {
			used[match[1]] = true
		}
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
			add(l.Place, "no condition uses the list %s", l.Name)
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
