package admin

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/internal/serving/overrides"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// api returns a server with an API, a token of the name alice, and its log.
func api(t *testing.T, from rejects.Source, known func(*overrides.Entry) error) (*Server, *Control, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	store, err := overrides.Open(overrides.Options{File: filepath.Join(t.TempDir(), "state"), Known: known, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	c := &Control{
		Overrides: store, Reload: func(string) (Reloaded, error) { return Reloaded{Generation: 2}, nil },
		Health: func() Health {
			return Health{Upstreams: []Upstream{{Name: "u", Healthy: true}}, Partners: []string{"a"}}
		},
	}
	file := filepath.Join(t.TempDir(), "tokens")
	writeFile(t, file, "alice "+goodToken+"\n# more\n"+goodToken+"-2\n")
	return server(t, from, Options{Control: c, TokenFiles: []string{file}, Logger: logger}), c, log
}

const bearer = "Bearer " + goodToken

// change sends a change. Headers are names and values that take the place of the usual ones.
func change(t *testing.T, s *Server, path, body string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, APIPath+path, strings.NewReader(body))
	return ask(t, s, r, append([]string{"Content-Type", "application/json", "Authorization", bearer}, headers...)...)
}

// TestAPI makes changes and looks at what they have become.
func TestAPI(t *testing.T) {
	t.Parallel()
	from := newSource()
	s, c, log := api(t, from, func(e *overrides.Entry) error {
		if e.Name == "nobody" {
			return overrides.Unknownf("no partner %q", e.Name)
		}
		return nil
	})
	for _, tt := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"block", `{"kind":"domain","name":"Bad.Example","note":"INC-1"}`, 200, `"name": "bad.example"`},
		{"block", `{"kind":"address","name":"192.0.2.1","for":"30m"}`, 200, `"by": "alice"`},
		{"drain", `{"action":"drain","kind":"partner","name":"a"}`, 200, `"warnings": []`},
		{"observe", `{"kind":"rule","name":"policy.x"}`, 200, `"until": `},
		{"drain", `{"action":"block","kind":"partner","name":"a"}`, 400, `\"action\" is another one than the path`},
		{"drain", `{"kind":"partner","name":"nobody"}`, 404, `"code": "unknown"`},
		{"block", `{"kind":"domain","name":"x"}`, 400, `"code": "invalid"`},
		{"block", `{"kind":"domain","name":"a.example","for":"soon"}`, 400, `\"for\" is \"soon\" (want a time such as 30m or 2h, from 1s to 168h0m0s)`},
		{"block", `{"kind":"domain","name":"a.example","for":"0s"}`, 400, `\"for\" is \"0s\" (want a time such as 30m or 2h, from 1s to 168h0m0s)`},
		{"block", `{"kind":"domain","name":"a.example","for":3600}`, 400, `"the body: expected text as \"for\", found number`},
		{"block", `[]`, 400, `"the body: expected a JSON object, found array"`},
		{"block", ``, 400, `"the body: it is empty (want a JSON object)"`},
		{"block", `null`, 400, `"block takes domain, bundle or address, found \"\""`},
		{"blok", `{}`, 405, `"code": "method"`},
		{"block", `{"kind":"domain","name":"a.example","for":"1000h"}`, 400, `for 1000h0m0s (want 1s to 168h0m0s)`},
		{"block", `{"kind":"domain","name":"a.example","long":true}`, 400, `unknown field`},
		{"block", `{"kind":"domain","name":"a.example"} {}`, 400, `expected one JSON object`},
		{"block", `{`, 400, `the body`},
		{"release", `{"action":"block","kind":"domain","name":"bad.example"}`, 200, `"note": "INC-1"`},
		{"release", `{"action":"block","kind":"domain","name":"bad.example"}`, 404, `"code": "absent"`},
		{"release", `{"action":"block","kind":"domain","name":"bad.example","for":"1h"}`, 400, `a release has action, kind and name`},
		{"reload", `{}`, 200, `"fixed": []`},
	} {
		s.changes = newPace(ChangesPerSecond) // which has a test of its own
		r := change(t, s, tt.path, tt.body)
		if got := text(t, r); r.StatusCode != tt.status || !strings.Contains(got, tt.want) || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %d %s, want %d %s", tt.path, tt.body, r.StatusCode, got, tt.status, tt.want)
		}
	}
	var d OverridesDocument
	decode(t, get(t, s, APIPath+"overrides", "Authorization", bearer), &d)
	if len(d.Overrides) != 3 || d.Overrides[0].Name != "192.0.2.1" || d.Overrides[0].Until.Sub(d.Overrides[0].Since) != 30*time.Minute || d.State.File != c.Overrides.File() {
		t.Errorf("overrides %+v", d)
	}
	var st StatusDocument
	decode(t, get(t, s, APIPath+"status", "Authorization", bearer), &st)
	if !st.Ready || st.Overrides != 3 || st.Configuration.Generation != 1 || st.Upstreams[0].Name != "u" || st.Partners[0] != "a" {
		t.Errorf("status %+v", st)
	}
	var live document
	decode(t, get(t, s, "/live", "Authorization", bearer), &live)
	if len(live.Overrides) != 3 {
		t.Errorf("the page has %+v", live.Overrides)
	}
	for _, want := range []string{
		`msg="operator change" action=block kind=domain name=bad.example`, `msg="operator release"`, `by=alice from=192.0.2.1:1234`,
		`msg="operator change refused" path=/api/v1/drain by=alice from=192.0.2.1:1234 error="no partner \"nobody\""`, `msg="operator reload" by=alice from=192.0.2.1:1234 result=done`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, log.String())
		}
	}
	if strings.Contains(log.String(), goodToken) {
		t.Errorf("the log has a token:\n%s", log.String())
	}
}

