package gateway

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
)

// TestNamedHeaders repeats headers that decide something, and spells them with underscores: the
// upstream could read a value that the gateway has not. Headers that the configuration does not
// name may repeat.
func TestNamedHeaders(t *testing.T) {
	eachProtocol(t, testNamedHeaders)
}

func testNamedHeaders(t *testing.T, serve func(Options) (*started, sending)) {
	up := newCore(t, nil)
	g, send := serve(Options{
		Upstreams: At(up.URL), FactHeaders: []string{"x-region", "Cookie", "User-Agent", "Own_Name"},
		Passthrough: []Passthrough{{Path: "/win", Method: http.MethodPost}},
		Partners: []Partner{
			{Name: "a", NoBid: NoBid204, Match: Match{Headers: []inspect.Header{{Name: "X-Exchange", Value: "a"}}}},
			{Name: "b", Match: Match{Path: "/b", Token: "secret"}},
		},
	})
	for _, tt := range []struct {
		sent   []string
		reason string
	}{
		{[]string{"X-Region", "ok"}, ""},
		{[]string{"x-REGION", "ok"}, ""},
		{[]string{"X-Region", "ok", "X-Region", "evil"}, reasonTwice},
		{[]string{"X-Region", "ok", "X-Region", "ok"}, reasonTwice},
		{[]string{"X-Region", "", "x-region", "evil"}, reasonTwice},
		{[]string{"X_Region", "evil"}, reasonUnderscore},
		{[]string{"X-Region", "ok", "x_region", "evil"}, reasonUnderscore},
		{[]string{"X-Exchange", "a"}, ""},
		{[]string{"X-Exchange", "a", "X-Exchange", "b"}, reasonTwice},
		{[]string{"X-Exchange", "b", "X-Exchange", "a"}, reasonTwice},
		{[]string{"X-Exchange", "a", "X_EXCHANGE", "b"}, reasonUnderscore},
		{[]string{"Authorization", "Basic x", "Authorization", "Bearer secret"}, reasonTwice},
		{[]string{"Own_name", "x"}, ""},
		{[]string{"Own-Name", "x"}, reasonUnderscore},
		{[]string{"X-Other", "a", "X-Other", "b", "X_Other", "c", "X_Regions", "d"}, ""},
		{[]string{"Cookie", "a=b"}, ""},
		{[]string{"User-Agent", "one"}, ""},
	} {
		for _, path := range []string{PathDefault, "/win"} {
			before, _ := g.counts(t)
			r := send(http.MethodPost, path, good(t), tt.sent...)
			after, _ := g.counts(t)
			got := up.take()
			if tt.reason == "" {
				if r.status != 200 || len(got) != 1 {
					t.Errorf("%s, %q: %d, the core got %d requests", path, tt.sent, r.status, len(got))
				}
				continue
			}
			if r.status != 400 || len(got) > 0 || r.body != rejectionTexts[tt.reason] || !strings.Contains(r.body, "header") || after[tt.reason] != before[tt.reason]+1 {
				t.Errorf("%s, %q: %d %q, the core got %d requests, %s is counted %v times",
					path, tt.sent, r.status, r.body, len(got), tt.reason, after[tt.reason]-before[tt.reason])
			}
		}
	}
	if r := send(http.MethodGet, statusPath, nil, "X-Region", "a", "X-Region", "b"); r.status != 200 {
		t.Errorf("/status: %d", r.status)
	}
}

// TestNamedHeadersUpfront refuses a client that asks first whether it may send the body.
func TestNamedHeadersUpfront(t *testing.T) {
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		g := serve(Options{Upstreams: At(newCore(t, nil).URL), FactHeaders: []string{"X-Region"}})
		got := g.raw(t, "POST "+PathDefault+" HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\nX-Region: a\r\nX-Region: b\r\n\r\n")
		if reasons, _ := g.counts(t); !strings.HasPrefix(got, "HTTP/1.1 400 ") || reasons[reasonTwice] != 1 {
			t.Errorf("%q, counted %v", got, reasons)
		}
	})
}
