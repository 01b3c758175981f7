package inspect

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

const (
	good    = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s","publisher":{"id":"pub"}}}`
	noImpID = `{"id":"1","imp":[{"banner":{"w":300,"h":250}}],"site":{"id":"s","publisher":{"id":"pub"}}}`
	impID   = "schema.Imp.id.required"
)

// only makes a configuration in which one reason counts.
func only(reason string, s Severity) Config {
	return Config{Global: Layer{Severities: []Setting{{"*", Off}, {reason, s}}}}
}

var verdictCases = []struct {
	name   testkit.CaseName
	config Config
	body   string
	want   Decision
	path   string // of the finding that decided
	offset int
}{
	{name: testkit.Name("nothing to say"), body: good},
	{name: testkit.Name("a rule of the specification"), body: noImpID,
		want: Decision{ActionRefuse, impID, adcom.NoBidReasonInvalidRequest}, path: "/imp/0/id", offset: 17},
	{name: testkit.Name("the first of several, by place"), body: `{"imp":[{"banner":{}},{"banner":{}}]}`,
		want: Decision{ActionRefuse, "schema.BidRequest.id.required", adcom.NoBidReasonInvalidRequest}, path: "/id", offset: 0},
	{name: testkit.Name("observed is forwarded"), body: noImpID, config: only(impID, Observe)},
	{name: testkit.Name("a warning is forwarded"), body: noImpID, config: only("Imp.id.*", Warn)},
	{name: testkit.Name("off is forwarded"), body: noImpID, config: only("*", Off)},
	{name: testkit.Name("no JSON"), body: `{"id":1x}`,
		want: Decision{ActionRefuse, "json.type", adcom.NoBidReasonInvalidRequest}, path: "/id", offset: 6},
	{name: testkit.Name("nothing"), body: ``,
		want: Decision{ActionRefuse, "json.empty", adcom.NoBidReasonInvalidRequest}},
	{name: testkit.Name("a syntax error"), body: `{"id" "1"}`,
		want: Decision{ActionRefuse, "json.syntax", adcom.NoBidReasonInvalidRequest}, offset: 6},
	{name: testkit.Name("two keys, to a strict decoder"), body: `{"id":"1","i\u0064":"2"}`, config: Config{Decoding: []wire.Option{wire.Strict()}},
		want: Decision{ActionRefuse, "json.duplicate", adcom.NoBidReasonInvalidRequest}, offset: 10},
	{name: testkit.Name("too large"), body: good, config: Config{Decoding: []wire.Option{wire.MaxSize(10)}},
		want: Decision{ActionRefuse, "limit.size", NBRLimit}, offset: 10},
	{name: testkit.Name("too deep"), body: good, config: Config{Decoding: []wire.Option{wire.MaxDepth(1)}},
		want: Decision{ActionRefuse, "json.depth", adcom.NoBidReasonInvalidRequest}, offset: 16, path: "/imp"},
	{name: testkit.Name("too many elements"), body: `{"id":"1","imp":[{},{},{}]}`, config: Config{Decoding: []wire.Option{wire.MaxElements(2)}},
		want: Decision{ActionRefuse, "limit.elements", NBRLimit}, offset: 16, path: "/imp"},
	{name: testkit.Name("too much memory"), body: `{"imp":[` + strings.Repeat(`{},`, 999) + `{}]}`, config: Config{Decoding: []wire.Option{wire.MaxMemory(0, 1)}},
		want: Decision{ActionRefuse, "limit.memory", NBRLimit}},
	{name: testkit.Name("an undecodable request that is let through"), body: `{`, config: only("json.*", Warn)},
}

func TestVerdict(t *testing.T) {
	for _, c := range verdictCases {
		e := mustNew(t, c.config)
		v := e.NewWorker().Inspect([]byte(c.body), Facts{})
		checkVerdict(t, e, v, []byte(c.body), MaxFindingsDefault)
		if v.Decision != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, v.Decision, c.want)
			continue
		}
		for _, f := range v.Findings {
			if f.ID == v.Reason && f.Severity == Refuse {
				if f.Path != c.path || f.Offset != c.offset {
					t.Errorf("%s: at %q, byte %d, want %q, byte %d", c.name, f.Path, f.Offset, c.path, c.offset)
				}
				break
			}
		}
	}
}