func decode(t *testing.T, r *http.Response, to any) {
	t.Helper()
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%d, %v", r.StatusCode, err)
	}
}

// TestAPIReload says why a configuration was not loaded, with its place.
func TestAPIReload(t *testing.T) {
	t.Parallel()
	s, c, log := api(t, newSource(), nil)
	c.Reload = func(string) (Reloaded, error) {
		return Reloaded{}, &ReloadError{Err: errors.New("rtbwire.yaml:3:1: unknown key"), Problems: []Problem{{File: "rtbwire.yaml", Line: 3, Column: 1, Message: "unknown key"}}}
	}
	r := change(t, s, "reload", "{}")
	var d ErrorDocument
	if err := json.NewDecoder(r.Body).Decode(&d); err != nil || r.StatusCode != http.StatusUnprocessableEntity || d.Error.Code != "configuration" || d.Error.Problems[0].Line != 3 {
		t.Errorf("%d %+v, %v", r.StatusCode, d, err)
	}
	if !strings.Contains(log.String(), `msg="operator reload" by=alice from=192.0.2.1:1234 result=failed`) {
		t.Errorf("the log has %s", log.String())
	}
}

// TestAPIGuard sends what pages of other sites, strangers and broken clients could send. Nothing is
// changed.
func TestAPIGuard(t *testing.T) {
	t.Parallel()
	s, c, _ := api(t, newSource(), nil)
	const body = `{"kind":"domain","name":"bad.example"}`
	for _, tt := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"a form", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		{"a form of text", []string{"Content-Type", "text/plain"}, 415},
		{"a form with a file", []string{"Content-Type", "multipart/form-data; boundary=x"}, 415},
		{"nearly JSON", []string{"Content-Type", "application/json2"}, 415},
		{"JSON after something else", []string{"Content-Type", "text/plain; application/json"}, 415},
		{"no type", []string{"Content-Type", ""}, 415},
		{"another charset", []string{"Content-Type", "application/json; charset=utf-7"}, 415},
		{"another site", []string{"Origin", "http://evil.example"}, 403},
		{"another port", []string{"Origin", "http://127.0.0.1:9999"}, 403},
		{"an opaque origin", []string{"Origin", "null"}, 403},
		{"another site without an origin", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"a name that resolves to this address", []string{"Host", "evil.example"}, 421},
		{"no token", []string{"Authorization", ""}, 401},
		{"a wrong token", []string{"Authorization", bearer + "x"}, 401},
		{"a cookie", []string{"Authorization", "", "Cookie", "token=" + goodToken}, 401},
	} {
		if r := change(t, s, "block", body, tt.headers...); r.StatusCode != tt.status || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s, want %d", tt.name, r.StatusCode, text(t, r), tt.status)
		}
	}
	if r := change(t, s, "block", strings.Repeat(" ", ChangeMax)+body); r.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a long body: %d", r.StatusCode)
	}
	chunked := httptest.NewRequest(http.MethodPost, APIPath+"block", strings.NewReader(body))
	chunked.ContentLength = -1
	if r := ask(t, s, chunked, "Content-Type", "application/json", "Authorization", bearer); r.StatusCode != http.StatusLengthRequired {
		t.Errorf("chunked: %d", r.StatusCode)
	}
	for _, method := range []string{"GET", "PUT", "DELETE", "OPTIONS"} {
		if r := ask(t, s, httptest.NewRequest(method, APIPath+"block", nil), "Authorization", bearer); r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d", method, r.StatusCode)
		}
	}
	for _, path := range []string{"overrides", "status", "rejects"} {
		if r := get(t, s, APIPath+path); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d", path, r.StatusCode)
		}
		if r := change(t, s, path, body); r.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %d", path, r.StatusCode)
		}
	}
	if list := c.Overrides.List(); len(list) > 0 {
		t.Errorf("something was changed: %+v", list)
	}
	if r := change(t, s, "block", body, "Origin", "http://127.0.0.1:8081", "Sec-Fetch-Site", "same-origin", "Content-Type", "application/json; charset=UTF-8"); r.StatusCode != http.StatusOK {
		t.Errorf("its own page: %d", r.StatusCode)
	}
}

