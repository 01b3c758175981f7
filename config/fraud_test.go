package config_test

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
)

// scored is a configuration with all keys of the fraud score.
const scored = `version: 1
lists:
  clouds: {kind: prefix, file: lists/clouds.txt}
  tor: {kind: prefix, entries: [192.31.196.0/24]}
  resellers: {kind: seller, entries: ["reseller.example, 7"]}
rates: {file: rates.csv}
fraud:
  datacenters: clouds
  proxies: tor
  blocked_nodes: resellers
  limits: {ifa: 5, address: 6, nodes: 1, imps: 1, floor: 10, tmax_min: 50, tmax_max: 500}
  threshold: 55
  weights: {economics.tmax: 33, economics.imps: 0}
severities: {fraud.score: refuse}
partners:
  a:
    fraud: {threshold: 20, weights: {address.proxy: 1}}
    direct: true
    systems: [exchange.example, Other.Example]
    publishers: {p: {fraud: {threshold: 100, weights: {economics.tmax: 2}}}}
`

func scoredRequest(more string) []byte {
	return []byte(`{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s"}` + more + `}`)
}

// TestFraud has a request for each key, and wants the signals and the score that it leads to.
func TestFraud(t *testing.T) {
	name := folder(t, "c.yaml", scored, "lists/clouds.txt", "192.175.48.0/24\n", "rates.csv", "EUR,2\n")
	s, problems := config.Open(name, config.OpenOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	schain := func(nodes string) []byte {
		return scoredRequest(`,"source":{"schain":{"complete":1,"ver":"1.0","nodes":[` + nodes + `]}}`)
	}
	node := func(asi, sid string) string { return `{"asi":"` + asi + `","sid":"` + sid + `","hp":1}` }
	imp := func(floor string) []byte {
		return []byte(`{"id":"1","imp":[{"id":"1","bidfloor":` + floor + `,"banner":{"w":300,"h":250}}],"site":{"id":"s"}}`)
	}
	w := s.Engine.NewWorker()
	for _, c := range []struct {
		body    []byte
		facts   inspect.Facts
		signals string // with their points
		refused bool
	}{
		{body: scoredRequest("")},
		{body: scoredRequest(`,"device":{"ua":"Roku/DVP-12.5","ip":"192.175.48.9"}`), signals: "address.datacenter 50"},
		{body: scoredRequest(`,"device":{"ua":"Roku/DVP-12.5","ip":"192.31.196.9"}`), signals: "address.proxy 35"},
		{body: scoredRequest(`,"device":{"ua":"Roku/DVP-12.5","ip":"192.31.196.9"}`), facts: inspect.Facts{Partner: "a"}, signals: "address.proxy 1"},
		{body: scoredRequest(`,"device":{"ua":"Roku/DVP-12.5","ip":"192.175.48.9"},"tmax":10`), signals: "address.datacenter 50, economics.tmax 33", refused: true},
		{body: scoredRequest(`,"device":{"ua":"Roku/DVP-12.5","ip":"192.175.48.9"},"tmax":501`), signals: "address.datacenter 50, economics.tmax 33", refused: true},
		{body: scoredRequest(`,"tmax":50`)},
		{body: scoredRequest(`,"tmax":49`), facts: inspect.Facts{Partner: "a"}, signals: "economics.tmax 33", refused: true},
		{body: scoredRequest(`,"tmax":49`), facts: inspect.Facts{Partner: "a", Publisher: "p"}, signals: "economics.tmax 2"},
		{body: schain(node("reseller.example", "7")), signals: "supply.blocked 100", refused: true},
		{body: schain(node("reseller.example", "8"))},
		{body: schain(node("x.example", "8") + "," + node("y.example", "8")), signals: "supply.long 15"},
		{body: schain(node("x.example", "8")), facts: inspect.Facts{Partner: "a"}, signals: "supply.last 25", refused: true},
		{body: schain(node("x.example", "8")), facts: inspect.Facts{Partner: "a", Publisher: "p"}, signals: "supply.last 25"},
		{body: schain(node("other.example", "8")), facts: inspect.Facts{Partner: "a"}},
		{body: imp(`5.1,"bidfloorcur":"EUR"`), signals: "economics.floor 20"},
		{body: imp(`4.9,"bidfloorcur":"EUR"`)},
		{body: imp(`1000000,"bidfloorcur":"XYZ"`)},
		{body: imp(`10.1`), signals: "economics.floor 20"},
		{body: imp(`10.1,"bidfloorcur":"USD"`), signals: "economics.floor 20"},
		{body: scoredRequest(`,"device":{"ua":"Roku/DVP-12.5","ip":"8.8.8.8"}`), facts: inspect.Facts{Counts: inspect.Counts{IFA: 6, Address: 7}}, signals: "window.ifa 40, window.address 20", refused: true},
		{body: scoredRequest(`,"device":{"ua":"Roku/DVP-12.5","ip":"8.8.8.8"}`), facts: inspect.Facts{Counts: inspect.Counts{IFA: 5, Address: 6}}},
		{body: scoredRequest(`,"device":{"ua":"Roku/DVP-12.5","ip":"8.8.8.8"}`), facts: inspect.Facts{Peer: netip.MustParseAddr("9.9.9.9")}},
		{body: scoredRequest(`,"device":{"ua":"Roku/DVP-12.5","ip":"8.8.8.8"}`), facts: inspect.Facts{Partner: "a", Peer: netip.MustParseAddr("9.9.9.9")}, signals: "address.peer 30", refused: true},
	} {
		v := w.Inspect(c.body, c.facts)
		var got []string
		for _, hit := range w.Scoring(&v).Signals {
			got = append(got, fmt.Sprint(hit.Signal.ID, " ", hit.Points))
		}
		if strings.Join(got, ", ") != c.signals || (v.Reason == "fraud.score") != c.refused {
			t.Errorf("%s of %q: %q, score %d, reason %q; want %q, refused %v", c.body, c.facts.Partner, got, v.Score, v.Reason, c.signals, c.refused)
		}
	}
	for _, warning := range s.Review() {
		if strings.Contains(warning.Message, "list") {
			t.Errorf("a list that only the score uses: %s", warning.Summary())
		}
	}
}

// TestFraudFollows changes the file of a list that only the score uses, and the rates.
func TestFraudFollows(t *testing.T) {
	name := folder(t, "c.yaml", scored, "lists/clouds.txt", "192.175.48.0/24\n", "rates.csv", "EUR,2\n")
	live, problems := config.Follow(name, config.OpenOptions{}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	w := live.Holder().NewWorker()
	expect := func(step, body string, score int) {
		t.Helper()
		if v := w.Inspect(scoredRequest(body), inspect.Facts{}); v.Score != score {
			t.Errorf("%s: the score is %d, want %d", step, v.Score, score)
		}
	}
	const cloud = `,"device":{"ua":"Roku/DVP-12.5","ip":"192.175.48.9"}`
	expect("at first", cloud, 50)
	write(t, filepath.Join(filepath.Dir(name), "lists/clouds.txt"), "192.175.49.0/24\n")
	live.Refresh()
	expect("new list", cloud, 0)
	if !slices.Contains(live.Paths(), filepath.Join(filepath.Dir(name), "lists/clouds.txt")) {
		t.Errorf("paths %v", live.Paths())
	}
	write(t, name, strings.Replace(scored, "economics.tmax: 33", "economics.tmax: 34", 1))
	live.Refresh()
	expect("new weight", `,"tmax":10`, 34)
}

// TestFraudReview wants a warning for what does nothing.
func TestFraudReview(t *testing.T) {
	name := folder(t, "c.yaml", `version: 1
fraud: {weights: {address.proxy: 5, address.datacenter: 0}}
severities: {"fraud.*": observe, fraud.address.private: refuse, "fraud.s*": refuse}
partners: {a: {match: {from: [192.0.2.0/24]}, fraud: {weights: {supply.blocked: 50, vendor.score: 10}}}}
`)
	s, problems := config.Open(name, config.OpenOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, w := range s.Review() {
		got = append(got, strings.TrimPrefix(w.Summary(), filepath.Dir(name)))
	}
	want := []string{
		"/c.yaml:2:19: address.proxy is never seen: it needs fraud.proxies or fraud.geoip",
		"/c.yaml:3:34: only fraud.score can refuse: a signal is reported as warn, and counts in the score",
		"/c.yaml:4:65: supply.blocked is never seen: it needs fraud.blocked_nodes",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestThresholdReview wants a warning for a threshold that refuses nothing, with its place.
func TestThresholdReview(t *testing.T) {
	const partner = "partners: {a: {match: {mtls: x}, fraud: {threshold: 40}%s, publishers: {p: {fraud: {threshold: 50}%s}}}}\n"
	none, says := "", ", severities: {fraud.score: refuse}"
	for _, c := range []struct {
		text string
		want []string // places
	}{
		{"fraud: {threshold: 55}\n", []string{"/c.yaml:2:20: no severity"}},
		{"severities: {fraud.score: warn}\nfraud: {threshold: 55}\n", nil},
		{"severities: {fraud.score: observe}\nfraud: {threshold: 55}\n", nil},
		{"severities: {fraud.address.private: warn}\nfraud: {threshold: 55}\n", []string{"/c.yaml:3:20: no severity"}},
		{"fraud: {weights: {identifier.missing: 5}}\n", nil},
		{fmt.Sprintf(partner, none, none), []string{"/c.yaml:2:53: no severity", "/c.yaml:2:94: no severity"}},
		{fmt.Sprintf(partner, says, none), nil},
		{"fraud: {threshold: 55}\n" + fmt.Sprintf(partner, none, says), nil},
		{"severities: {fraud.score: refuse}\n" + fmt.Sprintf(partner, none, none), nil},
	} {
		name := folder(t, "c.yaml", "version: 1\n"+c.text)
		s, problems := config.Open(name, config.OpenOptions{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		var got []string
		for _, w := range s.Review() {
			got = append(got, strings.TrimPrefix(w.Summary(), filepath.Dir(name)))
		}
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) || len(got) > 0 && !strings.HasSuffix(got[0], "write severities: {fraud.score: refuse}") {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}

// TestRuleReview wants warnings for rules whose work grows faster than the request, and for those
// that refuse and pass what they have no value for.
func TestRuleReview(t *testing.T) {
	name := folder(t, "c.yaml", `version: 1
severities: {limit.rule: warn}
rules:
  - {name: twice, when: 'imp.exists(i, imp.exists(j, i.id == j.id))', severity: warn}
  - {name: text, when: 'imp.exists(i, site.page.contains("x"))', severity: warn}
  - {name: linear, when: 'imp.exists(i, i.metric.exists(m, m.value > 0.5))', severity: refuse}
  - {name: unsaid, when: 'tmax > 0 && 1 / tmax == 1', severity: refuse}
  - {name: said, when: '1 / tmax == 1', severity: refuse, on_error: pass}
  - {name: observes, when: '1 / tmax == 1', severity: observe}
`)
	s, problems := config.Open(name, config.OpenOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, w := range s.Review() {
		got = append(got, strings.TrimPrefix(w.Summary(), filepath.Dir(name)))
	}
	want := []string{
		"/c.yaml:2:14: a request that asks a rule for more work",
		"/c.yaml:4:50: this goes through a list of the request for each element of another one",
		"/c.yaml:5:57: this reads a text of the request for each element of a list",
		"/c.yaml:7:41: a division by zero has no value, and the request passes the rule unsaid: say on_error: refuse",
	}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFraudNeeds: what a signal needs is a key of the configuration, or a fact.
func TestFraudNeeds(t *testing.T) {
	for _, s := range fraud.Signals() {
		first, _, _ := strings.Cut(s.Needs, " or ")
		key, ofFraud := strings.CutPrefix(first, "fraud.")
		text := "{version: 1, fraud: {" + key + ": []}}"
		switch {
		case ofFraud:
		case s.Needs == "direct", s.Needs == "systems":
			text = "{version: 1, partners: {a: {" + s.Needs + ": x}}}"
		default:
			continue
		}
		_, problems := config.Parse("x.yaml", text, config.Options{})
		if len(problems) != 1 || strings.Contains(problems[0].Message, "unknown key") {
			t.Errorf("%s needs %s: %v", s.ID, s.Needs, problems)
		}
	}
}
