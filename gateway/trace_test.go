package gateway

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/tracing"
	"github.com/rtbwire/rtbwire/openrtb"
)

// tracer keeps traces.
type tracer struct {
	mu  sync.Mutex
	all []*Trace
}

func (t *tracer) Take(one *Trace) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, one)
}

// take returns the traces since the last call, when there are as many as are wanted.
func (t *tracer) take(tb testing.TB, n int) (all []*Trace) {
	tb.Helper()
	waitFor(tb, "traces", func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		all = t.all
		return len(all) >= n
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = nil
	return all
}

// has returns the value of an attribute.
func has(s *tracing.Span, name string) string {
	for _, a := range s.Attributes {
		if a.Name == name {
			return a.String()
		}
	}
	return ""
}

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// TestTrace follows a request through the gateway: the sender's trace goes on, and the spans say
// what has become of the request.
func TestTrace(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, serve func(Options) (*started, sending)) {
		core := newCore(t, nil)
		spans := &tracer{}
		_, send := serve(Options{
			Upstreams: At(core.URL), Tracer: spans, Sampling: Sampling{Share: 1}, Partners: []Partner{{Name: "a", Match: Match{Path: "/a"}}},
			Passthrough: []Passthrough{{Path: "/win"}},
		})
		if r := send("POST", "/a", good(t), "Content-Type", "application/json", "Traceparent", parent, "Tracestate", "x=1"); r.status != 200 {
			t.Fatalf("%+v", r)
		}
		one := spans.take(t, 1)[0]
		got := core.take()[0]
		told := got.header.Values("Traceparent")
		if len(told) != 1 || told[0] != string(one.Context.Append(nil)) || !strings.HasPrefix(told[0], parent[:36]) || got.header.Get("Tracestate") != "x=1" {
			t.Errorf("the core was told %q, %q", told, got.header.Values("Tracestate"))
		}
		root := &one.Root
		for name, want := range map[string]string{
			"http.request.method": "POST", "http.route": "/a", "http.response.status_code": "200", "rtbwire.partner": "a", "rtbwire.outcome": "forwarded", "rtbwire.reason": "",
		} {
			if v := has(root, name); v != want {
				t.Errorf("%s is %q, want %q", name, v, want)
			}
		}
		if root.Name != "POST /a" || root.Kind != tracing.Server || root.Failed != "" || has(root, "http.request.body.size") == "0" {
			t.Errorf("%+v", root)
		}
		var names []string
		last := root.Began
		for i := range one.Inside {
			s := &one.Inside[i]
			names = append(names, s.Name)
			if s.Began.Before(last) || s.Ended.Before(s.Began) || s.Ended.After(root.Ended) {
				t.Errorf("%s is from %v to %v, in a request from %v to %v", s.Name, s.Began, s.Ended, root.Began, root.Ended)
			}
			last = s.Began
		}
		if strings.Join(names[:3], " ") != "decode verdict POST" {
			t.Errorf("the spans are %q", names)
		}
		up := &one.Inside[2]
		if up.ID != one.Context.Next || has(up, "http.response.status_code") != "200" || has(up, "rtbwire.upstream") != core.URL || has(up, "server.port") == "" {
			t.Errorf("%+v", up)
		}

		// Refused by a rule, wrong as HTTP, passed unread, asked by a load balancer.
		send("POST", PathDefault, []byte(`{"id":"1"}`), "Content-Type", "application/json")
		send("PUT", PathDefault, nil)
		send("GET", "/win?ifa=6f1a2b3c", nil)
		send("GET", "/status", nil)
		send("GET", "/secret/6f1a2b3c", nil)
		all := spans.take(t, 4)
		if len(all) != 4 {
			t.Fatalf("%d traces", len(all))
		}
		for i, want := range []struct{ name, outcome, reason string }{
			{"POST " + PathDefault, "refused", "schema.BidRequest.imp.required"}, {"PUT " + PathDefault, "rejected", reasonMethod},
			{"GET /win", "passthrough", ""}, {"GET", "rejected", reasonPath},
		} {
			root := &all[i].Root
			if root.Name != want.name || has(root, "rtbwire.outcome") != want.outcome || has(root, "rtbwire.reason") != want.reason {
				t.Errorf("%+v, want %+v", root, want)
			}
			for _, a := range root.Attributes {
				if strings.Contains(a.Text, "6f1a2b3c") {
					t.Errorf("personal data in %s: %s", a.Name, a.Text)
				}
			}
		}
	})
}

