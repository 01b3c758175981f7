package inspect

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// enforced is a layer of which a share is enforced.
func enforced(share float64, l Layer) Layer {
	l.Enforce = &share
	return l
}

// TestEnforce compares every combination of shares with an engine that enforces everything: inside
// of the smallest share the verdict is the same, outside it differs in the decision alone.
func TestEnforce(t *testing.T) {
	layers := [3]Layer{
		set("*.recommended", Warn),
		{Severities: []Setting{{impID, Refuse}}, Rules: []Rule{objection("some", hashed(3))}},
		set("BidRequest.*", Refuse),
	}
	shares := []float64{0, 0.3, 1}
	facts := Facts{Partner: "p", Publisher: "pub"}
	full := mustNew(t, layered(layers[0], layers[1], layers[2])).NewWorker()
	docs := documents(t)
	docs = docs[len(docs)-testkit.Scale(t, 100, 300, 3000):]
	spared := 0
	for n := range 27 {
		partly, least := layers, 1.0
		for i := range partly {
			share := shares[n/[]int{1, 3, 9}[i]%3]
			partly[i], least = enforced(share, partly[i]), min(least, share)
		}
		e := mustNew(t, layered(partly[0], partly[1], partly[2]))
		w := e.NewWorker()
		for _, doc := range docs {
			v := w.Inspect(doc, facts)
			checkVerdict(t, e, v, doc, MaxFindingsDefault)
			want := full.Inspect(doc, facts)
			if outside := SampleOf(w.Request(), doc) >= least; outside != (v.Observed != nil) || outside && !v.Observed.Refusals {
				t.Fatalf("shares %d: the request is outside: %v; %s", n, outside, lasting(v))
			}
			if o := v.Observed; o != nil {
				if o.Decision != want.Decision {
					t.Fatalf("shares %d: observed %+v, want %+v", n, o.Decision, want.Decision)
				}
				if w.Request() != nil { // otherwise there is nothing to forward
					if v.Action != ActionForward || v.WouldRefuse() != want.Decision && want.Action == ActionRefuse {
						t.Fatalf("shares %d: %s", n, lasting(v))
					}
					spared += int(v.WouldRefuse().Action)
				}
				v.Decision, v.Observed = o.Decision, nil
			}
			if got, want := lasting(v), lasting(want); got != want {
				t.Fatalf("shares %d: got %s\nwant %s", n, got, want)
			}
		}
	}
	if spared < len(docs) {
		t.Errorf("only %d refusals are observed", spared)
	}
	for _, share := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := New(Config{Global: enforced(share, Layer{})}); err == nil {
			t.Errorf("a share of %v is accepted", share)
		}
	}
}

// TestEnforceCovers says which reasons are judgements: those that forward a request where nothing
// is enforced.
func TestEnforceCovers(t *testing.T) {
	const plain = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s"},"user":{"id":"u"}}`
	limited := condition(func(*rule.Input) (bool, error) { return false, rule.ErrLimit })
	for _, c := range []struct {
		reason  string
		layer   Layer
		body    string
		covered bool
	}{
		{impID, Layer{}, noImpID, true},
		{"policy.a", Layer{Rules: []Rule{objection("a", always)}}, plain, true},
		{"limit.rule", Layer{Rules: []Rule{objection("a", limited)}}, plain, true},
		{"payload.xss.script-tag", Layer{}, strings.Replace(plain, `"u"`, `"<script>"`, 1), true},
		{"fraud.score", Layer{Severities: []Setting{{"fraud.score", Refuse}, {"payload.*", Off}}, Fraud: FraudSettings{Threshold: 1}}, strings.Replace(plain, `"user"`, `"device":{"ip":"192.0.2.1"},"user"`, 1), true},
		{"policy.scrub", scrubs(impossible), plain, false},
		{"json.truncated", Layer{}, "{", false},
		{"json.type", Layer{}, `{"id":1}`, false},
		{"limit.depth", Layer{}, strings.Repeat("[", 20000), false},
	} {
		for _, share := range []float64{0, 1} {
			v := mustNew(t, Config{Global: enforced(share, c.layer)}).NewWorker().Inspect([]byte(c.body), Facts{})
			full := v.Decision
			if v.Observed != nil {
				full = v.Observed.Decision
			}
			if full.Reason != c.reason && !(c.reason == "limit.depth" && strings.HasPrefix(full.Reason, "json.")) {
				t.Errorf("%s: the reason is %+v", c.reason, full)
			}
			if forwarded := v.Action == ActionForward; forwarded != (share == 0 && c.covered) {
				t.Errorf("%s, %v enforced: %s", c.reason, share, lasting(v))
			}
		}
	}
}

