package main

import (
	"strings"

	"github.com/rtbwire/rtbwire/spec"
)

// unlessSilent returns what the condition of a rule needs in addition for its silences. f is
// the field that is reported, nil if the rule is about several at once; known are fields that
// the condition has found present.
func (g *checkGen) unlessSilent(r *spec.Rule, f *spec.Field, known ...*spec.Field) (out string) {
	for _, s := range g.spec.Silences {
		if s.Rule == r.ID && (s.Field == "" || f != nil && s.Field == f.JSON) {
			out += " && !(" + g.silent(s, known...) + ")"
		}
	}
	return out
}

// silent returns the Go expression for a silence.
func (g *checkGen) silent(s *spec.Silence, known ...*spec.Field) string {
	g.silences[s] = true
	var terms []string
	if s.When != "" {
		terms = append(terms, g.condition(s.When, andTerm, known...))
	}
	if s.YieldsTo != "" {
		terms = append(terms, sprintf("c.covered(%s, %s)", ruleID(s.Rule), ruleID(s.YieldsTo)))
	}
	return strings.Join(terms, " && ")
}

// silentFunctions writes a function for each hand-written rule that has silences, for its code
// to call.
func (g *checkGen) silentFunctions() {
	for _, r := range g.spec.Rules {
		if !g.evaluated(r) || g.generated(r) || inTextLayer(r) {
			continue
		}
		var terms []string
		for _, s := range g.spec.Silences {
			if s.Rule == r.ID {
				terms = append(terms, g.silent(s))
			}
		}
		if terms == nil {
			continue
		}
		g.printf("// silent%s reports whether %s leaves a fault to another rule.\n", camel(r.ID), r.ID)
		g.printf("func silent%s(c *values, v *%s.%s) bool {\n\treturn %s\n}\n\n", camel(r.ID), g.pkg, g.object.Go, strings.Join(terms, " || "))
	}
}
