package schema

// Tally counts the findings of many reports by rule and severity; lenient decoding gives some
// findings of a rule another severity than the others. The zero value is empty. One goroutine at a
// time may use it.
type Tally struct {
	reports int64
	counts  [len(rules) * int(Error)]tallied // by rule and severity
	used    []int32                          // those of counts that are not zero
}

// tallied is what a Tally knows of a rule with one severity.
type tallied struct {
	findings, reports int64
	last              int64 // the last report counted in reports
}

// RuleCount is how often a rule was broken.
type RuleCount struct {
	ID       string
	Severity Severity
	Findings int64
	Reports  int64 // that have such findings
}

// Add counts the findings of a report. Those that the report has dropped are not among them.
func (t *Tally) Add(findings []Finding) {
	t.reports++
	for i := range findings {
		f := &findings[i]
		at := int32(f.Number)*int32(Error) + int32(f.Severity) - 1
		c := &t.counts[at]
		if c.findings == 0 {
			t.used = append(t.used, at)
		}
		c.findings++
		if c.last != t.reports {
			c.last = t.reports
			c.reports++
		}
	}
}

// Merge adds what another tally has counted.
func (t *Tally) Merge(o *Tally) {
	for _, at := range o.used {
		c, more := &t.counts[at], &o.counts[at]
		if c.findings == 0 {
			t.used = append(t.used, at)
		}
		c.findings += more.findings
		c.reports += more.reports
	}
}

// Reset makes the tally empty. It keeps its memory.
func (t *Tally) Reset() {
	for _, at := range t.used {
		t.counts[at] = tallied{}
	}
	t.reports, t.used = 0, t.used[:0]
}

// Rules returns what was counted, in no particular order. The caller owns the slice.
func (t *Tally) Rules() []RuleCount {
	list := make([]RuleCount, 0, len(t.used))
	for _, at := range t.used {
		c := &t.counts[at]
		list = append(list, RuleCount{
			ID: rules[at/int32(Error)].ID, Severity: Severity(at%int32(Error)) + 1, Findings: c.findings, Reports: c.reports,
		})
	}
	return list
}
