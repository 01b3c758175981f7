package admin

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// TestPlain looks at the page of a source other than a gateway: its numbers, its refusals as text,
// and nothing of the gateway's page but style and icon.
func TestPlain(t *testing.T) {
	t.Parallel()
	from := newSource()
	from.requests.WithLabelValues("a", "b").Add(12345678)
	from.times.Observe(0.5)
	from.rejects.Add(rejects.Reject{Time: time.Now(), Reason: "<script>"}, []byte(`{"id":<}`), []inspect.Finding{{ID: "x", Path: "/id", Offset: 6}})
	s := server(t, from, Options{Plain: "rtbwire_gateway_request", Config: func() any { return nil }})
	r := get(t, s, "/")
	page := text(t, r)
	if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	for _, want := range []string{"<td>s_total</td><td>request_status=b request_type=a</td><td>12345678</td>", "<td>_time_seconds, mean</td><td></td><td>0.5</td>", "&lt;script&gt;", "Ready at"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "go_goroutines") {
		t.Error(page)
	}
	for path, want := range map[string]int{"/live": 404, "/page/app.js": 404, "/page/page.css": 200, "/page/icon.svg": 200, "/metrics": 200, "/rejects": 200, "/config": 200} {
		if r := get(t, s, path); r.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, r.StatusCode, want)
		}
	}
	from.stopping.Store(true)
	if page := text(t, get(t, s, "/")); !strings.Contains(page, "Not ready at") {
		t.Error(page)
	}
}
