// Package verdictchange says how the verdict on a request changes from one configuration to
// another.
package verdictchange

import "github.com/rtbwire/rtbwire/inspect"

// Kind is how a verdict changes.
type Kind int

// The kinds. Requests of the last two are forwarded by both.
const (
	Same            Kind = iota
	ToRefuse             // forwarded before, refused after
	ToForward            // refused before, forwarded after
	OtherReason          // refused by both, for different reasons
	ObservedRefuse       // only after, it is forwarded because refusals are observed
	ObservedForward      // only before
	Kinds
)

var kindNames = [Kinds]string{"same", "to-refuse", "to-forward", "other-reason", "observed-refuse", "observed-forward"}

// String returns the name of the kind in reports and metrics.
func (k Kind) String() string { return kindNames[k] }

// Summary is what is compared of a verdict. It may be kept.
type Summary struct {
	Reason string // "" if the request is forwarded
	Would  string // what would refuse a forwarded request if it was not only observed
}

// Of returns what is compared of a verdict.
func Of(v *inspect.Verdict) Summary {
	if v.Action == inspect.ActionRefuse {
		return Summary{Reason: v.Reason}
	}
	return Summary{Would: v.WouldRefuse().Reason}
}

// Between compares two verdicts, and returns the reasons of the change: "" for one that has none.
func Between(before, after *Summary) (kind Kind, old, next string) {
	switch {
	case before.Reason == "" && after.Reason != "":
		return ToRefuse, "", after.Reason
	case before.Reason != "" && after.Reason == "":
		return ToForward, before.Reason, ""
	case before.Reason != after.Reason:
		return OtherReason, before.Reason, after.Reason
	case before.Would == "" && after.Would != "":
		return ObservedRefuse, "", after.Would
	case before.Would != "" && after.Would == "":
		return ObservedForward, before.Would, ""
	}
	return Same, before.Reason, after.Reason
}
