package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// measured returns the values of a metric, by its labels' values, joined by commas. Of a histogram
// it is the count.
func measured(tb testing.TB, g *Gateway, name string) map[string]float64 {
	tb.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(g.Collector())
	families, err := registry.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			out[strings.Join(labels, ",")] = valueOf(m)
		}
	}
	return out
}

// sum adds up the values of a metric.
func sum(values map[string]float64) (all float64) {
	for _, v := range values {
		all += v
	}
	return all
}

func valueOf(m *dto.Metric) float64 {
	return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
}

func siteOf(id, publisher string) []byte {
	return []byte(`{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"` + id + `","publisher":{"id":"` + publisher + `"}},` +
		`"device":{"ua":"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0","ip":"8.8.8.8"}}`)
}

// TestMetrics counts stages, sizes and upstreams of requests.
func TestMetrics(t *testing.T) {
	t.Parallel()
	core := newCore(t, nil)
	g := start(t, Options{Upstreams: At(core.URL), Shadow: true})
	body := good(t)
	for range 3 {
		g.post(t, PathDefault, body)
	}
	g.post(t, PathDefault, []byte(`{"id":`))
	waitFor(t, "the last one to be counted", func() bool { return measured(t, g.Gateway, "rtbwire_gateway_request_time_seconds")[""] == 4 })
	for name, want := range map[string]map[string]float64{
		"rtbwire_gateway_stage_time_seconds":      {"read": 4, "inspect": 4, "upstream": 4, "own": 4},
		"rtbwire_gateway_request_size_bytes":      {"": 4},
		"rtbwire_gateway_response_size_bytes":     {"": 4},
		"rtbwire_gateway_shadow_rejected_total":   {",json.truncated": 1},
		"rtbwire_gateway_upstream_requests_total": {core.URL: 4},
		"rtbwire_gateway_upstream_failures_total": {core.URL: 0},
		"rtbwire_gateway_config_generation":       {"": 1},
		"rtbwire_gateway_config_failed":           {"": 0},
		"rtbwire_gateway_connections_max":         {"": ConnectionsMaxDefault},
		"rtbwire_gateway_requests_in_flight_max":  {"": InFlightMaxDefault},
		"rtbwire_gateway_reloads_total":           {reloadDone: 0, reloadFailed: 0},
	} {
		got := measured(t, g.Gateway, name)
		for labels, n := range want {
			if v, ok := got[labels]; !ok || v != n {
				t.Errorf("%s{%s}: %v, want %v", name, labels, got, n)
			}
		}
	}
}

// TestOwnTime: what the gateway takes itself is without the upstream's time.
func TestOwnTime(t *testing.T) {
	t.Parallel()
	const slow = 300 * time.Millisecond
	core := newCore(t, func(http.ResponseWriter, *http.Request, []byte) { time.Sleep(slow) })
	g := start(t, Options{Upstreams: At(core.URL)})
	g.post(t, PathDefault, good(t))
	waitFor(t, "the request to be counted", func() bool { return measured(t, g.Gateway, "rtbwire_gateway_request_time_seconds")[""] == 1 })
	families, err := g.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			switch f.GetName() {
			case "rtbwire_gateway_stage_time_seconds":
				sums[m.GetLabel()[0].GetValue()] = m.GetHistogram().GetSampleSum()
			case "rtbwire_gateway_request_time_seconds":
				sums["all"] = m.GetHistogram().GetSampleSum()
			}
		}
	}
	if sums["upstream"] < slow.Seconds() || sums["own"] <= 0 || math.Abs(sums["own"]+sums["read"]+sums["upstream"]-sums["all"]) > 1e-6 {
		t.Errorf("own, read and upstream are not all: %v", sums)
	}
}

