package admin

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// TestPlain looks at the page without a script: the numbers of the other one, refusals as text, and
// nothing of a partner that was not asked about.
func TestPlain(t *testing.T) {
	t.Parallel()
	from := newSource()
	from.requests.WithLabelValues("openrtb2", "forwarded").Add(12345678)
	from.reasons.WithLabelValues("policy.<b>", "exchange-a").Add(7)
	from.reasons.WithLabelValues("json.type", "exchange-b").Add(8)
	from.partners.WithLabelValues("exchange-a", "refused").Add(1234)
	for _, partner := range []string{"exchange-a", "exchange-b"} {
		from.rejects.Add(rejects.Reject{Time: time.Now(), Partner: partner, Reason: "<script>"}, []byte(`{"id":<}`), []inspect.Finding{{ID: "<script>", Path: "/id", Offset: 6, Message: "of " + partner}})
	}
	s := server(t, from, Options{Config: func() any { return nil }})
	r := get(t, s, "/plain")
	page := text(t, r)
	if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	for _, want := range []string{
		`<dd class="note">12.3M in all</dd>`, "<span>Ready</span>", "<code>policy.&lt;b&gt;</code>", `<td class="number">7</td>`, "<code>json.type</code>",
		`<a href="/plain?partner=exchange-a"><code>exchange-a</code></a>`, `<td class="number wide">1,234</td>`, "<code>&lt;script&gt;</code>", "of exchange-a", "of exchange-b", "rtbwire <span class=\"kind\">gateway</span>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "style=") {
		t.Error(page)
	}
	page = text(t, get(t, s, "/plain?partner=exchange-a"))
	for want, there := range map[string]bool{"policy.&lt;b&gt;": true, "json.type": false, "of exchange-a": true, "of exchange-b": false, `<a href="/plain">`: true} {
		if strings.Contains(page, want) != there {
			t.Errorf("of one partner: %s is there: %v, in %s", want, !there, page)
		}
	}
	from.stopping.Store(true)
	if page := text(t, get(t, s, "/plain")); !strings.Contains(page, "<span>Stopping</span>") {
		t.Error(page)
	}
}

// TestPlainStream looks at that of a stream.
func TestPlainStream(t *testing.T) {
	t.Parallel()
	from := newStreamSource()
	from.rejects.Add(rejects.Reject{Time: time.Now(), Source: "bids/3, offset 1200", Reason: "json.type"}, []byte(`{"id":1}`), []inspect.Finding{{ID: "json.type", Path: "/id", Offset: 6, Message: "wrong type"}})
	page := text(t, get(t, server(t, from, Options{Flow: &Flow{From: "bids", Group: "edge", Accepted: "http://127.0.0.1:9", DeadLetters: "bids-refused", Upstream: true}}), "/plain"))
	for _, want := range []string{
		`<td class="role">reads</td><td class="line"><code>bids as edge</code></td>`, `<td class="role">dead letters</td><td class="line"><code>bids-refused</code></td>`, `<td><code>bids</code></td><td class="number">3</td><td class="number">250</td>`,
		"<td>bids/3, offset 1200</td>", "Last dead letters", "Dead letters by reason", "down; 12 records wait",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
	if strings.Contains(page, "e+") {
		t.Errorf("a number with an exponent: %s", page)
	}
}
