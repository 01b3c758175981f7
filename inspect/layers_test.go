package inspect

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// layered is a configuration with layers for a partner and a publisher of it.
func layered(global, partner, publisher Layer) Config {
	return Config{Global: global, Partners: map[string]Partner{
		"p": {Layer: partner, Publishers: map[string]Layer{"pub": publisher}},
	}}
}

func set(reasons string, s Severity) Layer { return Layer{Severities: []Setting{{reasons, s}}} }

// TestLayers checks which layers count for whom: the inner ones win.
func TestLayers(t *testing.T) {
	e := mustNew(t, layered(Layer{Severities: []Setting{{"schema.*", Off}, {impID, Warn}}}, set(impID, Refuse), set(impID, Observe)))
	other := strings.Replace(noImpID, `"pub"`, `"other"`, 1)
	for _, c := range []struct {
		name  string
		facts Facts
		body  string
		want  Severity
	}{
		{"no partner", Facts{}, noImpID, Warn},
		{"an unknown partner", Facts{Partner: "q"}, noImpID, Warn},
		{"the partner", Facts{Partner: "p"}, other, Refuse},
		{"the publisher", Facts{Partner: "p"}, noImpID, Observe},
		{"another publisher by the facts", Facts{Partner: "p", Publisher: "other"}, noImpID, Refuse},
		{"the publisher by the facts", Facts{Partner: "p", Publisher: "pub"}, other, Observe},
		{"the publisher of another partner", Facts{Partner: "q", Publisher: "pub"}, noImpID, Warn},
		{"of an app", Facts{Partner: "p"}, strings.Replace(noImpID, `"site"`, `"app"`, 1), Observe},
		{"of a dooh", Facts{Partner: "p"}, strings.Replace(noImpID, `"site"`, `"dooh"`, 1), Observe},
		{"of an app, next to a site without one", Facts{Partner: "p"}, strings.Replace(noImpID, `"site"`, `"site":{"id":"s"},"app"`, 1), Observe},
	} {
		v := e.NewWorker().Inspect([]byte(c.body), c.facts)
		i := slices.IndexFunc(v.Findings, func(f Finding) bool { return f.ID == impID })
		if i < 0 || v.Findings[i].Severity != c.want || (v.Action == ActionRefuse) != (c.want == Refuse) {
			t.Errorf("%s: got %s, want severity %v", c.name, lasting(v), c.want)
		}
	}
	if v := e.NewWorker().Inspect([]byte("{"), Facts{Partner: "p"}); v.Reason != "json.truncated" {
		t.Errorf("an undecodable request of the partner: %+v", v.Decision)
	}
}

// TestSettingsInOrder checks that later settings win, and the short form of ids.
func TestSettingsInOrder(t *testing.T) {
	for settings, want := range map[string]Severity{
		"* off, Imp.id.required warn":            Warn,
		"Imp.id.required warn, * off":            Off,
		"*.required observe, schema.* refuse":    Refuse,
		"schema.* refuse, Imp.* observe":         Observe,
		"Imp.* warn, schema.Imp.id.required off": Off,
	} {
		var l Layer
		for s := range strings.SplitSeq(settings, ", ") {
			reasons, word, _ := strings.Cut(s, " ")
			severity, err := ParseSeverity(word)
			if err != nil {
				t.Fatal(err)
			}
			l.Severities = append(l.Severities, Setting{reasons, severity})
		}
		e := mustNew(t, Config{Global: l})
		if got := e.global.at(0).live.severities[registry().numbers[impID]]; got != want {
			t.Errorf("%s: %v, want %v", settings, got, want)
		}
	}
}