// TestOperators names who changes something: tokens, certificates, and those whom a socket lets in.
// Without a name nothing changes.
func TestOperators(t *testing.T) {
	t.Parallel()
	s, c, _ := api(t, newSource(), nil)
	last := func() string { return c.Overrides.List()[0].By }
	const body = `{"kind":"partner","name":"a"}`
	if r := change(t, s, "drain", body, "Authorization", "Bearer "+goodToken+"-2"); r.StatusCode != http.StatusOK || last() != "tokens:3" {
		t.Errorf("a token without a name: %d, %s", r.StatusCode, last())
	}
	if r := change(t, s, "drain", body, "Authorization", basic("eve", goodToken)); r.StatusCode != http.StatusOK || last() != "alice" {
		t.Errorf("a password: %d, %s", r.StatusCode, last())
	}

	open := server(t, newSource(), Options{Control: c})
	request := func() *http.Request {
		return httptest.NewRequest(http.MethodPost, APIPath+"drain", strings.NewReader(body))
	}
	if r := ask(t, open, request(), "Content-Type", "application/json"); r.StatusCode != http.StatusForbidden || !strings.Contains(text(t, r), "changes take a token") {
		t.Errorf("without tokens: %d", r.StatusCode)
	}
	local := request()
	local = local.WithContext(context.WithValue(local.Context(), http.LocalAddrContextKey, &net.UnixAddr{Name: "/run/admin"}))
	if r := ask(t, open, local, "Content-Type", "application/json"); r.StatusCode != http.StatusOK || last() != "unix socket" {
		t.Errorf("a socket: %d, %s", r.StatusCode, last())
	}
	proved := request()
	certificate := &x509.Certificate{DNSNames: []string{"ops.example"}}
	proved.TLS = &tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{certificate}}, PeerCertificates: []*x509.Certificate{certificate}}
	if r := ask(t, server(t, newSource(), Options{Control: c, ClientCertificates: true}), proved, "Content-Type", "application/json"); r.StatusCode != http.StatusOK || last() != "certificate ops.example" {
		t.Errorf("a certificate: %d, %s", r.StatusCode, last())
	}
	if r := ask(t, server(t, newSource(), Options{}), request(), "Content-Type", "application/json"); r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("without an API: %d", r.StatusCode)
	}
}

// TestChangesPace takes so many changes a second.
func TestChangesPace(t *testing.T) {
	t.Parallel()
	s, _, _ := api(t, newSource(), nil)
	now := time.Unix(1000, 0)
	s.changes.now = func() time.Time { return now }
	for i := range 2 * ChangesPerSecond {
		want := http.StatusOK
		if i >= ChangesPerSecond {
			want = http.StatusTooManyRequests
		}
		if r := change(t, s, "reload", "{}"); r.StatusCode != want || (r.Header.Get("Retry-After") != "") != (want != http.StatusOK) {
			t.Errorf("change %d: %d, want %d", i, r.StatusCode, want)
		}
	}
	now = now.Add(time.Second)
	if r := change(t, s, "reload", "{}"); r.StatusCode != http.StatusOK {
		t.Errorf("in the next second: %d", r.StatusCode)
	}
}

