package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// A gateway is what the port was made for.
var (
	_ rejects.Source          = (*gateway.Gateway)(nil)
	_ rejects.CandidateSource = (*gateway.Gateway)(nil)
)

func TestPaths(t *testing.T) {
	t.Parallel()
	from := newSource()
	s := server(t, from, Options{Version: "v1.2.3", Config: func() any { return map[string]int{"a": 1} }})
	for _, tt := range []struct{ path, kind, contains string }{
		{"/healthz", "text/plain", "ok"},
		{"/readyz", "text/plain", "ready"},
		{"/version", "text/plain", "v1.2.3"},
		{"/config", "application/json", `"a": 1`},
		{"/rejects", "application/json", "[]"},
		{"/live", "application/json", `"version":"v1.2.3"`},
		{"/metrics", "text/plain", `rtbwire_build_info{goversion="go`},
		{"/metrics", "text/plain", "go_goroutines"},
		{"/debug/pprof/goroutine?debug=1", "text/plain", "goroutine profile"},
		{"/", "text/html", "<title>rtbwire</title>"},
		{"/page/app.js", "text/javascript", "import"},
		{"/page/page.css", "text/css", "prefers-color-scheme"},
		{"/page/icon.svg", "image/svg+xml", "<svg"},
	} {
		r := get(t, s, tt.path)
		if body := text(t, r); r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), tt.kind) || !strings.Contains(body, tt.contains) {
			t.Errorf("%s: %d %s %.200s", tt.path, r.StatusCode, r.Header.Get("Content-Type"), body)
		}
	}
	for _, path := range []string{"/x", "/page/", "/page/x.js", "/page/../admin.go", "/index.html", "/debug/pprof/x"} {
		if r := get(t, s, path); r.StatusCode == http.StatusOK {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	from.stopping.Store(true)
	if r := get(t, s, "/readyz"); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("/readyz while stopping: %d", r.StatusCode)
	}
	if r := get(t, s, "/healthz"); r.StatusCode != http.StatusOK {
		t.Errorf("/healthz while stopping: %d", r.StatusCode)
	}
}

