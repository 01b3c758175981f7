package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/spec"
)

// TestRulesDocument keeps docs/reference/rules.md up to date.
func TestRulesDocument(t *testing.T) { golden(t, "../../docs/reference/rules.md", rulesDocument(t)) }

const rulesIntro = `# The rules

<!-- Written by go test ./inspect/schema -run TestRulesDocument -update. Do not edit. -->

Package [inspect/schema](../../inspect/schema) checks bid requests and bid responses against the rules of OpenRTB %[1]s,
and native payloads against those of OpenRTB Native Ads %[9]s. %[2]d rules follow from them, from documents that they refer to
and from practice. %[3]d of them are checked; no message can decide the other %[4]d, which are at the end of this page with the
reasons. %[5]d more rules are about the text ("json.").

## Severities

A finding has the severity of its rule: **error**, **warn** or **info**. The default, which is the preset
*strict*, follows from the source of the rule and its wording:

| the rule | severity |
| --- | --- |
| the specification, or a document it refers to, says "must" | error |
| it says "should" | warn |
| it recommends a field, gives a list of codes that may grow, or asks for tidiness (unknown keys, empty arrays and strings) | info |
| its format is only a hint, because traffic often departs from it (%[6]s) | info |
| it is derived, or a matter of practice (see below) | at most warn |
| the text can't be decoded, or a value has a type that no decoder accepts for the field | error |

The column *source* says where a rule comes from:

| source | meaning |
| --- | --- |
%[7]s
**Derived rules are advice.** A document that breaks one is unusual and often mistaken, but complies with the
specification: Rule.Compliance reports false whatever the severity. Some derived rules (%[8]s) are errors all the same,
because decoders refuse such documents.

**Practice** is what auction servers refuse or mend although the specification does not ask for it, and what
linters warn of.

A finding inside a native payload has the offset of the string, and a path that continues after a "#"
(/imp/0/native/request#/assets/1/img).

Three more presets have other severities for the same rules. *exchange* is for a gateway between established
partners: errors stay errors; warnings about old places of fields, most advice and all information are off.
*permissive* keeps errors only for unusable messages, and turns the other errors into warnings. *admission*
refuses what auction servers refuse, and what the next reader could read differently: a key that comes twice at
any depth, a known key in another case. What servers mend is a warning; everything else is off.
Every severity can be configured rule by rule, or by pattern ("*.deprecated").

## Rules by object
`

const silencesIntro = `
## Rules that yield to others

Where two rules overlap, one of them reports the fault: for a tmax of -1, BidRequest.tmax.range does and
BidRequest.tmax.positive yields. A rule yields only to one with at least its severity; if the other one is milder,
both report, and if it is off, the first one alone. An entry without another rule is an exception.

| rule | yields to | when | because |
| --- | --- | --- | --- |
`

// advisoryFormats lists the formats that are only a hint.
func advisoryFormats(s *spec.Spec) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.Formats)) {
		if s.Formats[name].Advisory && !s.Formats[name].Unchecked {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// sourceRows is the table of the sources, in the order in which the rules name them.
func sourceRows(s *spec.Spec) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, r := range Rules() {
		if !seen[r.Source] {
			fmt.Fprintf(&b, "| %s | %s |\n", r.Source, s.Legend.Sources[r.Source])
		}
		seen[r.Source] = true
	}
	return b.String()
}

// severeAdvice lists the derived rules that are errors.
func severeAdvice() string {
	var ids []string
	for _, r := range Rules() {
		if r.Source == "derived" && r.Severity == Error {
			ids = append(ids, r.ID)
		}
	}
	return strings.Join(ids, ", ")
}

// silenceRows is the table of the silences.
func silenceRows(s *spec.Spec) string {
	var b strings.Builder
	for _, c := range s.Silences {
		rule, other := "`"+c.Rule+"`", "`"+c.YieldsTo+"`"
		if c.Field != "" {
			rule += " of " + cell(c.Field)
		}
		if c.YieldsTo == "" {
			other = ""
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", rule, other, cell(c.When), cell(c.Why))
	}
	return b.String()
}

func rulesDocument(t *testing.T) string {
	t.Helper()
	var engines []*Engine
	for _, p := range Presets() {
		e, err := New(WithPreset(p))
		if err != nil {
			t.Fatal(err)
		}
		engines = append(engines, e)
	}
	s := spec.OpenRTB()
	undecidable := 0
	for _, r := range Rules() {
		if r.Undecidable != "" {
			undecidable++
		}
	}
	all := len(s.Rules) + len(spec.Native().Rules)
	var b strings.Builder
	fmt.Fprintf(&b, rulesIntro, s.Version, all, all-undecidable, undecidable, len(s.OwnRules),
		advisoryFormats(s), sourceRows(s), severeAdvice(), spec.Native().Version)

	names := map[string]string{"*": "Every object, and the text"}
	var order []string
	byObject := map[string][]Rule{}
	var reasons []string
	byReason := map[string][]Rule{}
	for _, r := range Rules() {
		list, key := byObject, r.Object
		if r.Undecidable != "" {
			list, key = byReason, r.Undecidable
		}
		if list[key] == nil {
			if r.Undecidable != "" {
				reasons = append(reasons, key)
			} else {
				order = append(order, key)
			}
		}
		list[key] = append(list[key], r)
	}
	for _, object := range order {
		name := object
		if names[object] != "" {
			name = names[object]
		}
		fmt.Fprintf(&b, "\n### %s\n\n| rule | strict | exchange | permissive | admission | section | source | asks that |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n", name)
		for _, r := range byObject[object] {
			fmt.Fprintf(&b, "| `%s` |", r.ID)
			for _, e := range engines {
				fmt.Fprintf(&b, " %s |", e.Severity(r.ID).Level())
			}
			fmt.Fprintf(&b, " %s | %s | %s |\n", r.Section, r.Source, cell(r.Summary))
		}
	}
	b.WriteString(silencesIntro + silenceRows(s))
	fmt.Fprintf(&b, "\n## Rules that no message decides\n\nThese %d rules are never reported. Each group has the reason.\n", undecidable)
	for _, reason := range reasons {
		fmt.Fprintf(&b, "\n%s.\n\n| rule | section | source | asks that |\n| --- | --- | --- | --- |\n", strings.ToUpper(reason[:1])+reason[1:])
		for _, r := range byReason[reason] {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.ID, r.Section, r.Source, cell(r.Summary))
		}
	}
	return b.String()
}

// cell makes text fit for a cell of a Markdown table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`).Replace(s)
}
