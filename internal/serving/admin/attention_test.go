package admin

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/serving/followed"
)

// TestCountNotices changes one number after the other, and wants the notice about it alone.
func TestCountNotices(t *testing.T) {
	t.Parallel()
	for want, tt := range map[string]struct {
		metric string
		labels prometheus.Labels
		from   float64
		to     float64
		rest   float64 // more of the same metric and partner, with another label
	}{
		"":                {metric: "requests_total", labels: prometheus.Labels{"request_status": "shed"}, to: 10, rest: 9}, // too few to say anything
		"malformed p":     {metric: "partner_requests_total", labels: prometheus.Labels{"request_status": "malformed", "partner": "p"}, to: 51, rest: 49},
		"rejected":        {metric: "requests_total", labels: prometheus.Labels{"request_status": "rejected"}, to: 6, rest: 94},
		"responses":       {metric: "responses_total", labels: prometheus.Labels{"mode": "observe", "result": "refused"}, to: 6, rest: 94},
		"dead-letters":    {metric: "records_total", labels: prometheus.Labels{"result": "refused"}, to: 51, rest: 49},
		"ejected core":    {metric: "upstream_addresses", labels: prometheus.Labels{"upstream": "core", "state": "ejected"}, from: 1, to: 1},
		"unresolved core": {metric: "upstream_resolve_failures_total", labels: prometheus.Labels{"upstream": "core"}, from: 3, to: 4},
		"vendor fraud":    {metric: "vendor_open", labels: prometheus.Labels{"vendor": "fraud"}, to: 1},
		"captures":        {metric: "capture_skipped_total", labels: prometheus.Labels{"cause": "disk"}, to: 1},
		"verdicts":        {metric: "verdict_log_skipped_total", labels: prometheus.Labels{"cause": "write"}, to: 1},
		"verdicts-wait":   {metric: "verdict_log_skipped_total", labels: prometheus.Labels{"cause": "queue"}, to: 1},
		"spans":           {metric: "telemetry_spans_dropped_total", labels: prometheus.Labels{"cause": "export"}, to: 1},
		"spans-wait":      {metric: "telemetry_spans_dropped_total", labels: prometheus.Labels{"cause": "queue"}, to: 1},
		"exports":         {metric: "telemetry_metrics_exports_total", labels: prometheus.Labels{"result": "failed"}, to: 1},
		"panic":           {metric: "rejected_total", labels: prometheus.Labels{"reason": "gateway.panic"}, to: 1},
		"lag":             {metric: "lag_records", labels: prometheus.Labels{"topic": "bids", "partition": "0"}, to: lagMin},
		"compressed":      {metric: "files_refused", to: 2},
		"restarts":        {metric: "restarts_total", to: 1},
		"read":            {metric: "file_errors_total", to: 1},
		"fetch":           {metric: "fetch_errors_total", to: 1},
		"commit":          {metric: "commits_total", labels: prometheus.Labels{"result": "failed"}, to: 1},
	} {
		registry := prometheus.NewRegistry()
		var names []string
		for name := range tt.labels {
			names = append(names, name)
		}
		gauge := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: namespace + tt.metric}, names)
		registry.MustRegister(gauge)
		gauge.With(tt.labels).Set(tt.from)
		before := take(registry, time.Now().Add(-time.Minute))
		gauge.With(tt.labels).Set(tt.to)
		if tt.rest > 0 {
			other := prometheus.Labels{}
			for name, v := range tt.labels {
				if other[name] = v; name != "partner" {
					other[name] = "other"
				}
			}
			gauge.With(other).Set(tt.rest)
		}
		var got []string
		for _, n := range countNotices(before, take(registry, time.Now())) {
			got = append(got, strings.TrimSpace(n.Kind+" "+n.Place))
			if n.Text == "" || strings.Contains(n.Text, "%!") || n.State != stateBad && n.State != stateWarn {
				t.Errorf("%+v", n)
			}
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s %v: %q, want %q", tt.metric, tt.labels, got, want)
		}
	}
}

