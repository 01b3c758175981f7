package stream_test

import (
	"maps"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/stream"
)

type holdsFor func(in *rule.Input) bool

func (h holdsFor) Holds(in *rule.Input) (bool, error) { return h(in), nil }

// TestCandidate compares a second configuration: records go where the live one sends them, and the
// differences are counted.
func TestCandidate(t *testing.T) {
	t.Parallel()
	engine, err := inspect.New(inspect.Config{Global: inspect.Layer{Rules: []inspect.Rule{{
		Name: "odd", When: holdsFor(func(in *rule.Input) bool {
			if in.Request.ID == "0" {
				panic("planted")
			}
			return (in.Request.ID[len(in.Request.ID)-1]-'0')%2 == 1
		}),
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	const count = 100 // fewer than the queue has room for
	source := newMemory(append(good(count), `{"id":`))
	r := start(t, source, func(o *stream.Options) { o.Candidate = inspect.NewHolder(engine) })
	r.eventually("all to be committed", source.allCommitted)
	if accepted, refused := r.accepted.count(), r.dead.count(); accepted != count || refused != 1 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
	// One of the even ones panics, and the text that is cut is the same.
	want := map[string]float64{"same": count / 2, "to-refuse": count / 2, "to-forward": 0, "other-reason": 0, "observed-refuse": 0, "observed-forward": 0}
	r.eventually("the candidate's differences", func() bool { return maps.Equal(counted(t, r.Stream, "candidate_requests_total"), want) })
	if got := counted(t, r.Stream, "candidate_changes_total"); !maps.Equal(got, map[string]float64{"to-refuse policy.odd": count / 2}) {
		t.Errorf("counted %v", got)
	}
	if c := r.Candidate(); c == nil || c.Generation != 1 {
		t.Errorf("%+v", c)
	}
	if err := r.ended(); err != nil {
		t.Error(err)
	}
}