// TestLive reads the document as a program would.
func TestLive(t *testing.T) {
	t.Parallel()
	from := newSource()
	s := server(t, from, Options{Version: "v1"})
	ask := func(query string) (d document) {
		t.Helper()
		r := get(t, s, "/live"+query)
		decoder := json.NewDecoder(r.Body)
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	from.requests.WithLabelValues("openrtb2", "forwarded").Add(7)
	for i := range liveRejectsMax + 5 {
		from.rejects.Add(rejects.Reject{Time: time.Now(), Reason: "json.type"}, []byte(`{"id":1}`), []inspect.Finding{{ID: "json.type", Path: "/id", Offset: 6}})
		_ = i
	}
	d := ask("")
	if d.Instance == "" || d.Totals["forwarded"] != 7 || !d.Ready || d.IntervalMs != 1000 || d.PointsMax != PointsMax || d.Configuration.Generation != 1 || d.Limits.CPUs < 1 {
		t.Errorf("%+v", d)
	}
	if len(d.Rejects) != liveRejectsMax || d.Rejects[0].Number != liveRejectsMax+5 || d.Rejects[0].Findings[0].Excerpt.Mark != "#" {
		t.Errorf("%d rejects: %+v", len(d.Rejects), d.Rejects[0])
	}
	if got := ask(fmt.Sprintf("?rejects=%d&since=junk", d.Rejects[2].Number)).Rejects; len(got) != 2 {
		t.Errorf("%d new rejects", len(got))
	}
	if other := server(t, from, Options{}); other.instance == s.instance {
		t.Error("two instances with one name")
	}
	text := text(t, get(t, s, "/live"))
	for _, list := range []string{`"notices":[]`, `"reasons":[]`, `"ends":[]`, `"lanes":[]`, `"shadowed":[]`, `"upstreams":[]`, `"partners":[]`, `"files":[]`, `"findings":[]`, `"rule_errors":[]`} { // never null
		if !strings.Contains(text, list) {
			t.Errorf("no %s in %.300s", list, text)
		}
	}
}

// TestFiles shows the files that a service follows, with those of tokens: as metrics, in /live, and
// on the page of a source other than a gateway.
func TestFiles(t *testing.T) {
	t.Parallel()
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte(goodToken), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filewatch.Status{Path: "/l/<b>.txt", Err: errors.New("/l/<b>.txt:7: expected a domain"), Failures: 1, Loads: 1, Result: filewatch.Result{Entries: 5}, LoadedAt: time.Now(), Modified: time.Now()}
	o := Options{TokenFiles: []string{tokens}, Files: func() []filewatch.Named { return []filewatch.Named{broken.Named(filewatch.KindList, "blocked")} }}
	for _, names := range []string{namespace, streamNamespace} {
		o.Flow = nil
		if names == streamNamespace {
			o.Flow = &Flow{}
		}
		s := server(t, newSource(), o)
		pages := map[string][]string{
			"/metrics": {`followed_file_failed{kind="list",name="blocked"} 1`, `followed_file_entries{kind="tokens",name="operators"} 1`},
			"/live":    {`"name":"blocked","path":"/l/\u003cb\u003e.txt","entries":5`, `"error":"/l/\u003cb\u003e.txt:7: expected a domain"`, `"kind":"tokens"`},
			"/plain": {
				`<code>list blocked</code></td><td class="is"><span class="state bad">not loaded again</span></td><td class="number">5</td>`, `<code>/l/&lt;b&gt;.txt</code><div class="facts">/l/&lt;b&gt;.txt:7: expected a domain</div>`,
				`<code>tokens operators</code></td><td class="is"><span class="state good">in use</span>`,
				`<div class="banner warn"><p>The list blocked could not be loaded again; the content before stays in use.</p><pre>/l/&lt;b&gt;.txt:7: expected a domain</pre></div>`,
			},
		}
		for path, wants := range pages {
			page := text(t, get(t, s, path, "Authorization", "Bearer "+goodToken))
			for _, want := range wants {
				if path == "/metrics" {
					want = names + want
				}
				if !strings.Contains(page, want) {
					t.Errorf("%s%s: no %s in %.3000s", names, path, want, page)
				}
			}
		}
	}
}

// TestMetricsExist wants every metric that the page is made of to be one of a gateway, of Go or of
// the process.
func TestMetricsExist(t *testing.T) {
	t.Parallel()
	g, err := gateway.New(gateway.Options{Upstreams: gateway.At("http://127.0.0.1:9"), Partners: []gateway.Partner{{Name: "a", Match: gateway.Match{Path: "/a"}}}})
	if err != nil {
		t.Fatal(err)
	}
	body := text(t, get(t, server(t, g, Options{}), "/metrics"))
	for name := range union(sharedMetrics, gatewayMetrics) {
		// Reasons exist from the first refusal on, and the last of these on Linux only.
		if slices.Contains([]string{
			"rejected_total", "shadow_rejected_total", "would_refuse_total", "rule_errors_total", "findings_total",
			"vendor_open", "overrides_unsaved", "capture_skipped_total",
			"verdict_log_skipped_total", "telemetry_spans_dropped_total", "telemetry_metrics_exports_total", // of what this gateway has not
		}, name) || strings.HasPrefix(name, "candidate_") || strings.HasPrefix(name, "process_") {
			continue
		}
		if !strings.HasPrefix(name, "go_") {
			name = gateway.Namespace + name
		}
		if !strings.Contains(body, "# TYPE "+name+" ") {
			t.Errorf("no %s", name)
		}
	}
}

// TestProfiles bounds how long profiles take, and how many there are.
func TestProfiles(t *testing.T) {
	t.Parallel()
	s := server(t, newSource(), Options{})
	for _, seconds := range []string{"61", "-1", "x", "NaN", "1e9"} {
		if r := get(t, s, "/debug/pprof/profile?seconds="+seconds); r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s seconds: %d", seconds, r.StatusCode)
		}
	}
	s.profiles <- struct{}{} // somebody makes one
	if r := get(t, s, "/debug/pprof/heap"); r.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a second profile: %d", r.StatusCode)
	}
	<-s.profiles
	if r := get(t, s, "/debug/pprof/heap"); r.StatusCode != http.StatusOK {
		t.Errorf("after that: %d", r.StatusCode)
	}
}

