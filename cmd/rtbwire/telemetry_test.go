package main

import (
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector takes OTLP by HTTP, as a collector of OpenTelemetry does, and keeps what it gets.
type collector struct {
	*httptest.Server
	status atomic.Int64 // other than 0: its answer to all

	mu       sync.Mutex
	requests int
	spans    []*trace.Span
	resource map[string]string            // of the last spans
	points   map[string]map[string]string // by name and labels: values
	headers  http.Header                  // of the last request
	problems []string
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{points: map[string]map[string]string{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests++
		c.headers = r.Header.Clone()
		if status := c.status.Load(); status != 0 {
			w.WriteHeader(int(status))
			return
		}
		if err := c.take(r); err != nil {
			c.problems = append(c.problems, r.URL.Path+": "+err.Error())
			w.WriteHeader(http.StatusBadRequest)
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(func() {
		c.Close()
		if len(c.problems) > 0 {
			t.Errorf("the collector got what is no OTLP: %q", c.problems)
		}
	})
	return c
}

// take reads a request.
func (c *collector) take(r *http.Request) error {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return err
		}
		body = z
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	switch r.URL.Path {
	case "/v1/traces":
		var all collectortrace.ExportTraceServiceRequest
		if err := proto.Unmarshal(text, &all); err != nil {
			return err
		}
		for _, of := range all.ResourceSpans {
			c.resource = values(of.Resource.Attributes)
			for _, scope := range of.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	case "/v1/metrics":
		var all collectormetrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(text, &all); err != nil {
			return err
		}
		for _, of := range all.ResourceMetrics {
			for _, scope := range of.ScopeMetrics {
				for _, m := range scope.Metrics {
					c.point(m)
				}
			}
		}
	default:
		return fmt.Errorf("unknown path")
	}
	return nil
}

// point keeps the values of a metric.
func (c *collector) point(m *metrics.Metric) {
	own := map[string]string{}
	numbers := func(list []*metrics.NumberDataPoint) {
		for _, p := range list {
			own[labels(p.Attributes)] = fmt.Sprint(p.GetAsDouble() + float64(p.GetAsInt()))
		}
	}
	numbers(m.GetGauge().GetDataPoints())
	numbers(m.GetSum().GetDataPoints())
	for _, p := range m.GetHistogram().GetDataPoints() {
		own[labels(p.Attributes)] = fmt.Sprint(p.GetCount())
	}
	c.points[m.Name] = own
}

func values(list []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range list {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			all[a.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			all[a.Key] = fmt.Sprint(v.IntValue)
		}
	}
	return all
}

// labels returns attributes as the labels of a metric.
func labels(list []*common.KeyValue) string {
	var all []string
	for name, value := range values(list) {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

// named returns the spans with a name.
func (c *collector) named(name string) (list []*trace.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if s.Name == name {
			list = append(list, s)
		}
	}
	return list
}

// value returns the value of a metric, "" if there is none.
func (c *collector) value(name, labels string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.points[name][labels]
}

// TestTelemetry sends spans and metrics of a gateway to a collector: a trace that an exchange has
// begun goes on, metrics are those of /metrics, and what waits at the end is sent.
func TestTelemetry(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
	var told atomic.Value
	core := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told.Store(r.Header.Get("Traceparent"))
		io.WriteString(w, `{"id":"1","seatbid":[]}`)
	}))
	defer core.Close()
	to := newCollector(t)
	command := exec.Command("rtbwire", "serve", "--listen", "127.0.0.1:0", "--upstream", core.URL, "--otlp-spans", "100%", "--admin", "127.0.0.1:0")
	command.Env = append(os.Environ(), "RTBWIRE_GATEWAY_TELEMETRY_ENDPOINT="+to.URL, "RTBWIRE_GATEWAY_TELEMETRY_METRICS=1s", "OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=test", "OTEL_EXPORTER_OTLP_HEADERS=x-token=secret")
	p := startProcess(t, true, command)
	url := "http://" + p.address + "/openrtb2/auction"
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(goodRequest))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Traceparent", parent)
	if r, err := http.DefaultClient.Do(request); err != nil || r.StatusCode != 200 {
		t.Fatal(r, err)
	}
	waitFor(t, "spans", func() bool { return len(to.named("POST /openrtb2/auction")) == 1 })
	root := to.named("POST /openrtb2/auction")[0]
	upstream, decode, verdict := to.named("POST"), to.named("decode"), to.named("verdict")
	if len(upstream) != 1 || len(decode) != 1 || len(verdict) != 1 {
		t.Fatalf("%d spans of the upstream, %d of decoding, %d of the verdict", len(upstream), len(decode), len(verdict))
	}
	if hex.EncodeToString(root.TraceId) != parent[3:35] || hex.EncodeToString(root.ParentSpanId) != parent[36:52] || root.Kind != trace.Span_SPAN_KIND_SERVER {
		t.Errorf("the span of the request is %v", root)
	}
	for _, s := range []*trace.Span{upstream[0], decode[0], verdict[0]} {
		if string(s.TraceId) != string(root.TraceId) || string(s.ParentSpanId) != string(root.SpanId) || s.StartTimeUnixNano < root.StartTimeUnixNano || s.EndTimeUnixNano > root.EndTimeUnixNano {
			t.Errorf("%v is not inside of the span of the request", s)
		}
	}
	if want := parent[:36] + hex.EncodeToString(upstream[0].SpanId) + "-01"; told.Load() != want {
		t.Errorf("the core was told %q, want %q", told.Load(), want)
	}
	own := values(root.Attributes)
	for name, want := range map[string]string{
		"http.request.method": "POST", "http.route": "/openrtb2/auction", "http.response.status_code": "200", "url.scheme": "http", "rtbwire.outcome": "forwarded",
		"http.request.body.size": fmt.Sprint(len(goodRequest)), "http.response.body.size": "23",
	} {
		if own[name] != want {
			t.Errorf("%s is %q, want %q", name, own[name], want)
		}
	}
	if of := to.resource; of["service.name"] != "rtbwire-gateway" || of["deployment.environment.name"] != "test" || of["host.name"] == "" || to.headers.Get("X-Token") != "secret" {
		t.Errorf("the resource is %v, the headers are %v", of, to.headers)
	}
	for _, s := range to.spans {
		for _, personal := range []string{"8.8.8.8", "Mozilla", "Firefox"} {
			if strings.Contains(s.String(), personal) {
				t.Errorf("personal data in %v", s)
			}
		}
	}

	const forwarded = "request_status=forwarded,request_type=openrtb2"
	waitFor(t, "metrics", func() bool { return to.value("rtbwire_gateway_requests_total", forwarded) == "1" })
	_, page := p.page(t, "/metrics")
	missing := 0
	for line := range strings.Lines(page) {
		name, found := strings.CutPrefix(line, "# TYPE ")
		if name, kind, _ := strings.Cut(name, " "); found && to.points[name] == nil && !strings.HasPrefix(kind, "summary") {
			missing++
			t.Errorf("/metrics has %s, the collector has not", name)
		}
	}
	if missing == 0 && len(to.points) < 50 {
		t.Errorf("%d metrics", len(to.points))
	}

	// What is not sent yet goes out at the end.
	if status, _, err := send(url, `{"id":"2"}`); err != nil || status != 204 {
		t.Fatal(status, err)
	}
	p.Stop(t)
	all := to.named("POST /openrtb2/auction")
	if len(all) != 2 || values(all[1].Attributes)["rtbwire.reason"] != "schema.BidRequest.imp.required" || values(all[1].Attributes)["rtbwire.nbr"] == "" {
		t.Errorf("after the end there are %v", all)
	}
	if got := to.value("rtbwire_gateway_requests_total", "request_status=refused,request_type=openrtb2"); got != "1" {
		t.Errorf("after the end the collector has %q refused requests, want 1", got)
	}
}

// TestCollectorDown runs a gateway whose collector refuses everything: requests are answered, spans
// that can't be sent are counted, the log has a line and not one for each, and the end does not
// wait for long.
func TestCollectorDown(t *testing.T) {
	core := echo(t)
	to := newCollector(t)
	to.status.Store(http.StatusInternalServerError)
	p := startServe(t, true, "--upstream", core.URL, "--otlp", to.URL, "--otlp-spans", "100%", "--admin", "127.0.0.1:0")
	url := "http://" + p.address + "/openrtb2/auction"
	const sent = 3000 // more than wait
	for i := range sent {
		if status, _, err := send(url, goodRequest); err != nil || status != 200 {
			t.Fatalf("request %d: %d, %v", i, status, err)
		}
	}
	waitFor(t, "dropped spans", func() bool {
		return p.Metrics(t, p.admin)[`rtbwire_gateway_telemetry_spans_dropped_total{cause="export"}`] > 0
	})
	if n := strings.Count(p.Text(), "did not take spans"); n != 1 {
		t.Errorf("%d lines in the log", n)
	}
	to.status.Store(0)
	waitFor(t, "spans", func() bool { return len(to.named("decode")) > 0 })
	waitFor(t, "the news", func() bool { return strings.Contains(p.Text(), "takes spans again") })
	to.status.Store(http.StatusInternalServerError)
	send(url, goodRequest)
	p.Stop(t) // which bounds how long that takes
	if !strings.Contains(p.Text(), "not all telemetry was sent") {
		t.Error("the log does not say that spans are lost")
	}
}

// TestTelemetryStream sends spans and metrics of a stream, of a record that an application has
// traced before.
func TestTelemetryStream(t *testing.T) {
	t.Parallel()
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	brokers := newCluster(t, "bids", "bids-ok", "bids-refused")
	accepted, refused := follow(t, brokers, "bids-ok"), follow(t, brokers, "bids-refused")
	to := newCollector(t)
	file := filepath.Join(t.TempDir(), "rtbwire.yaml")
	replace(t, file, fmt.Sprintf("version: 1\ngateway: {telemetry: {endpoint: %q, sampled_flag: follow, metrics: 1s}}\n"+
		"stream: {brokers: %q, topics: bids, group: edge, accepted: bids-ok, dead_letters: bids-refused}\n", to.URL, brokers))
	p := startStream(t, "msg=consuming", "--config", file)
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	traced := []kgo.RecordHeader{{Key: "traceparent", Value: []byte(parent)}}
	for _, r := range []*kgo.Record{{Topic: "bids", Value: []byte(goodRequest), Headers: traced}, {Topic: "bids", Value: []byte("{"), Headers: traced}, {Topic: "bids", Value: []byte(goodRequest)}} {
		if err := client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, "the records", func() bool { return len(accepted.all()) == 2 && len(refused.all()) == 1 })
	waitFor(t, "the spans", func() bool { return len(to.named("process bids")) == 2 })
	for _, s := range to.named("process bids") {
		own := values(s.Attributes)
		if hex.EncodeToString(s.TraceId) != parent[3:35] || hex.EncodeToString(s.ParentSpanId) != parent[36:52] || s.Kind != trace.Span_SPAN_KIND_CONSUMER ||
			own["messaging.system"] != "kafka" || own["messaging.destination.name"] != "bids" {
			t.Errorf("%v", s)
		}
		if own["rtbwire.outcome"] == "refused" {
			if !strings.HasPrefix(own["rtbwire.reason"], "json.") || own["messaging.message.body.size"] != "1" {
				t.Errorf("%v", s)
			}
			continue
		}
		deliver := ""
		for _, inner := range to.named("deliver") {
			if string(inner.ParentSpanId) == string(s.SpanId) {
				deliver = hex.EncodeToString(inner.SpanId)
			}
		}
		told := []string{headerOf(accepted.all()[0], "traceparent"), headerOf(accepted.all()[1], "traceparent")}
		if own["rtbwire.outcome"] != "accepted" || !slices.Contains(told, parent[:36]+deliver+"-01") || !slices.Contains(told, "") {
			t.Errorf("%v; receivers were told %q", s, told)
		}
	}
	if told := headerOf(refused.all()[0], "traceparent"); told != parent {
		t.Errorf("the dead letter has %q, want what was read", told)
	}
	waitFor(t, "metrics", func() bool { return to.value("rtbwire_stream_records_total", "result=accepted") == "2" })
	p.Stop(t)
	if to.resource["service.name"] != "rtbwire-stream" {
		t.Errorf("the resource is %v", to.resource)
	}
}
