package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/lists"
	cel "github.com/rtbwire/rtbwire/inspect/policy"
	"github.com/rtbwire/rtbwire/inspect/rates"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/scrub"
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
// do nothing, scrubs that may fail open. It is in the order of the file. Layers in shadow and rules
// that only observe are ordinary.
func (s *Setup) Review() (warnings []Warning) {
	add := func(at Place, format string, args ...any) {
		warnings = append(warnings, Warning{at, fmt.Sprintf(format, args...)})
	}
	addAt := func(source *rule.Source, issue cel.Issue, format string, args ...any) {
		p := source.Place.Node().ProblemAt(issue.Offset, issue.Length, "", format, args...)
		warnings = append(warnings, Warning{setting.Place{File: p.File, Line: p.Line, Column: p.Column}, p.Message})
	}
	c := s.Config
	conditions := c.conditions()
	s.reviewLists(conditions, add)
	if _, some := rates.Configured(&c.Scope); !some {
		for _, own := range conditions {
			if usdCall.MatchString(own.source.Text) {
				add(own.source.Place, "usd() without rates: no currency but USD has a value")
			}
		}
	}
	for _, own := range conditions {
		if compiled, ok := (*own.when).(*cel.Condition); ok {
			for _, issue := range compiled.Growth() {
				addAt(own.source, issue, "%s", issue.Message)
			}
		}
	}
	s.reviewErrors(addAt)
	s.reviewScrubs(add)
	s.reviewFraud(add)
	s.reviewGeoIP(add)
	s.reviewAges(add)
	for _, m := range setting.Modules() {
		if m.Review != nil {
			m.Review(&c.Scope, add)
		}
	}
	slices.SortStableFunc(warnings, func(a, b Warning) int {
		return cmp.Or(slices.Index(c.Files, a.Place.File)-slices.Index(c.Files, b.Place.File), a.Place.Line-b.Place.Line, a.Place.Column-b.Place.Column)
	})
	return warnings
}

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
	for _, layer := range s.Config.Scope.Layers() {
		for _, own := range scrub.Configured(layer) {
			when := own.Source
			if when.Text == "" {
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

// reviewErrors warns of rules that refuse, and pass what they have no value for, where nobody has
// said that they are to.
func (s *Setup) reviewErrors(addAt func(source *rule.Source, issue cel.Issue, format string, args ...any)) {
	for _, layer := range s.Config.Scope.Layers() {
		rules := rule.Configured(layer)
		for i := range rules {
			own := &rules[i]
			compiled, ok := own.When.(*cel.Condition)
			if !ok || *own.Severity != rule.Refuse || own.OnError != rule.ByCause {
				continue
			}
			if lacking := compiled.Lacking(); len(lacking) > 0 {
				addAt(&own.Source, lacking[0], "%s, and the request passes the rule %s: say on_error: refuse, or on_error: pass if that is meant", lacking[0].Message, own.Name)
			}
		}
	}
}

func (s *Setup) reviewLists(conditions []condition, add func(at Place, format string, args ...any)) {
	used := map[string]bool{}
	for _, own := range conditions {
		for _, match := range usedList.FindAllStringSubmatch(own.source.Text, -1) {
			used[match[1]] = true
		}
	}
	for _, wanted := range fraud.ConfiguredLists(&s.Config.Scope, &fraud.Data{}) {
		used[wanted.Name.Name] = true
	}
	for _, l := range lists.Configured(&s.Config.Scope) {
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
