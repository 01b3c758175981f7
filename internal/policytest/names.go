package policytest

import (
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// names are what cases can name. What a configuration does not have is a mistake: a case that
// expects no finding of a misspelt rule would pass forever.
type names struct {
	reasons  []string
	errors   []string // ids of rules and scrubs with conditions
	scrubs   []string
	partners []string
}

func newNames(s *config.Setup) *names {
	n := &names{partners: s.Config.Scope.Names()}
	for _, r := range s.Engine.Reasons() {
		n.reasons = append(n.reasons, r.ID)
		if r.Inspector == inspect.InspectorPolicy {
			n.errors = append(n.errors, r.ID)
		}
	}
	for _, layer := range s.Config.Scope.Layers() {
		list := scrub.Configured(layer)
		for i := range list {
			name := scrub.ConfiguredName(list, i)
			n.scrubs = append(n.scrubs, name)
			if list[i].Source.Text != "" {
				n.errors = append(n.errors, "scrub."+name)
			}
		}
	}
	return n
}

// check reports names in a case that the configuration does not have.
func (n *names) check(r *setting.Reader, c *Case) {
	if f := c.node.Get("facts"); f != nil && c.Facts.Partner != "" && !slices.Contains(n.partners, c.Facts.Partner) {
		r.Report(f.Get("partner").Problem(nearest.Name(c.Facts.Partner, n.partners), "the configuration has no partner %s", setting.Quote(c.Facts.Partner)))
	}
	n.decision(r, &c.Expect.nodes)
	for _, inner := range []*Decision{c.Expect.Observed, c.Expect.Shadow} {
		if inner != nil {
			n.decision(r, &inner.nodes)
		}
	}
}

func (n *names) decision(r *setting.Reader, d *decisionNodes) {
	check := func(node *setting.Node, known []string, pattern bool, what string) {
		if node == nil {
			return
		}
		for _, item := range append(slices.Clone(node.Items), node) {
			if item.Kind != setting.Scalar || item.Text == "" || slices.Contains(known, item.Text) ||
				pattern && slices.ContainsFunc(known, func(id string) bool { return matches(item.Text, id) }) {
				continue
			}
			if pattern && strings.Count(item.Text, "*") > 1 {
				r.Report(item.Problem("", "a pattern has one * only"))
				continue
			}
			r.Report(item.Problem(meant(item.Text, known), "the configuration has no %s %s", what, setting.Quote(item.Text)))
		}
	}
	check(d.reason, n.reasons, false, "reason")
	check(d.findings, n.reasons, true, "reason")
	check(d.notFindings, n.reasons, true, "reason")
	check(d.errors, n.errors, false, "condition with the id")
	check(d.scrubs, n.scrubs, false, "scrub")
}

// prefixes are often left out.
var prefixes = []string{"policy.", "schema.", "scrub.", "fraud."}

// meant returns the id that was probably meant.
func meant(id string, known []string) string {
	for _, prefix := range prefixes {
		if slices.Contains(known, prefix+id) {
			return prefix + id
		}
	}
	if near := nearest.Name(id, known); near != "" {
		return near
	}
	for _, prefix := range prefixes {
		if near := nearest.Name(prefix+id, known); near != "" {
			return near
		}
	}
	return ""
}

// matches reports whether an id is a text, or matches it as a pattern with one *.
func matches(pattern, id string) bool {
	prefix, suffix, star := strings.Cut(pattern, "*")
	return id == pattern || star && len(id) >= len(prefix)+len(suffix) && strings.HasPrefix(id, prefix) && strings.HasSuffix(id, suffix)
}
