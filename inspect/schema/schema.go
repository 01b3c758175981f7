// Package schema evaluates the rules of OpenRTB on a bid request, on a bid response, and on a
// request and its response together.
//
// The rules are data of the specification ([Rules] lists them). Most of their code is generated
// from that data (checks_gen.go), the rest is written by hand next to it (rules_request.go,
// rules_response.go, rules_pair.go, native.go, text.go). An [Engine] holds a configuration and is
// shared by all goroutines; a [Checker] holds the working memory of one goroutine. Checking a
// document without findings does not allocate.
//
//	engine, err := schema.New(schema.WithPreset(schema.Admission))
//	checker := engine.NewChecker()
//	report := checker.Request(body)
//	for _, f := range report.Findings { ... }
//
// Two layers look at a document. The text layer reads the bytes: grammar, JSON types, null,
// duplicate and misspelt keys. The value layer reads the decoded [openrtb.BidRequest] or
// [openrtb.BidResponse]: everything else. A gateway decodes and judges in two steps, with
// [Checker.Decode] and [Checker.Judge]; one that has decoded the request by other means calls
// [Checker.RequestValue] and pays for the second layer alone.
//
// Inside, each part has a type with the state that it may touch: findings collects (findings.go),
// docText knows places in a text (document.go, nodes.go, places.go, edits.go), walker and
// acceptedWalker read texts (text.go, accepted.go, keys.go, repair.go), values is what rules on
// decoded values work with (values.go), natives checks the documents inside strings (embedded.go,
// native.go), and pairs compares a response with its request (rules_pair.go).
package schema

import (
	"slices"
	"sort"

	"github.com/rtbwire/rtbwire/inspect/rule"
)

// Severity grades a finding. Its words in reports are the ones of [rule.Severity.Level].
type Severity = rule.Severity

// The severities, in rising order, by the names that they have in reports.
const (
	Off   = rule.Off     // the rule is not reported
	Info  = rule.Observe // worth knowing: a code or a key that the specification does not have
	Warn  = rule.Warn    // breaks a "should" of the specification, or a derived rule
	Error = rule.Refuse  // breaks a "must" of the specification, or can't be decoded
)

// Rule describes one rule; see [Rules].
type Rule struct {
	// ID is stable: "Imp.id.required".
	ID string
	// Object is the name in the specification, "*" for rules of every object.
	Object string
	// Section is the place in the specification; see Source for which one.
	Section string
	// Summary says what the rule asks for.
	Summary string
	// Message is the text of the rule's findings. It never holds a part of the document.
	Message string
	// Level is "must" or "should", after the wording of the source.
	Level string
	// Kind groups rules: required, recommended, flag, enum, range, format, exclusive, ...
	Kind string
	// Scope is what the rule is about: request, response, both, pair, or processor, transport,
	// external for rules that no message can decide.
	Scope string
	// Source says where the rule comes from: "spec", "impl-notes" (section 7), "schain" (the
	// SupplyChain document), "native" (OpenRTB Native Ads), "external" (privacy specifications),
	// "derived" (implied by the text or by common sense, never stated: a finding is advice, not
	// non-compliance), "practice" (not asked for at all: what auction servers refuse or mend, and
	// what linters warn of), or "contract" (what rtbwire's decoder accepts).
	Source string
	// Severity is the severity of findings unless configured otherwise.
	Severity Severity
	// Undecidable is empty for rules that are checked. For the others it says why no message,
	// and no pair of messages, can decide them.
	Undecidable string
}

// Compliance reports whether a finding of the rule means non-compliance with the specification.
// It is false for rules that are derived or a matter of practice, whatever their severity.
func (r Rule) Compliance() bool {
	return r.Source != "derived" && r.Source != "practice" && r.Level == "must" && r.Kind != "enum"
}

// Rules returns all rules in the order of the specification's data, followed by those of the
// decoding contract ("json.syntax", ...). The caller owns the slice.
func Rules() []Rule { return slices.Clone(rules[:]) }

// RuleByID returns the rule with the given id.
func RuleByID(id string) (Rule, bool) {
	if n, ok := ruleNumber(id); ok {
		return rules[n], true
	}
	return Rule{}, false
}

// ruleNumber finds a rule by binary search. It is for configuration, not for checking.
func ruleNumber(id string) (ruleID, bool) {
	i := sort.Search(len(rulesByName), func(i int) bool { return rules[rulesByName[i]].ID >= id })
	if i < len(rulesByName) && rules[rulesByName[i]].ID == id {
		return rulesByName[i], true
	}
	return 0, false
}

// Doc is the document of a pair that a finding points into.
type Doc = rule.Doc

// The documents.
const (
	Request  = rule.Request
	Response = rule.Response
)

// Finding is one place that breaks a rule. Its ID is the id of the rule; see [RuleByID].
type Finding = rule.Finding

// inspector is what findings of this package name.
const inspector = rule.InspectorSchema

// Report is the result of one check.
type Report struct {
	// Findings are in the order of the document's structure. The Checker owns the slice and
	// reuses it in its next call; the strings may be kept.
	Findings []Finding
	// Dropped counts the findings beyond the limit (see [WithMaxFindings]). Counts includes
	// them.
	Dropped int
	// Counts holds the number of findings per severity, dropped ones included.
	Counts [Error + 1]int
}

// Valid reports whether no finding has severity [Error].
func (r Report) Valid() bool { return r.Counts[Error] == 0 }
