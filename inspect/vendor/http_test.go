package vendor

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
)

func newHTTP(tb testing.TB, o HTTPOptions) *HTTP {
	tb.Helper()
	if o.Name == "" {
		o.Name = "http"
	}
	if o.Fields == nil {
		o.Fields = Fields
	}
	h, err := NewHTTP(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(h.Close)
	return h
}

var mobile = &openrtb.BidRequest{
	ID:     "1",
	Device: &openrtb.Device{IP: "192.0.2.1", IPv6: "2001:db8::1", UA: "a \"browser\"", IFA: "an-ifa"},
	App:    &openrtb.App{Bundle: "com.example", Domain: "app.example"},
}

func TestQuestions(t *testing.T) {
	limited, child, page := *mobile, *mobile, *mobile
	limited.Device = &openrtb.Device{IPv6: "2001:db8::1", IFA: "an-ifa", Lmt: new(1)}
	child.Regs = &openrtb.Regs{COPPA: new(1)}
	page.App, page.Site, page.Regs = nil, &openrtb.Site{Domain: "site.example"}, &openrtb.Regs{COPPA: new(0)}
	for _, c := range []struct {
		name    string
		request *openrtb.BidRequest
		fields  []Field
		want    string
	}{
		{"all", mobile, Fields, `{"bundle":"com.example","domain":"app.example","ifa":"an-ifa","ip":"192.0.2.1","ua":"a \"browser\""}`},
		{"two", mobile, []Field{UA, Bundle}, `{"bundle":"com.example","ua":"a \"browser\""}`},
		{"a page", &page, []Field{Domain, IFA, Bundle}, `{"domain":"site.example","ifa":"an-ifa"}`},
		{"lmt", &limited, []Field{IP, IFA, UA}, `{"ip":"2001:db8::1"}`},
		{"coppa", &child, []Field{IFA}, ""},
		{"nothing", &openrtb.BidRequest{}, Fields, ""},
	} {
		got, ok := newHTTP(t, HTTPOptions{URL: "http://vendor.example", Fields: c.fields}).Question([]byte("x"), c.request, nil)
		if string(got) != "x"+c.want || ok != (c.want != "") {
			t.Errorf("%s: %s, %v; want %s", c.name, got, ok, c.want)
		}
	}
}

// server is a service; it runs until the test ends.
func server(tb testing.TB, do http.HandlerFunc) *httptest.Server {
	tb.Helper()
	s := httptest.NewServer(do)
	tb.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// long is a deadline that no machine misses.
const long = 10 * time.Second

func TestHTTP(t *testing.T) {
	var mu sync.Mutex
	connections := map[string]bool{}
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		connections[r.RemoteAddr] = true
		mu.Unlock()
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "key" ||
			r.URL.Path != "/score" || string(body) != `{"ip":"192.0.2.1"}` {
			t.Errorf("%s %s %v %s", r.Method, r.URL, r.Header, body)
		}
		fmt.Fprint(w, `{"score": 42, "why": ["a list"]}`)
	})
	h := newHTTP(t, HTTPOptions{URL: s.URL + "/score", Fields: []Field{IP}, Header: http.Header{"Authorization": {"key"}}})
	g := newGroup(t, Member{Vendor: h, Deadline: long})
	for range 20 {
		if a := g.Ask(t.Context(), nil, mobile, nil); !slices.Equal(a, []rule.VendorAnswer{{Name: "http", Score: 42}}) {
			t.Fatalf("%+v, %+v", a, g.Stats())
		}
	}
	if len(connections) != 1 {
		t.Errorf("%d connections", len(connections))
	}
}