// TestAttend: a notice that has no other line of the log has one when it begins, and one when it
// was over for a minute.
func TestAttend(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := newWatch(namespace, slog.New(slog.NewTextHandler(&out, nil)))
	shed := Notice{Kind: "shed", Place: "p", State: stateWarn, Text: "50% are shed", unlogged: true}
	start := time.Now()
	for i, tt := range []struct {
		after   time.Duration
		notices []Notice
		want    string
	}{
		{0, []Notice{{Kind: "file", Text: "has a line already"}, shed}, "level=WARN msg=\"needs attention\" kind=shed place=p text=\"50% are shed\"\n"},
		{time.Second, []Notice{shed}, ""},
		{30 * time.Second, nil, ""},
		{40 * time.Second, []Notice{shed}, ""}, // on and off is one
		{90 * time.Second, nil, ""},
		{100 * time.Second, nil, "level=INFO msg=\"needs no more attention\" kind=shed place=p\n"},
		{101 * time.Second, []Notice{{Kind: "failed", State: stateBad, Text: "x", unlogged: true}}, "level=ERROR msg=\"needs attention\" kind=failed text=x\n"},
	} {
		out.Reset()
		w.attend(tt.notices, start.Add(tt.after))
		if got := out.String(); !strings.HasSuffix(got, tt.want) || tt.want == "" && got != "" || strings.Count(got, "\n") > 1 {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
}

// TestRefusedOperators counts requests that the port refuses, and has a line a second for those
// that look like an attack.
func TestRefusedOperators(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := server(t, newSource(), Options{Tokens: []string{goodToken}, Logger: slog.New(slog.NewTextHandler(&out, nil))})
	for range 12 {
		get(t, s, "/live", "Authorization", "Bearer "+strings.Repeat("x", len(goodToken)))
	}
	get(t, s, "/live") // as a browser does first
	get(t, s, "/live", "Authorization", "Bearer "+goodToken, "Host", "evil.example")
	get(t, s, "/live", "Authorization", "Bearer "+goodToken, "Origin", "https://evil.example")
	if r := ask(t, s, mustRequest(t, http.MethodPut, "/live"), "Authorization", "Bearer "+goodToken); r.StatusCode != http.StatusMethodNotAllowed {
		t.Error(r.Status)
	}
	metrics := text(t, get(t, s, "/metrics", "Authorization", "Bearer "+goodToken))
	for cause, want := range map[string]int{causeToken: 12, causeNoToken: 1, causeHost: 1, causeSite: 1, causeForm: 1} {
		if line := fmt.Sprintf("rtbwire_gateway_admin_refused_total{cause=%q} %d\n", cause, want); !strings.Contains(metrics, line) {
			t.Errorf("no %s", line)
		}
	}
	log := out.String()
	if n := strings.Count(log, "\n"); n == 0 || n > 3 || !strings.Contains(log, `level=WARN msg="a request to the admin port was refused" cause=token from=`) || strings.Contains(log, "xxx") {
		t.Errorf("%d lines: %s", n, log)
	}
	s.watch.refusal(http.StatusUnauthorized, mustRequest(t, http.MethodGet, "/"), time.Now()) // no token: not a word
	r := mustRequest(t, http.MethodGet, "/")
	r.Header.Set("Authorization", "Bearer x")
	out.Reset()
	s.watch.refusal(http.StatusUnauthorized, r, time.Now().Add(2*refusedEvery))
	if !strings.Contains(out.String(), "more=") {
		t.Errorf("those without a line are not counted: %s", out.String())
	}
}

func mustRequest(t *testing.T, method, path string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, "http://127.0.0.1"+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestClockJumps sets the clock by more and by less than a jump.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := newWatch(namespace, slog.New(slog.NewTextHandler(&out, nil)))
	now := time.Now()
	w.clock(now)
	w.clock(now.Add(time.Hour)) // which have passed
	if out.Len() > 0 {
		t.Errorf("time that passes is a jump: %s", out.String())
	}
	w.jumped(clockJump - 1)
	w.jumped(-time.Hour)
	w.jumped(90 * time.Minute)
	if got := strings.Count(out.String(), "the clock was set"); got != 2 || !strings.Contains(out.String(), "by=-1h0m0s") {
		t.Errorf("%d jumps: %s", got, out.String())
	}
}

// TestExpiring says that a certificate ends soon, and that it has ended.
func TestExpiring(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for left, want := range map[time.Duration]string{
		31 * 24 * time.Hour: "", 29 * 24 * time.Hour: "warn expires at", -time.Hour: "bad has expired at",
	} {
		files := []filewatch.Named{{Kind: filewatch.KindCertificates, Name: "gateway", Status: filewatch.Status{Expires: now.Add(left)}}}
		var got string
		for _, n := range fileNotices(&document{Now: now, Files: followed.Rows(files, now)}) {
			got += n.State + " " + n.Text
		}
		state, text, _ := strings.Cut(want, " ")
		if !strings.HasPrefix(got, state) || !strings.Contains(got, text) || want == "" && got != "" {
			t.Errorf("%v before the end: %q, want %q", left, got, want)
		}
	}
}
