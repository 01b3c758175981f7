package gateway

import (
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rule"
)

// TestCandidate compares a second configuration on both planes. It scrubs, panics and does not end,
// and no answer shows it. After it is promoted there is no difference any more.
func TestCandidate(t *testing.T) {
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		up := newCore(t, nil)
		refusing := func(name string, when func(*rule.Input) bool) *inspect.Engine {
			e, err := inspect.New(inspect.Config{Annotate: true, Global: inspect.Layer{Rules: []inspect.Rule{{Name: name, When: conditionFunc(when)}}}})
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		site := func(id string) func(*rule.Input) bool {
			return func(in *rule.Input) bool { return in.Request.Site != nil && in.Request.Site.ID == id }
		}
		hang := make(chan struct{})
		next := refusing("next", func(in *rule.Input) bool {
			if in.Request.Site == nil {
				return false
			}
			switch in.Request.Site.ID {
			case "panic":
				panic("planted")
			case "slow":
				<-hang
			}
			return in.Request.Site.ID == "new"
		})
		holder := inspect.NewHolder(next)
		o := Options{Upstreams: At(up.URL), Engine: refusing("now", site("old")), NoBid: NoBid400, Candidate: holder}
		g := serve(o)
		judged := func(change string) float64 {
			return measured(t, g.Gateway, Namespace+"candidate_requests_total")[change]
		}
		post := func(id string, status int) {
			t.Helper()
			if r := g.post(t, PathDefault, siteOf(id, "p")); r.status != status {
				t.Fatalf("%s: %+v", id, r)
			}
		}
		post("same", 200)
		post("new", 200)
		post("old", 400)
		post("panic", 200)
		post("new", 200)
		waitFor(t, "the candidate", func() bool { return judged("to-refuse") == 2 && judged("to-forward") == 1 && judged("same") == 1 })
		changes := measured(t, g.Gateway, Namespace+"candidate_changes_total")
		if changes["to-refuse,policy.next"] != 2 || changes["to-forward,policy.now"] != 1 || len(changes) != 2 {
			t.Errorf("%v", changes)
		}
		if n := measured(t, g.Gateway, Namespace+"candidate_skipped_total")["panic"]; n != 1 {
			t.Errorf("%v panics", n)
		}
		for _, r := range up.take() {
			if body := string(r.body); strings.Contains(body, "rtbwire") != strings.Contains(body, `"action":"forward"`) || strings.Contains(body, "policy.next") {
				t.Errorf("the core got %s", body)
			}
		}
		// The windows, metrics and the ring of refused requests are the live configuration's.
		if got := measured(t, g.Gateway, Namespace+"rejected_total"); got[",policy.now"] != 1 || sum(got) != 1 || len(g.Rejects()) != 1 {
			t.Errorf("%v, %v", got, g.Rejects())
		}

		// A rule that does not end holds up no answer.
		for range 20 {
			post("slow", 200)
		}
		close(hang)
		waitFor(t, "the slow ones", func() bool { return judged("same") == 21 })

		// Promoted.
		o.Engine = next
		o.Candidate = nil // it is that of New
		if _, err := g.Reload(o); err != nil {
			t.Fatal(err)
		}
		if shown := redactedText(t, g.Options()); !strings.Contains(shown, `"candidate":{"share":1}`) {
			t.Errorf("operators see %s", shown)
		}
		before := judged("to-refuse")
		post("new", 400)
		post("old", 200)
		waitFor(t, "the promoted one", func() bool { return judged("same") == 23 })
		if judged("to-refuse") != before || judged("to-forward") != 1 {
			t.Errorf("there are differences after the candidate is promoted")
		}
		if c := g.Candidate(); c == nil || c.Generation != 1 || c.Loaded.After(time.Now()) {
			t.Errorf("%+v", c)
		}
	})
	if _, err := New(Options{Upstreams: At("http://127.0.0.1:9"), CandidateShare: 2}); err == nil {
		t.Error("a share of 2 is accepted")
	}
}
