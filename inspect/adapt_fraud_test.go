package inspect

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// The weights of the signals that the tests of this file use, so that they hold whatever the
// defaults are. The cap of a family is never lower than a weight of its signals.
var weights = map[string]int{
	"address.private": 25, "inventory.size": 35, "supply.incomplete": 10, "supply.last": 20, "privacy.flags": 3, "address.peer": 30,
	"window.seen": 40, "vendor.score": 100, "address.datacenter": 50, "economics.imps": 20,
}

// settled is a layer with those weights, and with settings as [ruled] has them. The rules of the
// specification are off.
func settled(settings string) Layer {
	l := ruled("schema.*=off " + settings)
	l.Fraud.Weights = maps.Clone(weights)
	return l
}

// weighed is a layer with a threshold and weights: "address.private=5".
func weighed(threshold int, weights ...string) Layer {
	l := Layer{Fraud: FraudSettings{Threshold: threshold, Weights: map[string]int{}}}
	for _, w := range weights {
		id, number, _ := strings.Cut(w, "=")
		var n int
		if _, err := fmt.Sscan(number, &n); err != nil {
			panic(err)
		}
		l.Fraud.Weights[id] = n
	}
	return l
}

// scored lists the findings about fraud, the score and the decision, with the no-bid reason:
// "address.private=observe score=refuse 25 -> fraud.score 4".
func scored(v *Verdict) string {
	var list []string
	for _, f := range v.Findings {
		if id, ok := strings.CutPrefix(f.ID, fraudPrefix); ok {
			list = append(list, id+"="+f.Severity.String())
		}
	}
	list = append(list, fmt.Sprint(v.Score))
	if v.Action == ActionRefuse {
		list = append(list, "->", v.Reason, fmt.Sprint(int(v.NBR)))
	}
	return strings.Join(list, " ")
}

// Requests with signals of the weights above.
var (
	onePrivate = with(`"device":{"ua":"Roku/DVP-12.5","ip":"10.0.0.1"}`)                                                                            // 25
	onePixel   = `{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],"site":{"id":"s"}}`                                                           // 35
	oneOfEach  = `{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],"device":{"ua":"Roku/DVP-12.5","ip":"10.0.0.1"},"site":{"id":"s"}}`           // 60
	twoLight   = with(`"source":{"schain":{"complete":0,"nodes":[{"asi":"a.example","sid":"1"}]}},"device":{"ua":"Roku/DVP-12.5","dnt":0,"lmt":1}`) // 10 and 3
)

