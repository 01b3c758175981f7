package batch

import (
	"maps"

	"github.com/rtbwire/rtbwire/inspect/schema"
)

// Tally counts findings by id and severity, whichever engine reports them. The zero value is empty.
// Findings that a report has dropped are not among them.
type Tally struct {
	rules   schema.Tally // what package schema reports, which has numbers to count by
	reasons map[reasonSeverity]reasonCount
}

// reasonSeverity is a reason with one of the severities that its findings have.
type reasonSeverity struct {
	id       string
	severity schema.Severity
}

// reasonCount counts findings, and the documents that have them.
type reasonCount struct{ findings, documents int64 }

// addVerdict counts the findings of a verdict.
func (t *Tally) addVerdict(findings []schema.Finding) {
	if t.reasons == nil {
		t.reasons = map[reasonSeverity]reasonCount{}
	}
	for i := range findings {
		f := &findings[i]
		key := reasonSeverity{f.ID, f.Severity}
		n := t.reasons[key]
		n.findings++
		n.documents += int64(btoi(!earlier(findings[:i], f)))
		t.reasons[key] = n
	}
}

// earlier reports whether one of the findings has the reason and the severity of f.
func earlier(findings []schema.Finding, f *schema.Finding) bool {
	for i := range findings {
		if findings[i].ID == f.ID && findings[i].Severity == f.Severity {
			return true
		}
	}
	return false
}

// merge adds what another tally has counted.
func (t *Tally) merge(o *Tally) {
	t.rules.Merge(&o.rules)
	if t.reasons == nil && len(o.reasons) > 0 {
		t.reasons = map[reasonSeverity]reasonCount{}
	}
	for key, n := range o.reasons {
		sum := t.reasons[key]
		t.reasons[key] = reasonCount{sum.findings + n.findings, sum.documents + n.documents}
	}
}

// reset empties the tally. It keeps its memory.
func (t *Tally) reset() {
	t.rules.Reset()
	clear(t.reasons)
}

// Rules returns one count for each id and severity, in no particular order. The caller owns the
// slice.
func (t *Tally) Rules() []schema.RuleCount {
	all := make(map[reasonSeverity]reasonCount, len(t.reasons))
	maps.Copy(all, t.reasons)
	for _, c := range t.rules.Rules() {
		key := reasonSeverity{c.ID, c.Severity}
		n := all[key]
		all[key] = reasonCount{n.findings + c.Findings, n.documents + c.Reports}
	}
	list := make([]schema.RuleCount, 0, len(all))
	for key, n := range all {
		list = append(list, schema.RuleCount{ID: key.id, Severity: key.severity, Findings: n.findings, Reports: n.documents})
	}
	return list
}
