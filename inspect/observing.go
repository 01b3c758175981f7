package inspect

// Observing says what refuses nothing at the moment: what would refuse is reported with the
// severity observe, and [Verdict.Shadow] is the verdict that would be. Scrubs apply in any case,
// and a request that can't be scrubbed is refused in any case.
//
// A request with more findings that refuse than [Config.MaxFindings] is refused if only some
// reasons are observed: it is not known what the findings beyond are about.
type Observing struct {
	// All says that no reason refuses.
	All bool
	// Reasons are the ids of those that do not.
	Reasons map[string]bool
}

// grade returns the severity that a finding has, whose reason has the severity s.
func (o *Observing) grade(r *Reason, s Severity) Severity {
	if o == nil || s != Refuse || !o.All && !o.Reasons[r.ID] || r.ID == scrubFailed {
		return s
	}
	return Observe
}

// beyond is the message of a finding that stands for those that were not kept.
const beyond = "there are more findings that refuse than are kept"

// dropUnknown counts findings that an inspector has not kept, and whose reasons it does not know.
// One that would refuse may be about a reason that is not observed, unless all are: it refuses, in
// the name of one that is observed.
func (e *emitter) dropUnknown(s Severity, n int) {
	if s == Refuse && n > 0 && e.observing != nil {
		switch {
		case e.observing.All:
			s = Observe
		case e.decided == nil && e.observed != nil:
			last := e.findings[len(e.findings)-1]
			o := e.observing
			e.observing = nil
			e.emit(e.observed, Refuse, last.Path, last.Offset, beyond)
			e.observing = o
			n--
		}
	}
	e.drop(s, n)
}