func TestFraud(t *testing.T) {
	type answers struct{ body, want string }
	for _, test := range []struct {
		name   string
		config Config
		facts  Facts
		list   []answers
	}{
		{name: "reported, and forwarded", config: Config{Global: settled("")}, list: []answers{
			{good, "0"}, {onePrivate, "address.private=observe 25"}, {onePixel, "inventory.size=observe 35"}, {twoLight, "supply.incomplete=observe privacy.flags=observe 13"},
			{oneOfEach, "address.private=observe inventory.size=observe score=observe 60"}, // the default threshold
		}},
		{name: "only the score refuses", config: Config{Global: settled("fraud.*=refuse")}, list: []answers{
			{onePrivate, "address.private=warn 25"}, {oneOfEach, "address.private=warn inventory.size=warn score=refuse 60 -> fraud.score 4"},
			{twoLight, "supply.incomplete=warn privacy.flags=warn 13"}, {good, "0"},
		}},
		{name: "severities", config: Config{Global: settled("fraud.score=refuse fraud.address.*=warn fraud.privacy.flags=refuse fraud.inventory.*=observe")}, list: []answers{
			{oneOfEach, "address.private=warn inventory.size=observe score=refuse 60 -> fraud.score 4"}, {twoLight, "supply.incomplete=observe privacy.flags=warn 13"},
		}},
		{name: "off removes the weight", config: Config{Global: settled("fraud.score=refuse fraud.address.private=off")}, list: []answers{
			{oneOfEach, "inventory.size=observe 35"}, {onePrivate, "0"},
		}},
		{name: "a weight of 0 is off", config: layered(settled("fraud.score=refuse"), Layer{}, weighed(0, "address.private=0")), facts: Facts{Partner: "p", Publisher: "pub"}, list: []answers{
			{oneOfEach, "inventory.size=observe 35"}, {onePrivate, "0"},
		}},
		{name: "the score is not reported", config: Config{Global: settled("fraud.*=warn fraud.score=off")}, list: []answers{
			{oneOfEach, "address.private=warn inventory.size=warn 60"}, {good, "0"},
		}},
		{name: "the score alone is warned about", config: Config{Global: settled("fraud.score=warn")}, list: []answers{
			{oneOfEach, "address.private=observe inventory.size=observe score=warn 60"},
		}},
		{name: "all signals are off", config: Config{Global: settled("fraud.*=off fraud.score=refuse")}, list: []answers{{oneOfEach, "0"}}},
		{name: "all is off", config: Config{Global: settled("*=off")}, list: []answers{{oneOfEach, "0"}}},
		{name: "a score at the threshold", config: layered(settled("fraud.score=refuse"), Layer{}, weighed(35)), facts: Facts{Partner: "p", Publisher: "pub"}, list: []answers{
			{onePixel, "inventory.size=observe score=refuse 35 -> fraud.score 4"}, {onePrivate, "address.private=observe 25"},
		}},
		{name: "a score below the threshold", config: layered(settled("fraud.score=refuse"), Layer{}, weighed(36)), facts: Facts{Partner: "p", Publisher: "pub"}, list: []answers{
			{onePixel, "inventory.size=observe 35"}, {oneOfEach, "address.private=observe inventory.size=observe score=refuse 60 -> fraud.score 4"},
		}},
		{name: "the no-bid reason is the heaviest signal's", config: layered(settled("fraud.score=refuse"), Layer{}, weighed(1)), facts: Facts{Partner: "p", Publisher: "pub"}, list: []answers{
			{twoLight, fmt.Sprintf("supply.incomplete=observe privacy.flags=observe score=refuse 13 -> fraud.score %d", adcom.NoBidReasonIncompleteSupplyChain)},
		}},
		{name: "and of two the first one's", config: layered(settled("fraud.score=refuse"), Layer{}, weighed(1, "supply.incomplete=7", "privacy.flags=7")), facts: Facts{Partner: "p", Publisher: "pub"}, list: []answers{
			{twoLight, fmt.Sprintf("supply.incomplete=observe privacy.flags=observe score=refuse 14 -> fraud.score %d", adcom.NoBidReasonIncompleteSupplyChain)},
		}},
		{name: "or the last one's, if that is heavier", config: layered(settled("fraud.score=refuse"), Layer{}, weighed(1, "privacy.flags=11")), facts: Facts{Partner: "p", Publisher: "pub"}, list: []answers{
			{twoLight, fmt.Sprintf("supply.incomplete=observe privacy.flags=observe score=refuse 21 -> fraud.score %d", adcom.NoBidReasonInvalidRequest)},
		}},
		{name: "facts", config: Config{Global: settled("fraud.score=refuse")}, facts: Facts{Seen: true, Vendor: []VendorAnswer{{Score: 70}}}, list: []answers{
			{good, fmt.Sprintf("window.seen=observe vendor.score=observe score=refuse 100 -> fraud.score %d", adcom.NoBidReasonNonHuman)},
		}},
		{name: "data and limits", config: Config{Global: settled("fraud.score=refuse"), Fraud: Fraud{Limits: fraud.Limits{Imps: 1}, Data: fraud.Data{DataCenters: prefixes(t, "8.8.8.0/24")}}}, list: []answers{
			{strings.Replace(onePrivate, "10.0.0.1", "8.8.8.8", 1), "address.datacenter=observe 50"},
			{`{"id":"1","imp":[{"id":"1","tagid":"a"},{"id":"2"}]}`, "economics.imps=observe 20"},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := mustNew(t, test.config)
			w := e.NewWorker()
			for range 2 {
				for _, a := range test.list {
					v := w.Inspect([]byte(a.body), test.facts)
					checkVerdict(t, e, v, []byte(a.body), MaxFindingsDefault)
					if got := scored(&v); got != a.want {
						t.Errorf("%s: got %q, want %q", a.body, got, a.want)
					}
				}
			}
		})
	}
}