// TestTraceFailed says in spans why an upstream did not answer.
func TestTraceFailed(t *testing.T) {
	t.Parallel()
	core := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.WriteHeader(500)
		io.WriteString(w, "<html>")
	})
	spans := &tracer{}
	g := start(t, Options{Upstreams: At(core.URL), Tracer: spans, Sampling: Sampling{Share: 1}})
	g.post(t, PathDefault, good(t))
	one := spans.take(t, 1)[0]
	if up := &one.Inside[2]; one.Root.Failed != failStatus.reason || up.Failed != "500" || has(up, "http.response.status_code") != "500" {
		t.Errorf("%+v\n%+v", one.Root, up)
	}
	core.Close()
	g.post(t, PathDefault, good(t))
	one = spans.take(t, 1)[0]
	up := &one.Inside[2]
	if one.Root.Failed != failAbsent.reason || up.Failed == "" || len(up.Events) == 0 || has(up, "rtbwire.upstream") != core.URL || has(up, "http.response.status_code") != "" {
		t.Errorf("%+v\n%+v", one.Root, up)
	}
}

// TestTraceFlag follows the sender's flag or takes it back, and leaves requests alone where there
// is no tracer.
func TestTraceFlag(t *testing.T) {
	t.Parallel()
	unsampled := strings.TrimSuffix(parent, "1") + "0"
	for _, tt := range []struct {
		name   string
		of     Sampling
		off    bool
		sent   string
		traced bool
		same   bool // the core gets what was sent
		flag   string
	}{
		{"ignored", Sampling{Flag: FlagIgnore}, false, parent, false, false, "00"},
		{"ignored, sampled", Sampling{Share: 1, Flag: FlagIgnore}, false, unsampled, true, false, "01"},
		{"followed", Sampling{Flag: FlagFollow}, false, parent, true, false, "01"},
		{"followed, not sampled", Sampling{Share: 1, Flag: FlagFollow}, false, unsampled, false, true, "00"},
		{"off", Sampling{Share: 1, Flag: FlagFollow}, true, parent, false, true, "01"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			core := newCore(t, nil)
			spans := &tracer{}
			o := Options{Upstreams: At(core.URL), Tracer: spans, Sampling: tt.of}
			if tt.off {
				o.Tracer = nil
			}
			g := start(t, o)
			g.send(t, "POST", PathDefault, good(t), "Content-Type", "application/json", "Traceparent", tt.sent)
			told := core.take()[0].header.Get("Traceparent")
			if (told == tt.sent) != tt.same || !strings.HasPrefix(told, parent[:36]) || !strings.HasSuffix(told, tt.flag) {
				t.Errorf("the core was told %q", told)
			}
			if tt.traced {
				spans.take(t, 1)
			} else if len(spans.all) != 0 {
				t.Errorf("%d traces", len(spans.all))
			}
		})
	}
}

// verdicts keeps what a log of verdicts gets.
type verdicts struct {
	mu  sync.Mutex
	all []string
}

func (v *verdicts) Add(r Judged) {
	v.mu.Lock()
	defer v.mu.Unlock()
	id := ""
	if r.Request != nil {
		id = r.Request.ID
	}
	v.all = append(v.all, strings.Join([]string{id, r.Verdict.Action.String(), r.Verdict.Reason, r.Facts.Partner}, " "))
}

// TestVerdictLog gives each verdict to the log, and nothing that has none.
func TestVerdictLog(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, serve func(Options) (*started, sending)) {
		core, log := newCore(t, nil), &verdicts{}
		g, send := serve(Options{Upstreams: At(core.URL), VerdictLog: log, Partners: []Partner{{Name: "a", Match: Match{Path: "/a"}}}})
		send("POST", "/a", []byte(`{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1","domain":"a.example"}}`), "Content-Type", "application/json")
		send("POST", PathDefault, []byte(`{"id":"2"}`), "Content-Type", "application/json")
		send("POST", PathDefault, []byte(`{`), "Content-Type", "application/json")
		send("GET", PathDefault, nil)
		g.SetOverrides(&Overrides{Blocks: blocksFunc(func(*openrtb.BidRequest, *inspect.Facts) (string, bool) { return "/id", true })})
		send("POST", PathDefault, []byte(`{"id":"3"}`), "Content-Type", "application/json")
		want := []string{"1 forward  a", "2 refuse schema.BidRequest.imp.required ", " refuse json.truncated ", "3 refuse policy.blocked-now "}
		if !slices.Equal(log.all, want) {
			t.Errorf("%q, want %q", log.all, want)
		}
	})
}
