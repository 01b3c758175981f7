package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/explanation"
)

const secret = "6f1a2b3c-secret"

// judging returns options with a judge, and what it was asked.
func judging(asked *[]Sender) *Judge {
	return &Judge{Config: "rtbwire.yaml", Partners: func() []string { return []string{"a"} }, Explain: func(text []byte, sender Sender) (*Judged, error) {
		*asked = append(*asked, sender)
		switch {
		case sender.Partner == "nobody":
			return nil, errors.New("no partner")
		case sender.Partner == "panic":
			panic(string(text))
		}
		w := new(inspect.Engine).NewWorker()
		v := w.Inspect(text, inspect.Facts{Partner: sender.Partner})
		return &Judged{Document: explanation.New(w, &v, text).Document()}, nil
	}}
}

func paste(t *testing.T, s *Server, query, body string, headers ...string) *http.Response {
	t.Helper()
	return ask(t, s, httptest.NewRequest(http.MethodPost, "/judge"+query, strings.NewReader(body)), append([]string{"Content-Type", "application/json"}, headers...)...)
}

// TestJudge pastes requests, good and bad ones, on the gateway's port and on the playground's. What
// is pasted is in the answer alone.
func TestJudge(t *testing.T) {
	t.Parallel()
	var asked []Sender
	var log bytes.Buffer
	from := newSource()
	gateway := server(t, from, Options{Judge: judging(&asked), Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	playground, err := NewPlayground(Options{Judge: judging(&asked), Logger: gateway.options.Logger})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*Server{"gateway": gateway, "playground": playground} {
		s.judges.now = func() time.Time { return time.Time{} }
		s.judges.most = 100 // the pace has a test of its own
		for _, tt := range []struct {
			query, body string
			status      int
			want        string
		}{
			{"?partner=a&publisher=p&peer=192.0.2.1", `{"id":"1","imp":[],"user":{"id":"` + secret + `"}}`, 200, `"reason": "schema.BidRequest.channel.present"`},
			{"", `{`, 200, `"reason": "json.truncated"`},
			{"", ``, 200, `"reason": "json.empty"`},
			{"?partner=nobody", `{}`, 400, `"message": "no partner"`},
			{"?partnr=a", `{}`, 400, `unknown parameter \"partnr\" (want partner, publisher, peer)`},
			{"?partner=panic", `{"user":"` + secret + `"}`, 500, `"code": "failed"`},
		} {
			r := paste(t, s, tt.query, tt.body)
			if got := text(t, r); r.StatusCode != tt.status || !strings.Contains(got, tt.want) {
				t.Errorf("%s: %s %s: %d %s, want %d %s", name, tt.query, tt.body, r.StatusCode, got, tt.status, tt.want)
			}
		}
		if asked[len(asked)-5] != (Sender{"a", "p", "192.0.2.1"}) {
			t.Errorf("%s: asked for %+v", name, asked)
		}
		var d judgeDocument
		if err := json.NewDecoder(get(t, s, "/judge").Body).Decode(&d); err != nil || d.Config != "rtbwire.yaml" || d.Partners[0] != "a" || d.BytesMax != JudgeMax {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	for _, kept := range []string{log.String(), text(t, get(t, gateway, "/live")), text(t, get(t, gateway, "/rejects")), text(t, get(t, gateway, "/metrics"))} {
		if strings.Contains(kept, secret) {
			t.Errorf("kept:\n%s", kept)
		}
	}
	if len(gateway.judging)+len(playground.judging) > 0 {
		t.Error("a place is still taken")
	}
}

// TestJudgeGuard refuses pages of other sites, and what is too long, too often or too many at once.
func TestJudgeGuard(t *testing.T) {
	t.Parallel()
	var asked []Sender
	s := server(t, newSource(), Options{Judge: judging(&asked), Tokens: []string{goodToken}})
	for _, tt := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"a form", []string{"Content-Type", "text/plain"}, 415},
		{"another site", []string{"Origin", "http://evil.example"}, 403},
		{"a script of another site", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"}, 403},
		{"a name that resolves to this address", []string{"Host", "evil.example"}, 421},
		{"no token", []string{"Authorization", ""}, 401},
	} {
		if r := paste(t, s, "", "{}", append([]string{"Authorization", bearer}, tt.headers...)...); r.StatusCode != tt.status {
			t.Errorf("%s: %d, want %d", tt.name, r.StatusCode, tt.status)
		}
	}
	if r := paste(t, s, "", strings.Repeat(" ", JudgeMax+1), "Authorization", bearer); r.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a long request: %d", r.StatusCode)
	}
	if len(asked) > 0 {
		t.Errorf("judged: %+v", asked)
	}
	now := time.Unix(1000, 0)
	s.judges.now = func() time.Time { return now }
	for i := range JudgesPerSecond + 1 {
		if r := paste(t, s, "", "{}", "Authorization", bearer); (r.StatusCode == http.StatusTooManyRequests) != (i == JudgesPerSecond) {
			t.Errorf("request %d: %d", i, r.StatusCode)
		}
	}
	now = now.Add(time.Second)
	for range judgesMax {
		s.judging <- struct{}{}
	}
	if r := paste(t, s, "", "{}", "Authorization", bearer); r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" {
		t.Errorf("more at once: %d", r.StatusCode)
	}
	if r := paste(t, server(t, newSource(), Options{}), "", "{}"); r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("without a judge: %d", r.StatusCode)
	}
}

// TestPlayground has the page and its files, and nothing of a gateway.
func TestPlayground(t *testing.T) {
	t.Parallel()
	var asked []Sender
	s, err := NewPlayground(Options{Judge: judging(&asked), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/": "<title>rtbwire playground</title>", "/page/judge.js": "export class Judge", "/page/playground.js": "new Judge", "/page/page.css": "textarea"} {
		r := get(t, s, path)
		if got := text(t, r); r.StatusCode != http.StatusOK || !strings.Contains(got, want) {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
		checkHeaders(t, path, r)
	}
	if r := get(t, s, "/", "Host", "evil.example"); r.StatusCode != http.StatusMisdirectedRequest || text(t, r) != "unknown host: name it in --host\n" {
		t.Errorf("another host: %d", r.StatusCode)
	}
	for _, path := range []string{"/live", "/metrics", "/rejects", "/config", "/debug/pprof/", "/api/v1/status", "/page/index.html"} {
		if r := get(t, s, path); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
}