// heaviest returns the signal that adds most to a verdict's score, the first one of several.
func heaviest(v Verdict) fraud.Signal {
	h := slices.MaxFunc(v.Signals, func(a, b fraud.Hit) int { return a.Points - b.Points })
	return fraud.Signals()[h.Signal]
}

func prefixes(tb testing.TB, entries ...string) lookup.Addresses {
	tb.Helper()
	set, err := lists.Open(map[string]lists.Definition{"list": {Kind: lists.Prefix, Entries: entries}}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	addresses, err := set.List("list").Addresses()
	if err != nil {
		tb.Fatal(err)
	}
	return addresses
}

// TestFraudFindings compares the findings with the signals of the verdict.
func TestFraudFindings(t *testing.T) {
	c := layered(Layer{Severities: []Setting{{"fraud.*", Refuse}}}, Layer{}, Layer{})
	c.Global.Fraud.Threshold = 30
	e := mustNew(t, c)
	w := e.NewWorker()
	signals := fraud.Signals()
	refused, forwarded := 0, 0
	for _, doc := range documents(t) {
		v := w.Inspect(doc, Facts{})
		var of []Finding
		for _, f := range v.Findings {
			if f.Inspector == InspectorFraud {
				of = append(of, f)
			}
		}
		if w.Request() == nil {
			if v.Score != 0 || len(v.Signals)+len(of) != 0 {
				t.Fatalf("a request that can't be decoded has the score %d: %s", v.Score, lasting(v))
			}
			continue
		}
		if v.Score >= 30 {
			last := of[len(of)-1]
			if last != (Finding{Inspector: InspectorFraud, ID: "fraud.score", Severity: Refuse, Offset: -1, Message: fraudScoreText}) {
				t.Fatalf("the finding about the score is %+v", last)
			}
			of = of[:len(of)-1]
			switch {
			case v.Action != ActionRefuse:
				t.Fatalf("forwarded: %s", lasting(v))
			case v.Reason == "fraud.score" && v.NBR != heaviest(v).NBR:
				t.Fatalf("the no-bid reason is %d: %s", v.NBR, lasting(v))
			}
			if v.Reason == "fraud.score" {
				refused++
			}
		} else if len(v.Signals) > 0 {
			forwarded++
		}
		if len(of) != len(v.Signals) || strings.HasPrefix(v.Reason, fraudPrefix) && v.Reason != "fraud.score" {
			t.Fatalf("%d findings: %s", len(of), lasting(v))
		}
		for i, h := range v.Signals {
			s := signals[h.Signal]
			if of[i] != (Finding{Inspector: InspectorFraud, ID: "fraud." + s.ID, Severity: Warn, Path: h.Path, Offset: -1, Message: s.Text}) {
				t.Fatalf("finding %d is %+v, want %s at %q", i, of[i], s.ID, h.Path)
			}
		}
	}
	if refused < 10 || forwarded < 50 {
		t.Errorf("%d are refused for their score, %d others have signals", refused, forwarded)
	}
}

// TestFraudIsLast: what the other inspectors refuse for is the reason, and the score is known all
// the same. A limit of findings does not hide what decided.
func TestFraudIsLast(t *testing.T) {
	c := Config{Global: settled("Imp.id.required=refuse fraud.score=refuse")}
	body := strings.Replace(oneOfEach, `"imp":[{"id":"1",`, `"imp":[{`, 1)
	if v := mustNew(t, c).NewWorker().Inspect([]byte(body), Facts{}); v.Reason != impID || v.Score != 60 || v.Counts[Refuse] != 2 {
		t.Errorf("got %s", lasting(v))
	}
	c.MaxFindings = 1
	e := mustNew(t, c)
	v := e.NewWorker().Inspect([]byte(oneOfEach), Facts{})
	checkVerdict(t, e, v, []byte(oneOfEach), 1)
	if v.Reason != "fraud.score" || len(v.Findings) != 1 || v.Dropped != 2 || len(v.Signals) != 2 {
		t.Errorf("got %s", lasting(v))
	}
}

// TestFraudLayers asks which threshold, weights and facts about the partner count for whom. The
// answers are for a stranger, the partner, its publisher, and another partner.
func TestFraudLayers(t *testing.T) {
	yes, no := true, false
	of := func(s FraudSettings) Layer { return Layer{Fraud: s} }
	chain := func(asi string) string {
		return with(`"source":{"schain":{"complete":1,"nodes":[{"asi":"` + asi + `","sid":"1"}]}},"device":{"ua":"Roku/DVP-12.5","ip":"9.9.9.9"}`)
	}
	for _, test := range []struct {
		name                              string
		global, partner, publisher, other Layer
		body                              string
		want                              [4]string
	}{
		{
			name: "thresholds", global: weighed(50), partner: weighed(30), publisher: weighed(20), other: weighed(0), body: onePixel,
			want: [4]string{"inventory.size=observe 35", "inventory.size=observe score=observe 35", "inventory.size=observe score=observe 35", "inventory.size=observe 35"},
		},
		{
			name: "a higher threshold inside", global: weighed(10), partner: weighed(35), publisher: weighed(100), other: weighed(36), body: onePixel,
			want: [4]string{"inventory.size=observe score=observe 35", "inventory.size=observe score=observe 35", "inventory.size=observe 35", "inventory.size=observe 35"},
		},
		{
			name: "weights, one by one", partner: weighed(0, "inventory.size=5"), publisher: weighed(0, "address.private=1"), other: weighed(0, "inventory.size=0"), body: oneOfEach,
			want: [4]string{"address.private=observe inventory.size=observe score=observe 60", "address.private=observe inventory.size=observe 30", "address.private=observe inventory.size=observe 6", "address.private=observe 25"},
		},
		{
			name: "an inner weight wins", partner: weighed(0, "address.private=0", "inventory.size=7"), publisher: weighed(0, "address.private=2"), body: oneOfEach,
			want: [4]string{"address.private=observe inventory.size=observe score=observe 60", "inventory.size=observe 7", "address.private=observe inventory.size=observe 9", "address.private=observe inventory.size=observe score=observe 60"},
		},
		{
			name: "direct", partner: of(FraudSettings{Direct: &yes}), publisher: of(FraudSettings{Direct: &no}), other: of(FraudSettings{}), body: chain("a.example"),
			want: [4]string{"0", "address.peer=observe 30", "0", "0"},
		},
		{
			name: "systems", partner: of(FraudSettings{Systems: []string{"A.example"}}), publisher: of(FraudSettings{Systems: []string{}}), other: of(FraudSettings{Systems: []string{"b.example", "c.example"}}), body: chain("c.example"),
			want: [4]string{"0", "supply.last=observe 20", "0", "0"},
		},
		{
			name: "an inner layer that says nothing", global: of(FraudSettings{Systems: []string{"a.example"}, Direct: &yes}), partner: Layer{}, publisher: of(FraudSettings{Systems: []string{"c.example"}}), body: chain("c.example"),
			want: [4]string{"address.peer=observe supply.last=observe 50", "address.peer=observe supply.last=observe 50", "address.peer=observe 30", "address.peer=observe supply.last=observe 50"},
		},
		{
			name: "severities and weights", partner: Layer{Severities: []Setting{{"fraud.address.*", Off}}}, publisher: Layer{Severities: []Setting{{"fraud.*", Warn}}, Fraud: FraudSettings{Weights: map[string]int{"address.private": 9}}},
			body: oneOfEach,
			want: [4]string{"address.private=observe inventory.size=observe score=observe 60", "inventory.size=observe 35", "address.private=warn inventory.size=warn 44", "address.private=observe inventory.size=observe score=observe 60"},
		},
	} {
		global := settled("")
		global.Fraud.Threshold, global.Fraud.Direct, global.Fraud.Systems = test.global.Fraud.Threshold, test.global.Fraud.Direct, test.global.Fraud.Systems
		c := layered(global, test.partner, test.publisher)
		c.Partners["q"] = Partner{Layer: test.other}
		w := mustNew(t, c).NewWorker()
		for i, facts := range []Facts{{}, {Partner: "p", Publisher: "x"}, {Partner: "p", Publisher: "pub"}, {Partner: "q"}} {
			facts.Peer = netip.MustParseAddr("8.8.8.8")
			v := w.Inspect([]byte(test.body), facts)
			if got := scored(&v); got != test.want[i] {
				t.Errorf("%s: request %d: got %q, want %q", test.name, i, got, test.want[i])
			}
		}
	}
}

// TestFraudShadow: a layer in shadow changes the score of the shadow alone, and a layer with a
// sample that of its share.
func TestFraudShadow(t *testing.T) {
	partner := weighed(20, "address.private=22")
	partner.Shadow = true
	partner.Severities = []Setting{{"fraud.score", Refuse}}
	w := mustNew(t, layered(settled(""), partner, Layer{})).NewWorker()
	v := w.Inspect([]byte(onePrivate), Facts{Partner: "p"})
	if got := scored(&v); got != "address.private=observe 25" {
		t.Errorf("live: %q", got)
	}
	if got := scored(v.Shadow); got != "address.private=observe score=refuse 22 -> fraud.score 4" {
		t.Errorf("in shadow: %q", got)
	}
	partner.Shadow, partner.Sample = false, 0.5
	w = mustNew(t, layered(settled(""), partner, Layer{})).NewWorker()
	inside := 0
	for i := range 200 {
		body := []byte(strings.Replace(onePrivate, `"id":"1"`, fmt.Sprintf(`"id":"%d"`, i), 1))
		v := w.Inspect(body, Facts{Partner: "p"})
		want := "address.private=observe 25"
		if SampleOf(w.Request(), body) < 0.5 {
			want = "address.private=observe score=refuse 22 -> fraud.score 4"
			inside++
		}
		if got := scored(&v); got != want {
			t.Fatalf("request %d: got %q, want %q", i, got, want)
		}
	}
	if inside < 50 || inside > 150 {
		t.Errorf("%d of 200 requests are in the sample", inside)
	}
}

func TestFraudErrors(t *testing.T) {
	of := func(s FraudSettings) Layer { return Layer{Fraud: s} }
	for want, c := range map[string]Config{
		`the global layer: the threshold of the fraud score is 101 (want 1 to 100)`:                 {Global: weighed(101)},
		`partner "p": the threshold of the fraud score is -1`:                                       layered(Layer{}, weighed(-1), Layer{}),
		`partner "p", publisher "pub": fraud: unknown signal "address.x"`:                           layered(Layer{}, Layer{}, weighed(0, "address.x=1")),
		`partner "p": fraud: address.peer has the weight 101`:                                       layered(Layer{}, weighed(0, "address.peer=101"), Layer{}),
		`the global layer: fraud: address.peer has the weight -1`:                                   {Global: weighed(0, "address.peer=-1")},
		`partner "p", publisher "pub": fraud: "x" is not the domain of an advertising system (want`: layered(Layer{}, Layer{}, of(FraudSettings{Systems: []string{"x"}})),
		`fraud: the limit Imps is -1`:                                                               {Fraud: Fraud{Limits: fraud.Limits{Imps: -1}}},
		`fraud: the limit Nodes is -1`:                                                              {Fraud: Fraud{Limits: fraud.Limits{Nodes: -1}}, Global: set("fraud.*", Off)},
		`the global layer: no reason matches "fraud.address."`:                                      {Global: set("fraud.address.", Off)},
	} {
		e, err := New(c)
		if e != nil || err == nil || !strings.HasPrefix(err.Error(), "inspect: "+want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestFraudReasons compares the reasons with the signals.
func TestFraudReasons(t *testing.T) {
	signals := fraud.Signals()
	for n, s := range signals {
		want := Reason{ID: "fraud." + s.ID, Inspector: InspectorFraud, NBR: s.NBR, Severity: Observe, Text: s.Text}
		if r, ok := ReasonByID(want.ID); !ok || r != want || registry().of(InspectorFraud)[n] != want {
			t.Errorf("%s has the reason %+v", s.ID, r)
		}
		if scores[n].ID != fraudScore || scores[n].NBR != s.NBR {
			t.Errorf("a score whose heaviest signal is %s has the reason %+v", s.ID, scores[n])
		}
	}
	want := Reason{ID: "fraud.score", Inspector: InspectorFraud, NBR: adcom.NoBidReasonNonHuman, Severity: Observe, Text: fraudScoreText}
	if r, ok := ReasonByID("fraud.score"); !ok || r != want || len(registry().of(InspectorFraud)) != len(signals)+1 || len(scores) != len(signals) {
		t.Errorf("the score has the reason %+v", r)
	}
}

// differentSettings are settings that mean different things, pairwise, though some look alike.
func differentSettings() (list []fraudLayers) {
	for _, weights := range []map[string]int{
		nil, {"address.private": 0}, {"address.private": 1}, {"address.peer": 1}, {"address.peer": 1, "address.private": 1}, {"address.peer": 0, "address.private": 1},
	} {
		for _, systems := range [][]string{nil, {"a.example"}, {"b.example"}, {"a.example", "b.example"}, {"\x01a.example"}, {"\x01", "a.example"}} {
			for _, direct := range []bool{false, true} {
				for _, threshold := range []int{1, 60, 100} {
					list = append(list, fraudLayers{threshold, weights, direct, systems})
				}
			}
		}
	}
	return list
}

// TestFraudKeys: layers that mean different things have different keys, and equal ones the same.
func TestFraudKeys(t *testing.T) {
	list := differentSettings()
	keys := map[string]int{}
	for i, l := range list {
		key := string(l.appendKey(nil))
		if j, taken := keys[key]; taken {
			t.Errorf("%+v and %+v have one key", list[j], l)
		}
		keys[key] = i
		l.weights, l.systems = maps.Clone(l.weights), slices.Clone(l.systems)
		if again := string(l.appendKey([]byte("before"))); again != "before"+key {
			t.Errorf("%+v has the keys %q and %q", l, key, again)
		}
	}
}

// TestFraudTablesAreShared: publishers with equal settings have one judge, those with different
// ones have not, and one without signals has none.
func TestFraudTablesAreShared(t *testing.T) {
	yes := true
	kinds := []Layer{
		{}, weighed(20), weighed(0, "address.private=20"), {Fraud: FraudSettings{Direct: &yes}}, {Fraud: FraudSettings{Systems: []string{"a.example"}}},
		set("fraud.score", Refuse), set("fraud.address.private", Off), set("fraud.*", Off),
	}
	c := Config{Global: settled(""), Partners: map[string]Partner{}}
	for _, partner := range []string{"p", "q"} {
		p := Partner{Publishers: map[string]Layer{}}
		for i := range 5 * len(kinds) {
			p.Publishers[fmt.Sprint(i)] = kinds[i%len(kinds)]
		}
		c.Partners[partner] = p
	}
	e := mustNew(t, c)
	judges := map[*fraudJudge]int{}
	for _, p := range e.partners {
		for id, q := range p.publishers {
			var kind int
			if _, err := fmt.Sscan(id, &kind); err != nil {
				t.Fatal(err)
			}
			kind %= len(kinds)
			var own *fraudJudge
			for _, j := range q.at(0).live.judges {
				if j, is := j.(*fraudJudge); is {
					own = j
				}
			}
			if (own == nil) != (kind == len(kinds)-1) {
				t.Errorf("kind %d has the judge %v", kind, own)
			}
			if before, known := judges[own]; known && before != kind {
				t.Errorf("the kinds %d and %d share a judge", kind, before)
			}
			judges[own] = kind
		}
	}
	if len(judges) != len(kinds) {
		t.Errorf("%d judges for %d kinds", len(judges), len(kinds))
	}
}

// TestFraudSettingsRandom compares layers with one layer that says what they say together. Hundreds
// of publishers share policies, and their requests are judged by one worker.
func TestFraudSettingsRandom(t *testing.T) {
	r := testkit.Rand(1)
	yes, no := true, false
	random := func() (s FraudSettings) {
		if r.IntN(2) == 0 {
			s.Threshold = 10 * (1 + r.IntN(7))
		}
		for _, id := range slices.Sorted(maps.Keys(weights)) {
			if r.IntN(4) == 0 {
				if s.Weights == nil {
					s.Weights = map[string]int{}
				}
				s.Weights[id] = 20 * r.IntN(3)
			}
		}
		s.Direct = []*bool{nil, nil, &yes, &no}[r.IntN(4)]
		s.Systems = [][]string{nil, nil, {}, {"a.example"}, {"b.example"}}[r.IntN(5)]
		return s
	}
	together := func(layers ...FraudSettings) (s FraudSettings) {
		s.Weights = map[string]int{}
		for _, l := range layers {
			maps.Copy(s.Weights, l.Weights)
			if l.Threshold > 0 {
				s.Threshold = l.Threshold
			}
			if l.Direct != nil {
				s.Direct = l.Direct
			}
			if l.Systems != nil {
				s.Systems = l.Systems
			}
		}
		return s
	}
	global := settled("fraud.score=refuse")
	all := layered(global, Layer{Fraud: random()}, Layer{})
	publishers := testkit.Scale(t, 20, 100, 1000)
	want := map[string]*Worker{}
	for i := range publishers {
		id := fmt.Sprint(i)
		own := random()
		all.Partners["p"].Publishers[id] = Layer{Fraud: own}
		one := settled("fraud.score=refuse")
		one.Fraud = together(global.Fraud, all.Partners["p"].Fraud, own)
		want[id] = mustNew(t, Config{Global: one}).NewWorker()
	}
	w := mustNew(t, all).NewWorker()
	refused := 0
	docs := fraudDocuments(r)
	for range 20 * publishers {
		id := fmt.Sprint(r.IntN(publishers))
		body := docs[r.IntN(len(docs))]
		facts := Facts{Partner: "p", Publisher: id, Peer: netip.MustParseAddr("8.8.8.8")}
		got, wanted := w.Inspect(body, facts), want[id].Inspect(body, Facts{Peer: facts.Peer})
		if lasting(got) != lasting(wanted) {
			t.Fatalf("publisher %s: got %s\nwant %s", id, lasting(got), lasting(wanted))
		}
		if got.Action == ActionRefuse {
			refused++
		}
	}
	if refused < publishers {
		t.Errorf("%d requests are refused", refused)
	}
}

// fraudDocuments are requests with some of the signals.
func fraudDocuments(r *rand.Rand) (docs [][]byte) {
	for range 200 {
		pick := func(list ...string) string { return list[r.IntN(len(list))] }
		docs = append(docs, fmt.Appendf(nil, `{"id":"1","imp":[{"id":"1","banner":{"w":%s,"h":1}}],"device":{"ua":"Roku/DVP-12.5","ip":"%s","lmt":1,"dnt":%s},"source":{"schain":{"complete":%s,"nodes":[{"asi":"%s","sid":"1"}]}}}`,
			pick("1", "300"), pick("10.0.0.1", "8.8.8.8", "9.9.9.9"), pick("0", "1"), pick("0", "1"), pick("a.example", "b.example")))
	}
	return docs
}

// TestFraudKeepsNothing: an engine does not change with the settings that it was made of.
func TestFraudKeepsNothing(t *testing.T) {
	yes := true
	s := FraudSettings{Threshold: 10, Weights: map[string]int{"address.peer": 11}, Direct: &yes, Systems: []string{"a.example"}}
	e := mustNew(t, layered(settled("fraud.score=refuse"), Layer{Fraud: s}, Layer{}))
	body := []byte(with(`"source":{"schain":{"complete":1,"nodes":[{"asi":"b.example","sid":"1"}]}},"device":{"ua":"Roku/DVP-12.5","ip":"9.9.9.9"}`))
	facts := Facts{Partner: "p", Peer: netip.MustParseAddr("8.8.8.8")}
	before := lasting(e.NewWorker().Inspect(body, facts))
	s.Weights["address.peer"], s.Systems[0], yes = 90, "b.example", false
	if after := lasting(e.NewWorker().Inspect(body, facts)); after != before || !strings.Contains(before, "Score:31") {
		t.Errorf("before %s\nafter %s", before, after)
	}
}

// TestFraudAllocations: requests with signals cost no memory either, once warm.
func TestFraudAllocations(t *testing.T) {
	if !mem.ZeroCopy || testkit.Race {
		t.Skip("this build copies strings, or notes accesses")
	}
	inner := weighed(5)
	inner.Shadow = true
	w := mustNew(t, layered(settled("fraud.*=warn"), Layer{}, inner)).NewWorker()
	for _, body := range []string{good, onePrivate, oneOfEach, twoLight} {
		doc := bytes.Clone([]byte(body))
		judge := func() { w.Inspect(doc, Facts{Partner: "p", Publisher: "pub"}) }
		judge()
		if n := testing.AllocsPerRun(10, judge); n != 0 {
			t.Errorf("%v allocations for %s", n, body)
		}
	}
}
