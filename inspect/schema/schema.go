// Package schema evaluates the rules of OpenRTB on a bid request, on a bid response, and on a
// request and its response together.
//
// The rules are data of the specification ([Rules] lists them). Most of their code is generated
// from that data (checks_gen.go), the rest is written by hand next to it (rules_request.go,
// rules_response.go, rules_pair.go, text.go). An [Engine] holds a configuration and is shared by
// all goroutines; a [Checker] holds the working memory of one goroutine. Checking a document
// without findings does not allocate.
//
//	engine, err := schema.New(schema.WithPreset(schema.Exchange))
//	checker := engine.NewChecker()
//	report := checker.Request(body)
//	for _, f := range report.Findings { ... }
//
// Two layers look at a document. The text layer reads the bytes: grammar, JSON types, null,
// duplicate and misspelt keys. The value layer reads the decoded [openrtb.BidRequest] or
// [openrtb.BidResponse]: everything else. A gateway that has decoded the request already
// calls [Checker.RequestValue] and pays for the second layer alone.
package schema

import (
	"fmt"
	"slices"
	"sort"
)

// Severity grades a finding.
type Severity uint8

// The severities, in rising order.
const (
	Off   Severity = iota // the rule is not reported at all
	Info                  // worth knowing: a list code or a key the specification does not have
	Warn                  // a "should" of the specification, or a derived rule, is not met
	Error                 // a "must" of the specification is broken, or the text can't be decoded
)

var severityNames = [...]string{Off: "off", Info: "info", Warn: "warn", Error: "error"}

// String returns "off", "info", "warn" or "error".
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("Severity(%d)", s)
}

// ParseSeverity reads the text form of a severity; "warning" is accepted for Warn.
func ParseSeverity(text string) (Severity, error) {
	if text == "warning" {
		return Warn, nil
	}
	if i := slices.Index(severityNames[:], text); i >= 0 {
		return Severity(i), nil
	}
	return Off, fmt.Errorf("schema: severity %q is none of off, info, warn, error", text)
}

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
	// Message is what a finding of the rule says; it never holds a part of the document.
	Message string
	// Level is "must" or "should", after the wording of the source.
	Level string
	// Kind groups rules: required, recommended, flag, enum, range, format, exclusive, ...
	Kind string
	// Scope is what the rule speaks about: request, response, both, pair, or processor,
	// transport, external for rules that no message can decide.
	Scope string
	// Source is where the rule stands: "spec", "impl-notes" (section 7), "schain" (the
	// SupplyChain document), "external" (privacy specifications), "derived" (implied by the
	// text or plain sense, never stated in it: a finding is advice, not non-compliance), or
	// "contract" (what rtbwire's decoder accepts).
	Source string
	// Severity is what a finding has unless it is configured otherwise.
	Severity Severity
	// Undecidable is empty for rules that are checked. For the others it says why one
	// message, or one pair of messages, can't decide them.
	Undecidable string
}

// Compliance reports whether a finding of the rule means that the specification is not met.
// It is false for derived rules, whatever their severity.
func (r Rule) Compliance() bool {
	return r.Source != "derived" && r.Level == "must" && r.Kind != "enum"
}

// Rules returns every rule in the order of the specification's data, followed by the rules
// of the decoding contract ("json.syntax", ...). The slice is the caller's.
func Rules() []Rule { return slices.Clone(rules[:]) }

// RuleByID returns the rule with the given id.
func RuleByID(id string) (Rule, bool) {
	if n, ok := ruleNumber(id); ok {
		return rules[n], true
	}
	return Rule{}, false
}

// ruleNumber finds a rule by binary search; it is for configuration, not for checking.
func ruleNumber(id string) (ruleID, bool) {
	i := sort.Search(len(rulesByName), func(i int) bool { return rules[rulesByName[i]].ID >= id })
	if i < len(rulesByName) && rules[rulesByName[i]].ID == id {
		return rulesByName[i], true
	}
	return 0, false
}

// Doc tells which of the two documents of a pair a finding points into.
type Doc uint8

// The documents.
const (
	Request Doc = iota
	Response
)

// HasField reports whether the specification has a field of the given name at the top level of
// the document.
func (d Doc) HasField(name []byte) bool { return roots[d].field(name) != 0 }

// String returns "request" or "response".
func (d Doc) String() string {
	if d == Response {
		return "response"
	}
	return "request"
}

// Finding is one place where a rule is not met.
type Finding struct {
	// ID is the rule's id.
	ID string
	// Severity is the configured severity of the rule.
	Severity Severity
	// Doc is the document that Path and Offset point into.
	Doc Doc
	// Path is a JSON Pointer (RFC 6901) with array indexes, "/imp/0/banner/w"; "" is the
	// root. For something that is missing it is the path the value would have.
	Path string
	// Offset is the place in the document's bytes: of the value, of the key for findings
	// about keys, of the enclosing object for something missing; -1 when the text was not
	// given or can't be located.
	Offset int
	// Message says what was expected. It is a constant: nothing of the document is in it.
	Message string

	rule ruleID
}

// Rule returns the rule that the finding is about.
func (f Finding) Rule() Rule { return rules[f.rule] }

// Report is the outcome of one check.
type Report struct {
	// Findings in the order of the document's structure. They belong to the Checker and are
	// valid until its next call; the strings in them may be kept.
	Findings []Finding
	// Dropped counts findings beyond the limit (see [WithMaxFindings]); their severities
	// are part of Counts all the same.
	Dropped int
	// Counts holds the number of findings per severity, dropped ones included.
	Counts [Error + 1]int
}

// Valid reports whether no finding has severity [Error].
func (r Report) Valid() bool { return r.Counts[Error] == 0 }
