package gateway

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/scrub"
)

// TestEnforce sends requests of partners that enforce nothing, a half and everything: what is only
// observed goes on with its scrubs, is counted and shown, and its answer does not change.
func TestEnforce(t *testing.T) {
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		answer := answerOf(seatOf("a", bid("x", "1", 0.5, ""))) // below the floor
		up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { io.WriteString(w, answer) })
		none, half := 0.0, 0.5
		refuses := inspect.Refuse
		program, err := scrub.Compile(scrub.Spec{Remove: []string{"/user"}})
		if err != nil {
			t.Fatal(err)
		}
		isTest := func(in *rule.Input) bool { return in.Request.Test != nil && *in.Request.Test == 1 }
		engine, err := inspect.New(inspect.Config{
			Global: inspect.Layer{
				Rules:  []inspect.Rule{{Name: "test", When: conditionFunc(isTest), Severity: &refuses}},
				Scrubs: []inspect.Scrub{{Program: program}},
			},
			Partners: map[string]inspect.Partner{
				"none": {Layer: inspect.Layer{Enforce: &none}}, "half": {Layer: inspect.Layer{Enforce: &half}},
				"scrubs": {Layer: inspect.Layer{Enforce: &none, ObserveScrubs: true}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Upstreams: At(up.URL), Engine: engine, Responses: Responses{Mode: ResponsesEnforce}}
		for _, name := range []string{"none", "half", "scrubs", "all"} {
			o.Partners = append(o.Partners, Partner{Name: name, Match: Match{Path: "/" + name}, NoBid: NoBid400})
		}
		g := serve(o)
		body := func(id string, test int) string {
			return fmt.Sprintf(`{"id":%q,"test":%d,"imp":[{"id":"1","bidfloor":1.0,"banner":{"w":300,"h":250}}],"site":{"id":"s"},"user":{"id":"u"}}`, id, test)
		}
		want, worker := map[string]float64{}, new(inspect.Worker)
		for i := range 40 {
			id := fmt.Sprintf("request-%d", i)
			if err := worker.Decode([]byte(body(id, 1))); err != nil {
				t.Fatal(err)
			}
			inside := inspect.SampleOf(worker.Request(), nil) < half
			for partner, observed := range map[string]bool{"none": true, "half": !inside, "scrubs": true, "all": false} {
				for _, test := range []int{0, 1} {
					r := g.post(t, "/"+partner, []byte(body(id, test)))
					got := up.take()
					if test == 1 && !observed {
						if r.status != 400 || len(got) != 0 {
							t.Fatalf("%s: %+v", partner, r)
						}
						continue
					}
					if len(got) != 1 || strings.Contains(string(got[0].body), "user") != (partner == "scrubs") {
						t.Fatalf("%s, test %d: %+v, the core got %+v", partner, test, r, got)
					}
					reason := ""
					if test == 1 {
						reason = "policy.test"
						want[partner+",policy.test"]++
					}
					mode := map[bool]string{false: "enforce", true: "observe"}[observed]
					if h := got[0].header; h.Get("X-Rtbwire-Action") != "forward" || h.Get("X-Rtbwire-Reason") != reason || h.Get("X-Rtbwire-Responses") != mode {
						t.Fatalf("%s, test %d: the core got %v", partner, test, h)
					}
					if unchanged := r.status == 200 && r.body == answer; unchanged != observed {
						t.Fatalf("%s, test %d: the answer is %+v", partner, test, r)
					}
				}
			}
		}
		// Not a judgement: there is no request that could go on.
		if r := g.post(t, "/none", []byte(`{"id":`)); r.status != 400 || len(up.take()) != 0 {
			t.Errorf("%+v", r)
		}
		got := measured(t, g.Gateway, Namespace+"would_refuse_total")
		if len(got) != len(want) {
			t.Errorf("would_refuse_total is %v, want %v", got, want)
		}
		for labels, n := range want {
			if got[labels] != n {
				t.Errorf("would_refuse_total{%s} is %v, want %v", labels, got[labels], n)
			}
		}
		if want["half,policy.test"] == 0 || want["half,policy.test"] == 40 {
			t.Errorf("of a half, %v are observed", want["half,policy.test"])
		}
		if n := counted(g.metrics.answers.results.WithLabelValues("observe", "refused")); n == 0 {
			t.Error("no answer was judged to be refused")
		}
		seen := map[bool]int{}
		for _, r := range g.Rejects() {
			seen[r.Observed]++
		}
		if seen[true] == 0 || seen[false] == 0 {
			t.Errorf("refused requests that are shown, by whether they went on: %v", seen)
		}
	})
}
