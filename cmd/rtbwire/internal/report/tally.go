package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// RuleTotal counts the findings of one rule with one severity. Lenient decoding gives some
// findings of a rule another severity; they are counted separately.
type RuleTotal struct {
	ID        string
	Severity  schema.Severity
	Section   string
	Summary   string
	Reference string // the section, or another source
	Findings  int64
	Documents int64 // that have such findings
}

// Summary is the outcome of a check.
type Summary struct {
	batch.Counts
	Inputs int
	Failed int // inputs that were not read to their end
	// Rules are the rules with findings, the most severe and most frequent first. Findings
	// that the limit per document dropped are in Counts alone.
	Rules []RuleTotal
	// Verdicts is what a configuration says about requests, nil without one.
	Verdicts *Verdicts
	// Pairs is how responses and requests have matched, nil if they were not compared.
	Pairs *Pairs
	// Elapsed is how long the check took, 0 if the report does not tell.
	Elapsed time.Duration
}

// Valid is the number of documents without a finding of level error.
func (s *Summary) Valid() int64 { return s.Documents - s.Invalid }

// Passed reports whether there were documents, all of them could be read, and none is invalid.
func (s *Summary) Passed() bool { return s.Documents > 0 && s.Invalid == 0 && s.Failed == 0 }

// MegabytesPerSecond is the text that was checked per second, in units of 1,000,000 bytes.
func (s *Summary) MegabytesPerSecond() float64 { return float64(s.Bytes) / 1e6 / s.Elapsed.Seconds() }

// DocumentsPerSecond is the number of documents that were checked per second.
func (s *Summary) DocumentsPerSecond() float64 { return float64(s.Documents) / s.Elapsed.Seconds() }

// tallyKey is a rule and a severity of its findings.
type tallyKey struct {
	id       string
	severity schema.Severity
}

// RuleTotals adds to counts what the specification says about the rules, or what e, which may be
// nil, says about its other reasons. The most severe and most frequent come first.
func RuleTotals(counts []schema.RuleCount, e *inspect.Engine) []RuleTotal {
	known := newRules(Options{Judge: e})
	totals := make([]RuleTotal, 0, len(counts))
	for _, c := range counts {
		rule := known.get(c.ID)
		total := RuleTotal{
			ID: c.ID, Severity: c.Severity, Section: rule.Section, Summary: rule.Summary, Reference: reference(rule),
			Findings: c.Findings, Documents: c.Reports,
		}
		if total.Reference == "" && e != nil {
			if reason, found := e.ReasonByID(c.ID); found {
				total.Reference = cmp.Or(reason.Layer, reason.Inspector.String())
			}
		}
		totals = append(totals, total)
	}
	slices.SortFunc(totals, func(a, b RuleTotal) int {
		return cmp.Or(-cmp.Compare(a.Severity, b.Severity), -cmp.Compare(a.Findings, b.Findings), cmp.Compare(a.ID, b.ID))
	})
	return totals
}
