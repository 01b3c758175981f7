package inspect

import (
	"bytes"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// FuzzInspect holds what is true of the verdict on every text: see checkVerdict. A cold worker, a
// warm one and the two steps agree, and the text is not written to.
func FuzzInspect(f *testing.F) {
	for i, doc := range testkit.Requests(f) {
		if i%40 == 0 {
			f.Add(doc, "p", "")
		}
	}
	for _, c := range verdictCases {
		f.Add([]byte(c.body), "p", "pub")
		f.Add([]byte(c.body), "p", "half")
		f.Add([]byte(c.body), "p", "none")
	}
	for _, seed := range fragments {
		f.Add([]byte(`{"id":"1","imp":[{`+seed+`}],`+seed+`}`), "", "pub")
	}
	const limit = 10
	config := layered(set("*.recommended", Refuse), Layer{Severities: []Setting{{"*", Refuse}}, Shadow: true}, Layer{Severities: []Setting{{"*.required", Warn}}, Sample: 0.5})
	config.Preset, config.MaxFindings, config.Annotate = schema.Strict, limit, true
	config.Global.Rules = []Rule{objection("one", hashed(2), Warn), objection("two", failing, Observe)}
	config.Global.Scrubs = []Scrub{{"one", hashed(3), removes("/user", "/ext")}, {"two", hashed(5), impossible}}
	config.Payload = ownPayload
	config.Global.Severities = append(config.Global.Severities, Setting{"payload.xss.*", Observe})
	other := config.Partners["p"]
	other.Severities = append(other.Severities, Setting{"payload.sqli.*", Off}, Setting{"payload.own.*", Warn})
	other.Rules = []Rule{objection("three", hashed(4))}
	other.Scrubs = []Scrub{{"three", failing, removes("/user/id", "/device/ip", "/ext/rtbwire/x")}}
	half := 0.5
	other.Publishers["half"] = Layer{Enforce: &half}
	other.Publishers["none"] = Layer{Enforce: new(float64), ObserveScrubs: true}
	config.Partners["p"] = other
	engine := mustNew(f, config)
	warm := engine.NewWorker()
	f.Fuzz(func(t *testing.T, body []byte, partner, publisher string) {
		if len(body) > 1<<16 {
			return
		}
		kept := bytes.Clone(body)
		facts := Facts{Partner: partner, Publisher: publisher}
		v := warm.Inspect(body, facts)
		checkVerdict(t, engine, v, body, limit)
		want := lasting(v)
		cold := engine.NewWorker()
		err := cold.Decode(body)
		if (err == nil) != (cold.Request() != nil) || err != nil && len(v.Edits) > 0 {
			t.Fatalf("the error is %v, the request %v, the edits %v", err, cold.Request(), v.Edits)
		}
		if got := lasting(cold.Judge(facts)); got != want {
			t.Fatalf("a cold worker says %s\na warm one %s", got, want)
		}
		if place := SampleOf(cold.Request(), body); place < 0 || place >= 1 {
			t.Fatalf("the place in the sample is %v", place)
		}
		if !bytes.Equal(body, kept) {
			t.Fatal("the text was written to")
		}
	})
}
