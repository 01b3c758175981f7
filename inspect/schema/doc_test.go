package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/spec"
)

// TestRulesDocument keeps docs/rules.md up to date.
func TestRulesDocument(t *testing.T) { golden(t, "../../docs/rules.md", rulesDocument(t)) }

const rulesIntro = `# The rules

<!-- Written by go test ./inspect/schema -run TestRulesDocument -update. Do not edit. -->

Package [inspect/schema](../inspect/schema) checks bid requests and bid responses against the rules of OpenRTB %[2]s.
%[1]d rules follow from it. %[4]d of them are checked; the other %[5]d, which no message can decide, stand at the end of
this page with the reason. %[3]d rules of its own are about the text ("json.").

## Severities

A finding has the severity of its rule: **error**, **warn** or **info**. The default, which is the preset
*strict*, follows from where the rule stands and how it is worded:

| the rule | severity |
| --- | --- |
| the specification, or a document it refers to, says "must" | error |
| it says "should" | warn |
| it recommends a field, gives a list of codes that may grow, or asks for tidiness (unknown keys, empty arrays and strings) | info |
| its format is only a hint, because traffic hardly ever follows it (UN/LOCODE cities) | info |
| it is derived (see below) | at most warn |
| the text can't be decoded, or a value has a type that no decoder takes for the field | error |

The column *source* says where a rule stands:

| source | meaning |
| --- | --- |
| spec | the text or the tables of OpenRTB 2.6 |
| impl-notes | its implementation notes, section 7 |
| schain | the SupplyChain document |
| external | a privacy specification that OpenRTB refers to |
| derived | nowhere: it follows from the text or from plain sense |
| contract | what rtbwire's decoder accepts |

**Derived rules are advice.** A document that breaks one is unusual, often mistaken, but it does comply with
the specification; Rule.Compliance reports false for them whatever their severity. The exceptions among their
severities are the three about JSON types (any.type, any.integer, any.utf8): they are errors, because
decoders refuse such documents.

Two more presets are tables over the same rules. *exchange* is for a gateway between parties that trade
already: errors stay errors, warnings about old places of fields and most advice are off, so is all
information. *permissive* keeps as errors only what makes a message unusable, and turns the other errors into
warnings. Every severity can be configured rule by rule, or by pattern ("*.deprecated").

Where two rules overlap, one of them speaks: a tmax of -1 is found by BidRequest.tmax.range and not a second
time by BidRequest.tmax.positive. If the rule that speaks is configured to a lower severity than the other
one, or off, the other one speaks too.

## Rules by object
`

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
	var b strings.Builder
	fmt.Fprintf(&b, rulesIntro, len(s.Rules), s.Version, len(rules)-len(s.Rules), len(s.Rules)-undecidable, undecidable)

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
		fmt.Fprintf(&b, "\n### %s\n\n| rule | strict | exchange | permissive | section | source | asks that |\n| --- | --- | --- | --- | --- | --- | --- |\n", name)
		for _, r := range byObject[object] {
			fmt.Fprintf(&b, "| `%s` |", r.ID)
			for _, e := range engines {
				fmt.Fprintf(&b, " %v |", e.Severity(r.ID))
			}
			fmt.Fprintf(&b, " %s | %s | %s |\n", r.Section, r.Source, cell(r.Summary))
		}
	}
	n := 0
	for _, list := range byReason {
		n += len(list)
	}
	fmt.Fprintf(&b, "\n## Rules that no message decides\n\nThese %d rules are never reported. Each group has the reason.\n", n)
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
