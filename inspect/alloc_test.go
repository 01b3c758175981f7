package inspect

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestAllocations checks that requests without findings cost no memory, whatever layers there are,
// and that the steps cost none either.
func TestAllocations(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("the decoder copies strings")
	}
	c := layered(Layer{}, Layer{Sample: 0.5}, Layer{Severities: []Setting{{impID, Warn}}, Shadow: true})
	c.Annotate = true
	rich := layered(Layer{}, Layer{}, Layer{Shadow: true, Rules: []Rule{objection("shadow", failing)}})
	for i := range 20 {
		rich.Global.Rules = append(rich.Global.Rules, objection(fmt.Sprint(i), []rule.Condition{never, failing}[i%2]))
	}
	rich.Global.Scrubs = []Scrub{{"user", failing, removes("/user", "/device/ip")}, {"id", always, removes("/user/id", "/ext")}}
	rich.Annotate = true
	observed := layered(Layer{}, Layer{Enforce: new(float64), Rules: []Rule{objection("refuses", always)}}, Layer{})
	observed.Annotate = true
	searched := Config{Payload: ownPayload}
	searched.Payload.Work = 1 << 20
	engines := map[string]*Engine{"payload": mustNew(t, searched), "default": mustNew(t, Config{}), "layers": mustNew(t, c), "rules": mustNew(t, rich), "observed": mustNew(t, observed)}
	for name, e := range engines {
		for _, base := range []string{"site", "app", "dooh"} {
			body := bytes.Replace(clean(t, base), []byte(`"cur": ["USD", "EUR"]`), []byte(`"cur": ["USD"]`), 1) // two are a finding
			w := e.NewWorker()
			facts := Facts{Partner: "p", Publisher: "pub", UserAgent: "x"}
			out := make([]byte, 0, 2*len(body))
			judge := func() {
				v := w.Inspect(body, facts)
				if v.Action != ActionForward || v.Shadow != nil && v.Shadow.Action != ActionForward {
					t.Fatalf("%s", lasting(v))
				}
				if err := w.Decode(body); err != nil || w.Request() == nil {
					t.Fatal(err)
				}
				w.Judge(facts)
				if name == "default" || name == "payload" {
					return
				}
				var err error
				if name == "rules" { // an ext that is removed and made again takes two passes, which cost memory
					if len(v.Errors) != 11 || len(v.Scrubs) != 2 || len(v.Edits) != 3 {
						t.Fatalf("%s", lasting(v))
					}
					return
				}
				if out, err = v.Apply(out[:0], body); err != nil || len(out) <= len(body) {
					t.Fatal(err)
				}
			}
			judge()
			if n := testing.AllocsPerRun(10, judge); n != 0 && !testkit.Race {
				t.Errorf("engine %s, %s: %v allocations", name, base, n)
			}
		}
	}
}

// TestAllocationsOff checks that what is off costs no memory on any request.
func TestAllocationsOff(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("the decoder copies strings")
	}
	w := mustNew(t, only("schema.*", Off)).NewWorker()
	docs := testkit.Requests(t)
	for _, doc := range docs {
		w.Inspect(doc, Facts{})
	}
	for _, doc := range docs {
		if w.Inspect(doc, Facts{}); w.Request() == nil {
			continue // the error is made anew
		}
		if n := testkit.Allocs(func() { w.Inspect(doc, Facts{}) }); n != 0 && !testkit.Race {
			t.Fatalf("%v allocations for %s", n, doc)
		}
	}
}
