package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/batch"
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

// Tally counts findings by rule.
type Tally struct {
	totals   map[tallyKey]*tallied
	document int64
	rules    rules
}

type tallyKey struct {
	id       string
	severity schema.Severity
}

type tallied struct {
	RuleTotal
	last int64 // the last document counted in Documents
}

// NewTally returns an empty tally.
func NewTally() *Tally { return &Tally{totals: map[tallyKey]*tallied{}, rules: rules{}} }

// Add counts the findings of a document.
func (t *Tally) Add(r *batch.Result) {
	t.document++
	for i := range r.Findings {
		f := &r.Findings[i]
		key := tallyKey{f.ID, f.Severity}
		total := t.totals[key]
		if total == nil {
			rule := t.rules.get(f.ID)
			total = &tallied{RuleTotal: RuleTotal{
				ID: f.ID, Severity: f.Severity, Section: rule.Section, Summary: rule.Summary, Reference: reference(rule),
			}}
			t.totals[key] = total
		}
		total.Findings++
		if total.last != t.document {
			total.last = t.document
			total.Documents++
		}
	}
}

// Rules returns the totals, the most severe and most frequent first.
func (t *Tally) Rules() []RuleTotal {
	totals := make([]RuleTotal, 0, len(t.totals))
	for _, total := range t.totals {
		totals = append(totals, total.RuleTotal)
	}
	slices.SortFunc(totals, func(a, b RuleTotal) int {
		return cmp.Or(-cmp.Compare(a.Severity, b.Severity), -cmp.Compare(a.Findings, b.Findings), cmp.Compare(a.ID, b.ID))
	})
	return totals
}
