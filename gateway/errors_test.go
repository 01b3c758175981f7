package gateway

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// TestUpstreamErrors answers with errors: senders get no-bids in their style in place of the core's
// page, unless the options say otherwise. Either way the upstream has failed.
func TestUpstreamErrors(t *testing.T) {
	eachPlane(t, testUpstreamErrors)
}

func testUpstreamErrors(t *testing.T, serve func(Options) *started) {
	const page = "<html>broken</html>"
	up := newCore(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("X-Openrtb-Version", "2.5")
		w.WriteHeader(map[string]int{"500": 500, "503": 503, "599": 599, "404": 404}[r.Header.Get("X-Want")])
		io.WriteString(w, page)
	})
	for _, errors := range []UpstreamErrors{"", ErrorsNoBid, ErrorsPass} {
		g := serve(Options{
			Upstreams: At(up.URL), UpstreamErrors: errors, Responses: Responses{Mode: ResponsesOff},
			Partners: []Partner{
				{Name: "a", Match: Match{Path: "/a"}}, {Name: "b", Match: Match{Path: "/b"}, NoBid: NoBid200}, {Name: "c", Match: Match{Path: "/c"}, NoBid: NoBid400JSON},
			},
			Passthrough: []Passthrough{{Path: "/win"}},
		})
		const nbr = `{"id":"x","nbr":1}`
		failed := 0
		for _, want := range []string{"500", "503", "599"} {
			for path, no := range map[string]reply{PathDefault: {status: 502}, "/a": {status: 204}, "/b": {status: 200, body: nbr}, "/c": {status: 400, body: nbr}} {
				r := g.post(t, path, named(good(t), "x"), "X-Want", want)
				version := VersionDefault
				if errors == ErrorsPass {
					no.body, version = page, "2.5"
				}
				passed := r.header.Get("Content-Type") == "text/html" && fmt.Sprint(r.status) == want
				if r.body != no.body || (errors == ErrorsPass) != passed || !passed && r.status != no.status || r.header.Get("X-Openrtb-Version") != version {
					t.Errorf("%s, %s of the core on %s: %+v, want %+v", errors, want, path, r, no)
				}
				failed++
			}
		}
		if r := g.send(t, http.MethodGet, "/win", nil, "X-Want", "503"); r.status != 503 || r.body != page {
			t.Errorf("%s: a passed request: %+v", errors, r)
		}
		if r := g.post(t, "/a", good(t), "X-Want", "404"); r.status != 404 || r.body != page {
			t.Errorf("%s: an answer that is no error of the core: %+v", errors, r)
		}
		name := g.plan.Load().upstreams.Upstreams()[0].Name
		if got := measured(t, g.Gateway, Namespace+"upstream_failures_total")[name]; got != float64(failed+1) {
			t.Errorf("%s: %v failures are counted, want %d", errors, got, failed+1)
		}
		want := map[bool]float64{true: 0, false: float64(failed)}[errors == ErrorsPass]
		waitFor(t, "the count of failed requests", func() bool { return measured(t, g.Gateway, Namespace+"requests_total")["failed,openrtb2"] >= want })
		if got := measured(t, g.Gateway, Namespace+"rejected_total"); sum(got) != want || got["a,gateway.upstream-status"] != want/4 {
			t.Errorf("%s: %v failures of requests, want %v", errors, got, want)
		}
	}
}

// TestCoreErrors does the same for a core in Go.
func TestCoreErrors(t *testing.T) {
	core := CoreFunc(func(_ *fasthttp.Request, resp *fasthttp.Response, _ time.Duration) error {
		resp.SetStatusCode(500)
		resp.SetBodyString("broken")
		return nil
	})
	for errors, want := range map[UpstreamErrors]reply{ErrorsNoBid: {status: 502}, ErrorsPass: {status: 500, body: "broken"}} {
		g := start(t, Options{Core: core, UpstreamErrors: errors})
		if r := g.post(t, PathDefault, good(t)); r.status != want.status || r.body != want.body {
			t.Errorf("%s: %+v, want %+v", errors, r, want)
		}
	}
	if _, err := New(Options{Core: core, UpstreamErrors: "drop"}); err == nil || !strings.Contains(err.Error(), `"drop"`) {
		t.Errorf("an unknown word: %v", err)
	}
}