// TestAPIPaths answers as JSON for paths that do not exist, and says what there is.
func TestAPIPaths(t *testing.T) {
	t.Parallel()
	s, _, _ := api(t, newSource(), nil)
	for _, tt := range []struct {
		path   string
		status int
		want   string
	}{
		{"", 404, "the API has status, overrides, rejects, and with POST block, drain, observe, release, reload"},
		{"nope", 404, `"code": "path"`},
		{"block", 405, "changes take POST"},
		{"rejects?partnr=a", 400, `unknown parameter \"partnr\" (want partner, reason, limit)`},
		{"rejects?partner=a&partner=b", 400, `the parameter \"partner\" occurs 2 times`},
	} {
		r := get(t, s, APIPath+tt.path, "Authorization", bearer)
		if got := text(t, r); r.StatusCode != tt.status || !strings.Contains(got, tt.want) || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s, want %d %s", tt.path, r.StatusCode, got, tt.status, tt.want)
		}
	}
}

// TestLastHealthy warns an operator who drains the only upstream that is healthy.
func TestLastHealthy(t *testing.T) {
	t.Parallel()
	s, c, _ := api(t, newSource(), nil)
	for _, tt := range []struct {
		other Upstream
		warns bool
	}{{Upstream{Name: "a", Healthy: true}, false}, {Upstream{Name: "a"}, true}} {
		c.Health = func() Health {
			return Health{Upstreams: []Upstream{tt.other, {Name: "u", Healthy: true, Drained: true}}}
		}
		got := text(t, change(t, s, "drain", `{"kind":"upstream","name":"u"}`))
		if strings.Contains(got, "none of the upstreams that are left is healthy") != tt.warns {
			t.Errorf("%+v: %s", tt.other, got)
		}
	}
}

// TestManyChanges counts all changes in the banner, also those that the page does not list.
func TestManyChanges(t *testing.T) {
	t.Parallel()
	s, c, _ := api(t, newSource(), nil)
	for i := range OverridesMax + 10 {
		if _, err := c.Overrides.Add(overrides.Entry{Action: overrides.Block, Kind: overrides.Domain, Name: fmt.Sprintf("d%d.example", i)}, 0, overrides.Operator{Name: "alice"}); err != nil {
			t.Fatal(err)
		}
	}
	d := s.document(query{})
	n := d.Notices[slices.IndexFunc(d.Notices, func(n Notice) bool { return n.Kind == "overrides" })]
	if len(d.Overrides) != OverridesMax || n.Text != "By operators: 60 blocked." || n.Detail != "The page lists 50 of 60 changes, rtbwire ctl list all of them." {
		t.Errorf("%d in the list, %+v", len(d.Overrides), n)
	}
}

// TestAPIRejects selects the last refused requests.
func TestAPIRejects(t *testing.T) {
	t.Parallel()
	from := newSource()
	s, _, _ := api(t, from, nil)
	for _, own := range []rejects.Reject{{Partner: "a", Reason: "policy.x"}, {Partner: "b", Reason: "policy.x"}, {Partner: "b", Reason: "json.type"}} {
		own.Time = time.Now()
		from.rejects.Add(own, []byte("{}"), nil)
	}
	for query, want := range map[string]int{"": 3, "?partner=b": 2, "?partner=b&reason=policy.x": 1, "?limit=1": 1, "?partner=c": 0} {
		var d RejectsDocument
		decode(t, get(t, s, APIPath+"rejects"+query, "Authorization", bearer), &d)
		if len(d.Rejects) != want {
			t.Errorf("%s: %d", query, len(d.Rejects))
		}
	}
	if r := get(t, s, APIPath+"rejects?limit=0", "Authorization", bearer); r.StatusCode != http.StatusBadRequest {
		t.Errorf("limit=0: %d", r.StatusCode)
	}
}

// TestDrainedUpstream shows on the page what the gateway counts.
func TestDrainedUpstream(t *testing.T) {
	t.Parallel()
	from := newSource()
	for _, name := range []string{"upstream_healthy", "upstream_drained"} {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: namespace + name}, []string{"upstream"})
		g.WithLabelValues("a").Set(1)
		from.registry.MustRegister(g)
	}
	s, _, _ := api(t, from, nil)
	var d document
	decode(t, get(t, s, "/live", "Authorization", bearer), &d)
	if len(d.Upstreams) != 1 || !d.Upstreams[0].Healthy || !d.Upstreams[0].Drained {
		t.Errorf("upstreams %+v", d.Upstreams)
	}
}