// TestServe listens, answers and ends.
func TestServe(t *testing.T) {
	t.Parallel()
	s := server(t, newSource(), Options{})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ln) }()
	url := "http://" + ln.Addr().String()
	r, err := http.Get(url + "/version")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()

	// A head that is too long, and a line that no HTTP client sends.
	for _, head := range []string{"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 2*headMax) + "\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"} {
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		_, _ = io.WriteString(c, head) // it may be refused before all of it is sent
		answer, _ := io.ReadAll(c)
		if len(answer) > 0 && !bytes.HasPrefix(answer, []byte("HTTP/1.1 4")) && !bytes.HasPrefix(answer, []byte("HTTP/1.1 505")) {
			t.Errorf("%.20s: %.200s", head, answer)
		}
		c.Close()
	}
	s.Close()
	s.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := http.Get(url + "/version"); err == nil {
		t.Error("it answers after Close")
	}
}

// TestLogRefusals logs the latest of what is new, with a count of the rest.
func TestLogRefusals(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, nil))
	var ring rejects.Ring
	add := func(n int) {
		for range n {
			ring.Add(rejects.Reject{Reason: "json.type", Partner: "a"}, []byte(`{"id":1}`), []inspect.Finding{{ID: "json.type", Path: "/id", Offset: 6}})
		}
	}
	known := logRefusals(context.Background(), ring.List(), 0, log, 2)
	if known != 0 || out.Len() != 0 {
		t.Errorf("of nothing: %d %s", known, out.String())
	}
	add(5)
	known = logRefusals(context.Background(), ring.List(), known, log, 2)
	known = logRefusals(context.Background(), ring.List(), known, log, 2)
	if got := out.String(); known != 5 || strings.Count(got, `"msg":"refused"`) != 2 || strings.Count(got, `"more":3`) != 1 || !strings.Contains(got, `"path":"/id","offset":6`) {
		t.Errorf("%d %s", known, got)
	}
	out.Reset()
	ring.Add(rejects.Reject{Reason: "policy.x"}, []byte(`{"id":1}`), []inspect.Finding{{ID: "policy.x", Offset: -1}})
	known = logRefusals(context.Background(), ring.List(), known, log, 2)
	if got := out.String(); !strings.Contains(got, `"msg":"refused","reason":"policy.x","nbr":0,"score":0,"bytes":8}`) {
		t.Errorf("a refusal of nobody's, without a place: %s", got)
	}
	out.Reset()
	add(rejects.RejectsMax * 2)
	known = logRefusals(context.Background(), ring.List(), known, log, 1)
	if got := out.String(); known != 6+2*rejects.RejectsMax || !strings.Contains(got, fmt.Sprintf(`"more":%d`, 2*rejects.RejectsMax-1)) {
		t.Errorf("%d %s", known, got)
	}
}

// counter adds a metric to a source.
func (s *source) counter(name string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: namespace + name}, labels)
	s.registry.MustRegister(c)
	return c
}