// TestShadow holds what a shadow layer means: without it the verdict is the same, and its Shadow is
// the verdict of an engine whose layers are all live.
func TestShadow(t *testing.T) {
	layers := [3]Layer{
		{Severities: []Setting{{"*.recommended", Warn}, {"Site.*", Off}, {"payload.xss.*", Warn}}, Rules: []Rule{objection("global", hashed(3), Warn), objection("failing", failing)}},
		{Severities: []Setting{{"*.recommended", Refuse}, {"json.type", Observe}, {"policy.global", Refuse}, {"payload.own.*", Observe}}, Scrubs: []Scrub{{"outer", hashed(2), removes("/user")}}},
		{
			Severities: []Setting{{"*.required", Observe}, {"Site.*", Refuse}, {"Banner.*", Off}, {"policy.*", Observe}, {"policy.scrub", Warn}, {"payload.*", Off}, {"payload.xss.*", Refuse}},
			Rules:      []Rule{objection("inner", hashed(4))},
			Scrubs:     []Scrub{{"inner", failing, replaces("/user/id", `"x"`)}, {"impossible", hashed(5), impossible}},
		},
	}
	docs := documents(t)
	testkit.Rand(2).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	docs = docs[:len(docs)/testkit.Scale(t, 8, 4, 1)]
	for shadows := range 8 {
		inShadow, without := layers, layers
		inside := false
		for i := range layers {
			inShadow[i].Shadow = shadows>>i&1 == 1
			if inside = inside || inShadow[i].Shadow; inside {
				without[i] = Layer{}
			}
		}
		if inShadow[0].Shadow {
			without[0] = set("*", Off)
		}
		base := func(ls [3]Layer) *Worker {
			c := layered(ls[0], ls[1], Layer{})
			c.Partners["p"].Publishers[""] = ls[2]
			c.Annotate, c.Payload = true, ownPayload
			return mustNew(t, c).NewWorker()
		}
		shadow, live, all := base(inShadow), base(without), base(layers)
		refused := 0
		for _, doc := range docs {
			facts := Facts{Partner: "p"}
			v := shadow.Inspect(doc, facts)
			checkVerdict(t, shadow.engine, v, doc, MaxFindingsDefault)
			inner := v.Shadow
			v.Shadow = nil
			if got, want := lasting(v), lasting(live.Inspect(doc, facts)); got != want {
				t.Fatalf("shadows %03b: got %s\nwithout the layers %s", shadows, got, want)
			}
			if inner == nil && inside && PublisherOf(shadow.Request()) == "" {
				t.Fatalf("shadows %03b: no shadow verdict", shadows)
			}
			if inner != nil {
				if got, want := lasting(*inner), lasting(withoutEdits(all.Inspect(doc, facts))); got != want {
					t.Fatalf("shadows %03b: the shadow is %s\nwith live layers it is %s", shadows, got, want)
				}
				if inner.Action == ActionRefuse {
					refused++
				}
			}
			if inShadow[0].Shadow && v.Action == ActionRefuse {
				t.Fatalf("a shadow refuses: %s", lasting(v))
			}
		}
		if inside && refused < len(docs)/10 {
			t.Errorf("shadows %03b: the shadow refuses only %d of %d documents", shadows, refused, len(docs))
		}
	}
}

// TestSample checks that a layer is about the share asked for, that the same requests are chosen in
// any order, and that smaller shares choose among those of larger ones.
func TestSample(t *testing.T) {
	const count = 20000
	body := func(i int) []byte { return fmt.Appendf(nil, `{"id":"%d","imp":[{}]}`, i) }
	chosen := map[float64]map[int]bool{}
	for _, share := range []float64{0.01, 0.05, 0.5, 0.95, 1, 0} {
		e := mustNew(t, layered(set("*", Off), Layer{}, Layer{Severities: []Setting{{impID, Refuse}}, Sample: share}))
		chosen[share] = map[int]bool{}
		w := e.NewWorker()
		for i := range count {
			if w.Inspect(body(i), Facts{Partner: "p", Publisher: "pub"}).Action == ActionRefuse {
				chosen[share][i] = true
			}
		}
		other := e.NewWorker()
		for i := count - 1; i >= 0; i -= 7 {
			if (other.Inspect(body(i), Facts{Partner: "p", Publisher: "pub"}).Action == ActionRefuse) != chosen[share][i] {
				t.Fatalf("share %v: request %d is chosen at one time only", share, i)
			}
		}
		want := share
		if share == 0 {
			want = 1
		}
		deviation := 5 * math.Sqrt(want*(1-want)*count) // five standard deviations of a fair choice
		if got := float64(len(chosen[share])); math.Abs(got-want*count) > deviation {
			t.Errorf("share %v: %v of %d are chosen", share, got, count)
		}
	}
	for i := range chosen[0.01] {
		if !chosen[0.05][i] || !chosen[0.5][i] {
			t.Fatalf("request %d is in the smaller share only", i)
		}
	}
}

// TestSampledLayers compares every combination of shares with an engine that has just the layers
// that are about the request.
func TestSampledLayers(t *testing.T) {
	layers := [3]Layer{set("*.required", Warn), set(impID, Refuse), set("BidRequest.*", Refuse)}
	shares := []float64{0.2, 0.6, 1}
	docs := testkit.Requests(t)[:100]
	for n := range 27 {
		sampled := layers
		for i := range sampled {
			sampled[i].Sample = shares[n/[]int{1, 3, 9}[i]%3]
		}
		worker := mustNew(t, layered(sampled[0], sampled[1], sampled[2])).NewWorker()
		for _, doc := range docs {
			facts := Facts{Partner: "p", Publisher: "pub"}
			got := lasting(worker.Inspect(doc, facts))
			left := layers
			for i := range left {
				if SampleOf(worker.Request(), doc) >= sampled[i].Sample {
					if left[i] = (Layer{}); i == 0 {
						left[i] = set("*", Off)
					}
				}
			}
			if want := lasting(mustNew(t, layered(left[0], left[1], left[2])).NewWorker().Inspect(doc, facts)); got != want {
				t.Fatalf("shares %d: got %s\nwant %s", n, got, want)
			}
		}
	}
}