// TestFindingsAreTheRules compares with package schema: the same findings, graded alike, of every
// document that can be decoded. So the rules that are not reasons can't be broken by one.
func TestFindingsAreTheRules(t *testing.T) {
	for _, preset := range schema.Presets() {
		worker := mustNew(t, Config{Preset: preset, Global: Layer{Severities: []Setting{{"payload.*", Off}, {"fraud.*", Off}}}}).NewWorker()
		rules, err := schema.New(schema.WithPreset(preset))
		if err != nil {
			t.Fatal(err)
		}
		checker := rules.NewChecker()
		decoded := 0
		docs := documents(t)
		for _, doc := range docs {
			v := worker.Inspect(doc, Facts{})
			checkVerdict(t, worker.engine, v, doc, MaxFindingsDefault)
			if worker.Request() == nil {
				if len(v.Findings) != 1 || v.Action != ActionRefuse {
					t.Fatalf("an undecodable document has the verdict %s", lasting(v))
				}
				continue
			}
			decoded++
			report := checker.Request(doc)
			var want, got strings.Builder
			for _, f := range report.Findings {
				fmt.Fprintf(&want, "%d schema.%s %s %d %s\n", f.Severity, f.ID, f.Path, f.Offset, f.Message)
			}
			for _, f := range v.Findings {
				fmt.Fprintf(&got, "%d %s %s %d %s\n", f.Severity, f.ID, f.Path, f.Offset, f.Message)
			}
			if got.String() != want.String() || v.Dropped != report.Dropped || (v.Action == ActionForward) != report.Valid() {
				t.Fatalf("preset %s: got\n%s (%d dropped), want\n%s (%d dropped), of %s", preset, &got, v.Dropped, &want, report.Dropped, doc)
			}
		}
		if decoded < len(docs)/3 {
			t.Fatalf("only %d of %d documents were decoded", decoded, len(docs))
		}
	}
}

// TestSteps checks that Inspect is Decode and Judge, on warm and cold workers.
func TestSteps(t *testing.T) {
	e := mustNew(t, Config{Annotate: true})
	whole, steps := e.NewWorker(), e.NewWorker()
	for i, doc := range documents(t) {
		want := lasting(whole.Inspect(doc, Facts{}))
		err := steps.Decode(doc)
		if refusal := (*wire.Error)(nil); (err == nil) != (steps.Request() != nil) || err != nil && !errors.As(err, &refusal) {
			t.Fatalf("the error %v with the request %v", err, steps.Request())
		}
		for range 2 {
			if got := lasting(steps.Judge(Facts{})); got != want {
				t.Fatalf("two steps give %s\none gives %s", got, want)
			}
		}
		if i%16 == 0 {
			if got := lasting(e.NewWorker().Inspect(doc, Facts{})); got != want {
				t.Fatalf("a new worker gives %s\na warm one gives %s", got, want)
			}
		}
	}
}

// TestWorkerLifetime covers what a worker has before, between and after requests.
func TestWorkerLifetime(t *testing.T) {
	w := new(Worker)
	w.Release()
	if w.Request() != nil {
		t.Error("a new worker has a request")
	}
	if v := w.Judge(Facts{}); v.Reason != "json.empty" {
		t.Errorf("without a request: %+v", v.Decision)
	}
	if v := w.Inspect([]byte(good), Facts{}); v.Action != ActionForward || w.Request().ID != "1" {
		t.Errorf("a good request: %+v, %v", v.Decision, w.Request())
	}
	w.Release()
	if w.in.Body != nil || w.Request() != nil {
		t.Error("the worker keeps the request")
	}
	if v := w.Judge(Facts{}); v.Reason != "json.empty" {
		t.Errorf("after Release: %+v", v.Decision)
	}
}

func TestLimitOfFindings(t *testing.T) {
	body := []byte(`{"id":"1","imp":[` + strings.Repeat(`{"banner":{"w":-1}},`, 50) + `{"id":"1"}],"site":{"id":"s"},"test":7}`)
	for limit := 1; limit < 60; limit += 7 {
		e := mustNew(t, Config{MaxFindings: limit, Preset: schema.Strict})
		v := e.NewWorker().Inspect(body, Facts{})
		checkVerdict(t, e, v, body, limit)
		if v.Counts[Refuse] < 51 || v.Dropped == 0 {
			t.Errorf("limit %d: %d findings refuse, %d are dropped", limit, v.Counts[Refuse], v.Dropped)
		}
	}
}

// TestEmitter checks what happens beyond the limit, which no single inspector reaches.
func TestEmitter(t *testing.T) {
	severities := []Severity{Warn, Refuse, Off}
	reasons := registry().of(InspectorSchema)
	var e emitter
	e.begin(2)
	for n := range 12 {
		e.emit(&reasons[n], severities[n%3], "", n, "message")
		if len(e.findings) > 2 {
			t.Fatalf("%d findings are kept", len(e.findings))
		}
	}
	if e.findings[0].Severity != Warn || e.findings[1].ID != e.decided.ID || e.counts[Off] != 0 || e.counts[Warn]+e.counts[Refuse]-2 != e.dropped {
		t.Errorf("%+v", e)
	}
	e.begin(1) // the finding that decides takes the place of the only one
	e.emit(&reasons[0], Warn, "", 0, "message")
	e.emit(&reasons[1], Refuse, "", 1, "message")
	if len(e.findings) != 1 || e.findings[0].Severity != Refuse || e.dropped != 1 || e.decided != &reasons[1] {
		t.Errorf("%+v", e)
	}
	e.begin(1)
	if e.decided != nil || len(e.findings) != 0 || e.dropped != 0 {
		t.Errorf("after begin: %+v", e)
	}
}
