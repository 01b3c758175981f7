package verdictchange

import (
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
)

func TestBetween(t *testing.T) {
	t.Parallel()
	refuse := func(reason string) inspect.Decision {
		return inspect.Decision{Action: inspect.ActionRefuse, Reason: reason}
	}
	forward := inspect.Verdict{}
	a, b := inspect.Verdict{Decision: refuse("a")}, inspect.Verdict{Decision: refuse("b")}
	observed := inspect.Verdict{Observed: &inspect.Observation{Decision: refuse("a"), Refusals: true}}
	clean := inspect.Verdict{Observed: &inspect.Observation{Refusals: true}}
	for _, c := range []struct {
		before, after *inspect.Verdict
		kind          Kind
		old, next     string
	}{
		{&forward, &forward, Same, "", ""},
		{&forward, &clean, Same, "", ""},
		{&a, &a, Same, "a", "a"},
		{&observed, &observed, Same, "", ""},
		{&forward, &a, ToRefuse, "", "a"},
		{&observed, &a, ToRefuse, "", "a"},
		{&a, &forward, ToForward, "a", ""},
		{&a, &observed, ToForward, "a", ""},
		{&a, &b, OtherReason, "a", "b"},
		{&forward, &observed, ObservedRefuse, "", "a"},
		{&observed, &clean, ObservedForward, "a", ""},
	} {
		before, after := Of(c.before), Of(c.after)
		if kind, old, next := Between(&before, &after); kind != c.kind || old != c.old || next != c.next {
			t.Errorf("%+v, then %+v: %v %q %q, want %v %q %q", before, after, kind, old, next, c.kind, c.old, c.next)
		}
	}
}