// TestSampleOf holds the documented hash: other programs may compute it, too. The values are by a
// program in Python.
func TestSampleOf(t *testing.T) {
	for text, want := range map[string]uint64{"": 0xefd01f60ba992926, "a": 0x82a2a958a9bece5b, "1234": 0xa8bb3784d20592aa} {
		if got := hash(text); got != want {
			t.Errorf("hash(%q) = %#x, want %#x", text, got, want)
		}
		if hash([]byte(text)) != hash(text) {
			t.Errorf("the bytes of %q have another hash", text)
		}
	}
	w := new(Worker)
	place := func(body string) float64 {
		_ = w.Decode([]byte(body))
		return SampleOf(w.Request(), []byte(body))
	}
	if place(`{"id":"x"}`) != place(`{"id": "\u0078", "at":1}`) {
		t.Error("the text around the id counts")
	}
	if place(`{"at":1}`) == place(`{"at":2}`) || place(`{"id":""}`) == place(`{"id":"" }`) || place(`{`) == place(`[`) {
		t.Error("without an id, the text does not count")
	}
	if p := float64(math.MaxUint64>>11) / (1 << 53); p >= 1 {
		t.Errorf("the largest place is %v", p)
	}
}

func TestConfigErrors(t *testing.T) {
	nested := func(l Layer) Config { return layered(Layer{}, Layer{}, l) }
	for want, c := range map[string]Config{
		`unknown preset "x"`: {Preset: "x"},
		`MaxFindings is -1`:  {MaxFindings: -1},
		`nil option`:         {Decoding: []wire.Option{nil}},
		`wire.Lenient`:       {Decoding: []wire.Option{wire.Strict(), wire.Lenient()}},
		`the global layer: no reason matches "Imp.ix.*"`: {Global: set("Imp.ix.*", Off)},
		`no reason matches "any.object"`:                 {Global: set("any.object", Off)},
		`no reason matches "*.*.*.x*"`:                   {Global: set("*.*.*.x*", Off)},
		`invalid severity Severity(4)`:                   {Global: set("*", Refuse+1)},
		`partner "p": the sample is 1.5`:                 layered(Layer{}, Layer{Sample: 1.5}, Layer{}),
		`partner "p", publisher "pub": the sample is -1`: nested(Layer{Sample: -1}),
		`the sample is NaN`:                              nested(Layer{Sample: math.NaN()}),
		`publisher "pub": no reason matches "x"`:         nested(set("x", Off)),
	} {
		e, err := New(c)
		if e != nil || err == nil || !strings.HasPrefix(err.Error(), "inspect: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestEngineIsImmutable checks that an engine keeps nothing that the caller could change.
func TestEngineIsImmutable(t *testing.T) {
	c := layered(set(impID, Off), set(impID, Off), set(impID, Off))
	c.Decoding = []wire.Option{wire.Strict()}
	e := mustNew(t, c)
	facts := Facts{Partner: "p"}
	before := lasting(e.NewWorker().Inspect([]byte(noImpID), facts))
	c.Global.Severities[0].Severity = Refuse
	c.Partners["p"].Severities[0].Severity = Refuse
	c.Partners["p"].Publishers["pub"].Severities[0].Severity = Refuse
	delete(c.Partners, "p")
	c.Decoding[0] = wire.MaxSize(1)
	if after := lasting(e.NewWorker().Inspect([]byte(noImpID), facts)); after != before {
		t.Errorf("before %s\nafter %s", before, after)
	}
}

// TestPoliciesAreShared checks that partners and publishers with the same severities cost no
// policies of their own.
func TestPoliciesAreShared(t *testing.T) {
	c := Config{Partners: map[string]Partner{}}
	for i := range 10 {
		p := Partner{Layer: set(impID, Warn), Publishers: map[string]Layer{}}
		for j := range 10 {
			p.Publishers[fmt.Sprint(j)] = set("*.deprecated", Severity(j%2))
		}
		c.Partners[fmt.Sprint(i)] = p
	}
	e := mustNew(t, c)
	policies := map[*resolvedPolicy]bool{}
	for _, p := range e.partners {
		policies[p.own.at(0).live] = true
		for _, q := range p.publishers {
			policies[q.at(0).live] = true
		}
	}
	if len(policies) > 3 {
		t.Errorf("%d policies for 3 combinations of severities", len(policies))
	}
}

// TestCuts checks the border of a share: a place equal to it is outside.
func TestCuts(t *testing.T) {
	e := mustNew(t, Config{Global: Layer{Sample: 0.5}})
	for place, judged := range map[float64]bool{0: true, math.Nextafter(0.5, 0): true, 0.5: false, math.Nextafter(1, 0): false} {
		if got := len(e.global.at(place).live.judges) > 0; got != judged {
			t.Errorf("a request at %v is judged: %v, want %v", place, got, judged)
		}
	}
}
