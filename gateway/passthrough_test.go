package gateway

import (
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// eachPlane runs a test with both servers of HTTP in front of a gateway.
func eachPlane(t *testing.T, test func(t *testing.T, serve func(o Options) *started)) {
	t.Helper()
	t.Run("fast", func(t *testing.T) {
		test(t, func(o Options) *started { return start(t, o) })
	})
	t.Run("std", func(t *testing.T) {
		test(t, func(o Options) *started { return startStd(t, o) })
	})
}

// TestThrough sends notices of wins and their kin: they pass unread, whatever is in them.
func TestThrough(t *testing.T) {
	long := "/win?" + strings.Repeat("a=%24%7BAUCTION_PRICE%7D&b=1+2%2F3;c&d=%zz&", 160) + "price=0.5"
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		up := newCore(t, func(w http.ResponseWriter, r *http.Request, body []byte) {
			w.Header().Set("Content-Type", "image/gif")
			w.Header().Set("X-Rtbwire-Score", "1")
			w.Header().Set("X-Pixel", "yes")
			w.WriteHeader(http.StatusAccepted)
			io.WriteString(w, "GIF89a"+string(body))
		})
		g := serve(Options{Upstreams: At(up.URL), BodyMax: 4096, Passthrough: []Passthrough{
			{Path: "/win"}, {Path: "/win", Method: "HEAD"}, {Path: "/sync", Method: "POST"},
		}})
		for _, tt := range []struct {
			name, method, path, body string
			header                   []string
			status                   int
			answer                   string
		}{
			{"notice", "GET", "/win?price=1", "", nil, 202, "GIF89a"},
			{"no query", "GET", "/win", "", nil, 202, "GIF89a"},
			{"long query", "GET", long, "", nil, 202, "GIF89a"},
			{"HEAD", "HEAD", "/win?price=1", "", nil, 202, ""},
			{"sync", "POST", "/sync?x=y", "\x00not json", []string{"Content-Type", "application/octet-stream", "Content-Encoding", "br", "X-Openrtb-Version", "9"}, 202, "GIF89a\x00not json"},
			{"another method", "POST", "/win", "x", nil, 405, "this path takes GET, HEAD only\n"},
			{"another method of sync", "GET", "/sync", "", nil, 405, "this path takes POST only\n"},
			{"another path", "GET", "/win/", "", nil, 404, strangerTexts[reasonPath]},
			{"too long", "POST", "/sync", strings.Repeat("x", 5000), nil, 413, "the body is longer than 4096 bytes (gateway.max.body)\n"},
		} {
			r := g.send(t, tt.method, tt.path, []byte(tt.body), append(tt.header, "X-Rtbwire-Action", "forged", "Cookie", "a=b", "Connection", "X-Hop", "X-Hop", "1")...)
			if r.status != tt.status || r.body != tt.answer {
				t.Errorf("%s: %d %q", tt.name, r.status, r.body)
			}
			list := up.take()
			if tt.status != 202 {
				if len(list) != 0 {
					t.Errorf("%s: the core got %d requests", tt.name, len(list))
				}
				continue
			}
			if len(list) != 1 {
				t.Fatalf("%s: the core got %d requests", tt.name, len(list))
			}
			got := list[0]
			if got.method != tt.method || got.uri != tt.path || string(got.body) != tt.body {
				t.Errorf("%s: the core got %s %s %q", tt.name, got.method, got.uri, got.body)
			}
			if got.header.Get("X-Rtbwire-Action") != "" || got.header.Get("X-Hop") != "" || got.header.Get("Cookie") != "a=b" || got.header.Get("X-Forwarded-For") != "127.0.0.1" || got.header.Get("X-Request-Id") == "" {
				t.Errorf("%s: the core got %v", tt.name, got.header)
			}
			for i := 0; i < len(tt.header); i += 2 {
				if got.header.Get(tt.header[i]) != tt.header[i+1] {
					t.Errorf("%s: %s is %q", tt.name, tt.header[i], got.header.Get(tt.header[i]))
				}
			}
			if r.header.Get("X-Pixel") != "yes" || r.header.Get("X-Rtbwire-Score") != "" || r.header.Get("Content-Type") != "image/gif" {
				t.Errorf("%s: the answer has %v", tt.name, r.header)
			}
		}
		if r := g.send(t, "POST", "/win", nil); r.header.Get("Allow") != "GET, HEAD" {
			t.Errorf("Allow is %q", r.header.Get("Allow"))
		}
	})
}

// TestThroughLimits applies a partner's limits to what passes unread: to that of a partner who
// proves who it is, and has no path.
func TestThroughLimits(t *testing.T) {
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		up := newCore(t, nil)
		g := serve(Options{
			Upstreams: At(up.URL), Passthrough: []Passthrough{{Path: "/win"}}, NoBid: NoBid200,
			Partners: []Partner{
				{Name: "pathed", Match: Match{Path: "/a", From: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, Limits: Limits{Rate: 1, Burst: 1}},
				{Name: "known", NoBid: NoBid200, Match: Match{Token: "secret"}, Limits: Limits{Rate: 1, Burst: 1}},
			},
		})
		var counts [2]map[int]int
		for i, header := range [][]string{nil, {"Authorization", "Bearer secret"}} {
			counts[i] = map[int]int{}
			for n := range 50 {
				if i == 0 && n == 5 || counts[i][http.StatusTooManyRequests] > 0 {
					break
				}
				r := g.send(t, "GET", "/win?x", nil, header...)
				counts[i][r.status]++
				if r.status != 200 && (r.status != 429 || r.header.Get("Retry-After") == "" || r.body != "") {
					t.Errorf("%+v", r)
				}
			}
		}
		if counts[0][200] != 5 || counts[1][200] < 1 || counts[1][429] < 1 {
			t.Errorf("strangers %v, the partner %v", counts[0], counts[1])
		}
		for _, r := range up.take() {
			if r.header.Get("Authorization") != "" {
				t.Error("the core got the token")
			}
		}
	})
}

// TestThroughUpstream answers what passes unread with statuses if the core does not answer.
func TestThroughUpstream(t *testing.T) {
	up := newCore(t, nil)
	up.Close()
	g := start(t, Options{
		Upstreams: At(up.URL), Passthrough: []Passthrough{{Path: "/win"}},
		Partners: []Partner{{Name: "known", NoBid: NoBid200, Match: Match{Token: "secret"}}},
	})
	if r := g.send(t, "GET", "/win", nil, "Authorization", "Bearer secret"); r.status != 503 || r.body != "" {
		t.Errorf("%+v", r)
	}
}
