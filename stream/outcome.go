package stream

import (
	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// outcome is what becomes of a record.
type outcome struct {
	decision, shadow inspect.Decision
	would            inspect.Decision // refuse a record that is accepted because it is only observed
	counts           *rejects.Judged  // of the partner
	score            int
	partner          string
	path             string // where the finding is that decided
	offset           int    // in the value; -1 if there is no place
	value            []byte // as it was read
	own              bool   // the reason is the stream's, not the verdict's
}

// refused reports whether the record goes to the dead letters.
func (o *outcome) refused() bool { return o.decision.Action == inspect.ActionRefuse }

// refuse refuses a record for a reason that is not the verdict's.
func (o *outcome) refuse(reason string, nbr adcom.NoBidReason) {
	o.path, o.offset, o.own = "", -1, true
	o.decision = inspect.Decision{Action: inspect.ActionRefuse, Reason: reason, NBR: nbr}
}

// place notes where the finding is that decided.
func (o *outcome) place(v *inspect.Verdict) {
	for i := range v.Findings {
		if own := &v.Findings[i]; own.Severity == inspect.Refuse && own.ID == v.Reason {
			o.path, o.offset = own.Path, own.Offset
			return
		}
	}
}