// TestBadAnswers has answers that are no score.
func TestBadAnswers(t *testing.T) {
	elsewhere := server(t, func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") })
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
	}
	const noScore = `expected {"score": n}`
	for name, c := range map[string]struct {
		do   http.HandlerFunc
		want string
	}{
		"-1":          {text(`{"score":-1}`), "from 0 to 100, found -1"},
		"101":         {text(`{"score":101}`), "found 101"},
		"1e999":       {text(`{"score":1e999}`), noScore},
		"text":        {text(`{"score":"5"}`), noScore},
		"a fraction":  {text(`{"score":5.5}`), noScore},
		"64 bits":     {text(`{"score":99999999999999999999}`), noScore},
		"null":        {text(`{"score":null}`), noScore},
		"no score":    {text(`{}`), noScore},
		"an array":    {text(`[5]`), noScore},
		"a number":    {text(`5`), noScore},
		"two":         {text(`{"score":5}{"score":6}`), noScore},
		"cut":         {text(`{"score":5`), noScore},
		"nothing":     {text(``), noScore},
		"garbage":     {text("\x00\xff<html>"), noScore},
		"deep":        {text(strings.Repeat("[", ResponseMax)), noScore},
		"huge":        {text(`{"score":5}` + strings.Repeat(" ", ResponseMax)), "longer than 4096 bytes"},
		"endless":     {endless, "longer than 4096 bytes"},
		"huge header": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, "header"},
		"status 204":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, "found 204"},
		"status 500": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"score":5}`, http.StatusInternalServerError)
		}, "found 500"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, "found 307"},
		"a panic": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
		"cut by length": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"score":5}`)
		}, "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHTTP(t, HTTPOptions{URL: server(t, c.do).URL + "/?key=secret"})
			g := newGroup(t, Member{Vendor: h, Deadline: long, Fail: Closed})
			if a := g.Ask(t.Context(), nil, mobile, nil); !slices.Equal(a, []rule.VendorAnswer{{Name: "http", Score: 100, Err: true}}) {
				t.Errorf("%+v", a)
			}
			s := g.Stats()[0]
			if s.Failed != 1 || s.Err == nil || !strings.Contains(s.Err.Error(), c.want) || strings.Contains(s.Err.Error(), "secret") || len(s.Err.Error()) > 200 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func endless(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 1024)); err != nil {
			return
		}
	}
}

// TestSlowServers asks services that do not answer: the deadline holds, and no goroutine is left.
func TestSlowServers(t *testing.T) {
	before := runtime.NumGoroutine()
	release := make(chan struct{})
	hang := func(w http.ResponseWriter, r *http.Request) { <-release }
	body := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"score":`)
		_ = http.NewResponseController(w).Flush()
		<-release
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections, and never answers
	if err != nil {
		t.Fatal(err)
	}
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = dead.Close()
	servers := []*httptest.Server{httptest.NewServer(http.HandlerFunc(hang)), httptest.NewServer(http.HandlerFunc(body))}
	const deadline = 30 * time.Millisecond
	var members []Member
	var vendors []*HTTP
	for name, url := range map[string]string{"hang": servers[0].URL, "body": servers[1].URL, "silent": "http://" + silent.Addr().String()} {
		vendors = append(vendors, newHTTP(t, HTTPOptions{Name: name, URL: url}))
		members = append(members, Member{Vendor: vendors[len(vendors)-1], Deadline: deadline, Breaker: Breaker{Failures: -1}})
	}
	g := newGroup(t, members...)
	const times = 5
	start := time.Now()
	for range times {
		for _, a := range g.Ask(t.Context(), nil, mobile, nil) {
			if !a.Err {
				t.Errorf("%+v", a)
			}
		}
	}
	if took := time.Since(start); took < times*deadline {
		t.Errorf("it took %v", took)
	}
	for _, s := range g.Stats() {
		if s.Asked != times || s.Late != times {
			t.Errorf("%+v", s)
		}
	}
	refused := newGroup(t, Member{Vendor: newHTTP(t, HTTPOptions{URL: "http://" + dead.Addr().String()}), Deadline: long})
	if a := refused.Ask(t.Context(), nil, mobile, nil); !a[0].Err || refused.Stats()[0].Failed != 1 {
		t.Errorf("%+v, %+v", a, refused.Stats())
	}
	close(release)
	for _, s := range servers {
		s.Close()
	}
	_ = silent.Close()
	for _, h := range vendors {
		h.Close()
	}
	settle(t, before)
}

// settle waits until there are no more goroutines than before.
func settle(t *testing.T, before int) {
	t.Helper()
	for start := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(start) > long {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}

func TestHTTPOptions(t *testing.T) {
	for want, o := range map[string]HTTPOptions{
		"no name":            {URL: "http://a", Fields: Fields},
		"expected a URL":     {Name: "v", URL: "ftp://a", Fields: Fields},
		"v: expected a URL":  {Name: "v", URL: "http://a:b", Fields: Fields},
		"such as":            {Name: "v", URL: "http:///x", Fields: Fields},
		"no fields":          {Name: "v", URL: "http://a"},
		`unknown field "id"`: {Name: "v", URL: "http://a", Fields: []Field{IP, "id"}},
		"connections":        {Name: "v", URL: "https://a", Fields: Fields, IdleMax: -1},
	} {
		if _, err := NewHTTP(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