// TestPartners: what is refused, and what is only observed, is in the data of the page by reason
// and by partner; a partner can be asked about, and opened.
func TestPartners(t *testing.T) {
	t.Parallel()
	from := newSource()
	observed, judged, errs := from.counter("would_refuse_total", "partner", "reason"), from.counter("judged_total", "partner"), from.counter("rule_errors_total", "partner", "rule")
	from.partners.WithLabelValues("a", "forwarded").Add(5)
	from.partners.WithLabelValues("b", "refused").Add(9)
	observed.WithLabelValues("a", "policy.x").Add(3)
	observed.WithLabelValues("", "policy.x").Add(1)
	from.reasons.WithLabelValues("policy.x", "b").Add(9)
	from.reasons.WithLabelValues("json.type", "b").Add(2)
	for _, partner := range []string{"a", "b"} {
		judged.WithLabelValues(partner).Add(10)
		errs.WithLabelValues(partner, "policy.y").Add(4)
		from.rejects.Add(rejects.Reject{Partner: partner, Reason: "policy.x"}, nil, nil)
	}
	s := server(t, from, Options{})
	d := s.document(query{})
	if want := []reasonRow{{Reason: "policy.x", Total: 9, WouldRefuse: 4}, {Reason: "json.type", Total: 2}}; !slices.Equal(d.Reasons, want) {
		t.Errorf("reasons %+v, want %+v", d.Reasons, want)
	}
	if len(d.Partners) != 2 || d.Partners[0].Name != "a" || d.Partners[0].WouldRefuse != 3 || len(d.Rules) != 2 || len(d.Rejects) != 2 || d.Opened != nil || d.Candidate != nil {
		t.Errorf("%+v", d)
	}
	d = s.document(query{partner: "a", open: "b"})
	if want := []reasonRow{{Reason: "policy.x", WouldRefuse: 3}}; !slices.Equal(d.Reasons, want) || d.Partner != "a" || len(d.Rules) != 1 || d.Rules[0].Partner != "a" || len(d.Rejects) != 1 || d.Rejects[0].Partner != "a" {
		t.Errorf("of a: %+v", d)
	}
	if want := []reasonRow{{Reason: "policy.x", Total: 9}, {Reason: "json.type", Total: 2}}; !slices.Equal(d.Opened.Reasons, want) || d.Opened.Name != "b" || len(d.Opened.Rules) != 1 {
		t.Errorf("opened: %+v", d.Opened)
	}
	var live document
	decode(t, get(t, s, "/live?partner=a&open=b"), &live)
	if live.Partner != "a" || live.Opened == nil || live.Opened.Name != "b" {
		t.Errorf("/live: %+v", live)
	}
	if d := s.document(query{partner: "nobody", open: "nobody"}); len(d.Reasons)+len(d.Rules)+len(d.Rejects)+len(d.Opened.Reasons)+len(d.Opened.Rules) != 0 {
		t.Errorf("of nobody: %+v", d)
	}
}

// told is a gateway that knows more than its metrics.
type told struct{ *source }

func (told) ReasonText(id string) string {
	if id == "policy.x" {
		return strings.Repeat("long ", 100)
	}
	return ""
}

func (told) UpstreamDetails() (list []balance.Detail) {
	d := balance.Detail{Name: "core", Weight: 3}
	for range 2 * AddressesMax {
		d.Addresses = append(d.Addresses, balance.AddressDetail{Address: "127.0.0.1:9", State: "ejected", Until: time.Unix(1_000_000, 0).UTC(), Share: 0.5})
	}
	return []balance.Detail{d, {Name: "unknown"}}
}

// TestDetails adds what reasons mean and what addresses upstreams have, within bounds.
func TestDetails(t *testing.T) {
	t.Parallel()
	from := told{newSource()}
	from.reasons.WithLabelValues("policy.x", "").Add(1)
	from.counter("upstream_requests_total", "upstream").WithLabelValues("core").Add(5)
	healthy := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: namespace + "upstream_healthy"}, []string{"upstream"})
	healthy.WithLabelValues("core").Set(0)
	from.registry.MustRegister(healthy)
	o := Options{
		Origin: func() *filewatch.Origin {
			return &filewatch.Origin{Files: []filewatch.Sum{{Path: "rtbwire.yaml", SHA256: "0123456789abcdef"}}, By: "SIGHUP"}
		},
	}
	s := server(t, from, o)
	d := s.document(query{})
	if got := d.Reasons[0].Text; len(got) > textMax+len("…") || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes of text", len(got))
	}
	if u := d.Upstreams[0]; u.Weight != 3 || len(u.Addresses) != AddressesMax || u.Addresses[0].State != "ejected" {
		t.Errorf("upstream %+v", u)
	}
	if len(d.Notices) != 1 || d.Notices[0].State != stateBad || !strings.Contains(d.Notices[0].Text, "No upstream is healthy") {
		t.Errorf("notices %+v", d.Notices)
	}
	page := text(t, get(t, s, "/plain"))
	for _, want := range []string{"ejected until 13:46:40", "<code>rtbwire.yaml</code> sha256 <code>0123456789ab</code>", " by SIGHUP"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
}