// TestEnforceScrubs: a request that goes on only because it is observed is scrubbed, and refused if
// it can't be, unless its scrubs are observed too.
func TestEnforceScrubs(t *testing.T) {
	user := Scrub{"user", nil, removes("/user")}
	refuses := objection("refuses", always)
	const scrubbed = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s","publisher":{"id":"pub"}}}`
	for _, c := range []struct {
		name    string
		layer   Layer
		observe bool // scrubs
		share   float64
		want    string // what goes on, "" if refused
		reason  string
		would   string
		names   []string // of scrubs that are observed
	}{
		{"enforced", Layer{Rules: []Rule{refuses}, Scrubs: []Scrub{user}}, false, 1, "", "policy.refuses", "", nil},
		{"observed", Layer{Rules: []Rule{refuses}, Scrubs: []Scrub{user}}, false, 0, scrubbed, "", "policy.refuses", nil},
		{"observed, with scrubs", Layer{Rules: []Rule{refuses}, Scrubs: []Scrub{user}}, true, 0, private, "", "policy.refuses", []string{"user"}},
		{"scrubs alone", scrubs(user.Program), true, 1, private, "", "", []string{"1"}},
		{"scrubs alone, refused", Layer{Rules: []Rule{refuses}, Scrubs: []Scrub{user}}, true, 1, "", "policy.refuses", "", nil},
		{"a scrub fails", Layer{Rules: []Rule{refuses}, Scrubs: []Scrub{user, {"bad", nil, impossible}}}, false, 0, "", "policy.scrub", "", nil},
		{"a scrub fails, observed", Layer{Scrubs: []Scrub{user, {"bad", nil, impossible}}}, true, 1, private, "", "policy.scrub", nil},
	} {
		c.layer.ObserveScrubs = c.observe
		e := mustNew(t, layered(Layer{}, enforced(c.share, c.layer), Layer{}))
		w := e.NewWorker()
		for range 2 { // a warm worker too
			v := w.Inspect([]byte(private), Facts{Partner: "p", Publisher: "pub"})
			checkVerdict(t, e, v, []byte(private), MaxFindingsDefault)
			if v.Reason != c.reason || v.WouldRefuse().Reason != c.would || (v.Action == ActionRefuse) != (c.want == "") {
				t.Errorf("%s: %s", c.name, lasting(v))
				continue
			}
			if v.Observed != nil {
				if names := v.Observed.Scrubs; !slices.Equal(names, c.names) {
					t.Errorf("%s: scrubs %q are observed, want %q", c.name, names, c.names)
				}
			}
			if c.want == "" {
				continue
			}
			if out, err := v.Apply(nil, []byte(private)); err != nil || string(out) != c.want {
				t.Errorf("%s: %s goes on, %v", c.name, out, err)
			}
		}
	}
}

// TestEnforceShare enforces the share that was asked for.
func TestEnforceShare(t *testing.T) {
	const count = 20000
	for _, share := range []float64{0.05, 0.5} {
		w := mustNew(t, layered(Layer{}, enforced(share, set(impID, Refuse)), Layer{})).NewWorker()
		refused := 0
		for i := range count {
			if w.Inspect(fmt.Appendf(nil, `{"id":"%d","imp":[{"banner":{"w":1,"h":1}}],"site":{"id":"1"}}`, i), Facts{Partner: "p"}).Action == ActionRefuse {
				refused++
			}
		}
		deviation := 5 * math.Sqrt(share*(1-share)*count) // five standard deviations of a fair choice
		if math.Abs(float64(refused)-share*count) > deviation {
			t.Errorf("%v of %d are enforced, %d are refused", share, count, refused)
		}
	}
}

// TestEnforceShadow: the verdict of layers in shadow refuses whatever is enforced.
func TestEnforceShadow(t *testing.T) {
	shadow := Layer{Shadow: true, Rules: []Rule{objection("inner", always)}}
	v := mustNew(t, layered(enforced(0, Layer{}), shadow, Layer{})).NewWorker().Inspect([]byte(private), Facts{Partner: "p"})
	if v.Action != ActionForward || v.Observed == nil || v.Observed.Action != ActionForward || v.Shadow == nil || v.Shadow.Reason != "policy.inner" || v.Shadow.Observed != nil {
		t.Errorf("%s", lasting(v))
	}
}

// TestEnforceResponse: outside of the share a response goes on as it is.
func TestEnforceResponse(t *testing.T) {
	cheap := change(t, answered, "/seatbid/0/bid/0/price=0.1")
	w := mustNew(t, Config{Partners: map[string]Partner{"p": {Layer: enforced(0, Layer{})}}}).NewWorker()
	w.Decode([]byte(askedFor))
	want := w.JudgeResponse(cheap, Facts{})
	wanted := outcome(want)
	if want.Observed != nil || len(want.Edits) == 0 {
		t.Fatalf("%+v", want)
	}
	for _, body := range [][]byte{cheap, []byte("{")} {
		v := w.JudgeResponse(body, Facts{Partner: "p"})
		if v.Action != ActionForward || v.Edits != nil || v.Observed == nil {
			t.Errorf("%+v", v)
		}
		if refused := string(body) == "{"; (v.Observed.Action == ActionRefuse) != refused {
			t.Errorf("observed %+v", v.Observed)
		}
		if string(body) != "{" && outcome(v) != wanted {
			t.Errorf("%s, want %s", outcome(v), wanted)
		}
	}
}