// TestReasonText explains reasons of the gateway, of every engine, of rules and of package guard.
func TestReasonText(t *testing.T) {
	t.Parallel()
	engine, err := inspect.New(inspect.Config{Global: inspect.Layer{Rules: []inspect.Rule{{Name: "blocked", Message: "the site is blocked", When: conditionFunc(func(*rule.Input) bool { return true })}}}})
	if err != nil {
		t.Fatal(err)
	}
	g := start(t, Options{Upstreams: At("http://127.0.0.1:9"), Engine: engine})
	for id, want := range map[string]string{
		"gateway.rate": "the partner sends more than its limit", "policy.blocked": "the site is blocked", "json.syntax": "invalid JSON", "http.head.size": reasonTexts[reasonGuard], "unknown": "",
	} {
		if got := g.ReasonText(id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

// TestPartnerMetrics asks which partner suffers from what: refusals, rules that can't decide and
// findings that refuse nothing, also of a layer in shadow, before and after a reload.
func TestPartnerMetrics(t *testing.T) {
	t.Parallel()
	core := newCore(t, nil)
	when := func(domain string) rule.Condition {
		return conditionFunc(func(in *rule.Input) bool { return in.Request.Site != nil && in.Request.Site.Domain == domain })
	}
	severity := func(s inspect.Severity) *inspect.Severity { return &s }
	engine, err := inspect.New(inspect.Config{
		Global: inspect.Layer{Rules: []inspect.Rule{
			{Name: "blocked", When: when("blocked.example")}, {Name: "odd", When: when("odd.example"), Severity: severity(inspect.Warn)},
			{Name: "seen", When: when("odd.example"), Severity: severity(inspect.Observe)},
		}},
		Partners: map[string]inspect.Partner{
			"a": {Layer: inspect.Layer{Rules: []inspect.Rule{{Name: "undecided", When: undecided{}, OnError: rule.PassOnError}}}},
			"b": {Layer: inspect.Layer{Shadow: true, Rules: []inspect.Rule{{Name: "strict", When: when("odd.example")}, {Name: "shadowed", When: undecided{}, OnError: rule.PassOnError}}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		o := Options{Upstreams: At(core.URL), Engine: engine, Partners: []Partner{{Name: "a", Match: Match{Path: "/a"}}, {Name: "b", Match: Match{Path: "/b"}}}}
		g := serve(o)
		send := func() {
			for _, path := range []string{PathDefault, "/a", "/b"} {
				for _, domain := range []string{"blocked.example", "odd.example", "good.example"} {
					g.post(t, path, bytes.Replace(siteOf("1", "p"), []byte(`"site":{`), []byte(`"site":{"domain":"`+domain+`",`), 1))
				}
			}
			g.post(t, "/b", []byte(`{"id":`))
			g.send(t, http.MethodGet, "/a", nil)
			g.send(t, http.MethodGet, "/none", nil)
		}
		send()
		if _, err := g.Reload(o); err != nil {
			t.Fatal(err)
		}
		send()
		for name, want := range map[string]map[string]float64{
			"rejected_total": {
				",gateway.panic": 0, "a,gateway.panic": 0, "b,gateway.panic": 0, // an alert asks for them
				",policy.blocked": 2, "a,policy.blocked": 2, "b,policy.blocked": 2, "b,json.truncated": 2, "a,gateway.method": 2, ",gateway.path": 2,
			},
			"shadow_rejected_total": {"b,policy.strict": 2},
			"judged_total":          {"": 6, "a": 6, "b": 8},
			"rule_errors_total":     {"a,policy.undecided": 6, "b,policy.shadowed": 6},
		} {
			waitFor(t, fmt.Sprint(name, " ", want), func() bool { return maps.Equal(measured(t, g.Gateway, Namespace+name), want) })
		}
		got := measured(t, g.Gateway, Namespace+"findings_total")
		for labels, n := range map[string]float64{"policy.odd,warn": 6, "policy.seen,observe": 6} {
			if got[labels] != n {
				t.Errorf("findings %v, want %v of %s", got, n, labels)
			}
		}
		if _, ok := got["policy.blocked,warn"]; ok || got["policy.strict,warn"] != 0 {
			t.Errorf("findings that refuse are counted: %v", got)
		}
	})
}

// TestCardinality is about the most series that 20 partners and 1,000 publishers can have, whatever
// they send. docs/gateway.md has the numbers.
func TestCardinality(t *testing.T) {
	t.Parallel()
	const partners, publishers = 20, 1000
	o := Options{Upstreams: At("http://127.0.0.1:9"), PublisherMetricsMax: publishers}
	for i := range partners {
		o.Partners = append(o.Partners, Partner{Name: fmt.Sprint("p", i), Match: Match{Path: fmt.Sprint("/p", i)}})
	}
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 * rejects.ReasonsMax {
		id := fmt.Sprint("policy.", i)
		v := inspect.Verdict{
			Findings: []inspect.Finding{{ID: id, Severity: inspect.Observe}, {ID: id, Severity: inspect.Warn}}, Counts: [inspect.Refuse + 1]int{inspect.Observe: 1, inspect.Warn: 1},
			Errors: []inspect.ConditionError{{ID: id}},
		}
		for _, own := range append(g.plan.Load().partners, &partner{Partner: &Partner{}, counts: g.metrics.strangers}) {
			own.counts.reasons.Inc(id)
			own.counts.shadowed.Inc(id)
			own.counts.answers.Inc(id)
			own.counts.judged.Count(&v)
			own.counts.judged.WouldRefuse(id)
			g.metrics.publishers.add(publisherKey{own.Name, id}, true, publishers)
		}
	}
	page := string(read(t, "docs/gateway.md"))
	for name, want := range map[string]int{
		"rejected_total": 6021, "shadow_rejected_total": 6021, "would_refuse_total": 5271, "response_findings_total": 6021, "rule_errors_total": 5271, "judged_total": 21, "findings_total": 2002,
		"partner_requests_total": 180, "publisher_requests_total": 4084,
	} {
		if got := len(measured(t, g, Namespace+name)); got != want {
			t.Errorf("%d series of %s, want %d", got, name, want)
		}
		number := strings.TrimPrefix(fmt.Sprintf("%d,%03d", want/1000, want%1000), "0,")
		if !regexp.MustCompile("(?m)^\\| [^|]*`" + name + "[`{][^|]*\\| " + strings.TrimLeft(number, "0") + " \\|").MatchString(page) {
			t.Errorf("docs/gateway.md does not say that %s has %s series", name, number)
		}
	}
}

// undecided is a condition without a value.
type undecided struct{}

func (undecided) Holds(*rule.Input) (bool, error) { return false, errors.New("no value") }

// TestConfiguration says which configuration is in use, and why a later one is not.
func TestConfiguration(t *testing.T) {
	t.Parallel()
	o := Options{Upstreams: At("http://127.0.0.1:9")}
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	first := g.Configuration()
	if first.Generation != 1 || first.Loaded.IsZero() || first.Problem != "" || !first.Failed.IsZero() {
		t.Errorf("%+v", first)
	}
	const long = 10_000
	g.ReloadFailed(errors.New(strings.Repeat("x", long)))
	failed := g.Configuration()
	if failed.Generation != 1 || !failed.Loaded.Equal(first.Loaded) || failed.Failed.IsZero() || len(failed.Problem) >= long {
		t.Errorf("%+v", failed)
	}
	if got := measured(t, g, "rtbwire_gateway_config_failed")[""]; got != 1 {
		t.Errorf("rtbwire_gateway_config_failed is %v", got)
	}
	if _, err := g.Reload(Options{Upstreams: At("ftp://x")}); err == nil || g.Configuration().Problem != err.Error() {
		t.Errorf("%+v", g.Configuration())
	}
	if _, err := g.Reload(o); err != nil {
		t.Fatal(err)
	}
	if got := g.Configuration(); got.Generation != 2 || got.Problem != "" || !got.Failed.IsZero() {
		t.Errorf("%+v", got)
	}
}

// TestPublisherMetrics counts the first publishers that are accepted, and all others together.
func TestPublisherMetrics(t *testing.T) {
	t.Parallel()
	core := newCore(t, nil)
	g := start(t, Options{Upstreams: At(core.URL), Engine: engineThat(t, func(in *rule.Input) bool { return in.Request.Site.ID == "bad" }), PublisherMetricsMax: 2})
	long := strings.Repeat("x", 10_000)
	for _, body := range [][]byte{
		siteOf("bad", "junk"), // does not get a row of its own
		siteOf("s", "one"), siteOf("s", "one"), siteOf("bad", "one"), siteOf("s", long), siteOf("s", "three"), siteOf("bad", "four"),
	} {
		g.post(t, PathDefault, body)
	}
	want := map[string]float64{
		",one,forwarded": 2, ",one,refused": 1, "," + long[:publisherLabelMax] + ",forwarded": 1, ",other,forwarded": 1, ",other,refused": 2,
	}
	waitFor(t, "the last one to be counted", func() bool {
		return measured(t, g.Gateway, "rtbwire_gateway_publisher_requests_total")[",other,refused"] == 2
	})
	got := measured(t, g.Gateway, "rtbwire_gateway_publisher_requests_total")
	for labels, n := range got {
		if want[labels] != n {
			t.Errorf("%s: %v, want %v", labels, n, want[labels])
		}
		delete(want, labels)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	if got := publisherLabel(strings.Repeat("x", publisherLabelMax-1) + "é"); len(got) != publisherLabelMax-1 {
		t.Errorf("a cut character: %q", got)
	}
}

// TestRejects keeps what operators want to know, without values of the request unless it is asked
// for.
func TestRejects(t *testing.T) {
	t.Parallel()
	core := newCore(t, nil)
	for _, full := range []bool{false, true} {
		g := start(t, Options{Upstreams: At(core.URL), FullRejects: full, Partners: []Partner{{Name: "a", Match: Match{Path: "/a"}}}})
		g.post(t, "/a", []byte(`{"id":"1","imp":"secret"}`), headerRequestID, "id-of-mine")
		list := g.Rejects()
		if len(list) != 1 || len(list[0].Findings) != 1 || list[0].Findings[0].Excerpt == nil {
			t.Fatalf("%+v", list)
		}
		r, f := list[0], list[0].Findings[0]
		if r.Partner != "a" || r.Reason != "json.type" || r.RequestID != "id-of-mine" || r.Full != full || r.Bytes != 25 || f.Path != "/imp" || f.Offset != 16 {
			t.Errorf("%+v", r)
		}
		if want := map[bool]string{false: `"…"`, true: `"secret"`}[full]; f.Excerpt.Mark != want || f.Excerpt.After != "}" {
			t.Errorf("full %v: %+v", full, f.Excerpt)
		}
	}
}