// TestUpstreamNotices says what follows for requests: a mirror or a routed upstream that is well
// takes none of those that nothing routes, and nobody takes theirs.
func TestUpstreamNotices(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		upstreams []upstreamRow
		want      string
	}{
		"all are well":          {[]upstreamRow{{Name: "a", Healthy: true}, {Name: "m", Healthy: true, Apart: true}}, ""},
		"one is not":            {[]upstreamRow{{Name: "a", Healthy: true}, {Name: "b"}}, "The upstream b has no healthy address: others get its requests."},
		"the mirror is not":     {[]upstreamRow{{Name: "a", Healthy: true}, {Name: "m", Apart: true}}, "The upstream m has no healthy address."},
		"only the mirror is":    {[]upstreamRow{{Name: "a"}, {Name: "m", Healthy: true, Apart: true}}, "No upstream is healthy: requests can't be forwarded."},
		"all are routed":        {[]upstreamRow{{Name: "r", Healthy: true, Apart: true}}, ""},
		"the others are paused": {[]upstreamRow{{Name: "a", Healthy: true, Drained: true}, {Name: "r", Healthy: true, Apart: true}}, "No upstream is in use: operators have drained those that are healthy."},
	} {
		got := ""
		for _, n := range upstreamNotices(tt.upstreams) {
			got += n.Text
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestBindingLimit draws the adaptive limit only where it matters.
func TestBindingLimit(t *testing.T) {
	t.Parallel()
	from := newSource()
	gauges := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: namespace + "requests_in_flight"}, nil)
	limit := prometheus.NewGauge(prometheus.GaugeOpts{Name: namespace + "requests_in_flight_limit"})
	from.registry.MustRegister(gauges, limit)
	at := time.Unix(1_000_000, 0)
	for _, tt := range []struct {
		name            string
		inFlight, limit float64
		shed            bool
		want            float64
	}{
		{"after the first traffic", 3, 256, false, math.NaN()}, {"near", 128, 256, false, 256}, {"reached", 16, 16, false, 16},
		{"shed between two looks", 0, 16, true, 16}, {"no limit", 0, 0, true, math.NaN()},
	} {
		before := take(from.registry, at)
		gauges.WithLabelValues().Set(tt.inFlight)
		limit.Set(tt.limit)
		if tt.shed {
			from.reasons.WithLabelValues(overloadReason, "a").Inc()
		}
		if got := bindingLimit(before, take(from.registry, at)); got != tt.want && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestLossNotices: a trickle of failures is no banner. Requests that are shed are one, and so are
// many failures, with the partner that has most of them.
func TestLossNotices(t *testing.T) {
	t.Parallel()
	partners := []partnerRow{{Name: "a", PerSecond: map[string]float64{"failed": 1}}, {Name: "b", PerSecond: map[string]float64{"failed": 2, "shed": 1}}}
	for _, tt := range []struct {
		now   numbers
		want  []string
		state string
	}{
		{numbers{"requests.forwarded": 100}, nil, stateGood},
		{numbers{"requests.forwarded": 999, "requests.failed": 1}, nil, stateWarn},
		{numbers{"requests.forwarded": 90, "requests.failed": 10}, []string{"Requests fail: 10/s. Upstreams don't answer them as they should. Most are of the partner b."}, stateBad},
		{numbers{"requests.forwarded": 999, "requests.shed": 1}, []string{"Requests are shed: 1/s. A limit is reached. Most are of the partner b."}, stateWarn},
	} {
		var got []string
		for _, n := range lossNotices(&document{Partners: partners}, tt.now) {
			got = append(got, n.Text)
		}
		all, lost := tt.now.sum("requests.", bidStatuses...), tt.now.sum("requests.", losses...)
		if state := lossState(lost, all); !slices.Equal(got, tt.want) || state != tt.state {
			t.Errorf("%v: %q, %s, want %q, %s", tt.now, got, state, tt.want, tt.state)
		}
	}
}

// TestOverloadReason wants the reason to be one of the gateway.
func TestOverloadReason(t *testing.T) {
	t.Parallel()
	g, err := gateway.New(gateway.Options{Upstreams: gateway.At("http://127.0.0.1:9")})
	if err != nil {
		t.Fatal(err)
	}
	if g.ReasonText(overloadReason) == "" {
		t.Errorf("the gateway does not know %s", overloadReason)
	}
}
