package admin

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// TestGuard sends what should be answered, and what should not.
func TestGuard(t *testing.T) {
	t.Parallel()
	unguarded := server(t, newSource(), Options{Hosts: []string{"Rtbwire.Example"}})
	guarded := server(t, newSource(), Options{Tokens: []string{goodToken, goodToken + "2"}})
	for _, tt := range []struct {
		name    string
		to      *Server
		path    string
		headers []string
		status  int
	}{
		{"an address", unguarded, "/version", nil, 200},
		{"an address without a port", unguarded, "/version", []string{"Host", "127.0.0.1"}, 200},
		{"IPv6", unguarded, "/version", []string{"Host", "[::1]:8081"}, 200},
		{"IPv6 without a port", unguarded, "/version", []string{"Host", "[::1]"}, 200},
		{"localhost", unguarded, "/version", []string{"Host", "LOCALHOST:8081"}, 200},
		{"a name that is known", unguarded, "/version", []string{"Host", "rtbwire.example.:8081"}, 200},
		{"a name", unguarded, "/version", []string{"Host", "evil.example:8081"}, 421},
		{"a name that contains one", unguarded, "/version", []string{"Host", "localhost.evil.example"}, 421},
		{"no name", unguarded, "/version", []string{"Host", ""}, 421},
		{"nonsense", unguarded, "/version", []string{"Host", "[::1"}, 421},
		{"a name, for health", unguarded, "/healthz", []string{"Host", "evil.example"}, 200},
		{"a name, for readiness", unguarded, "/readyz", []string{"Host", "evil.example"}, 200},

		{"its own page", unguarded, "/live", []string{"Origin", "http://127.0.0.1:8081", "Sec-Fetch-Site", "same-origin"}, 200},
		{"another origin", unguarded, "/live", []string{"Origin", "http://evil.example"}, 403},
		{"another port", unguarded, "/live", []string{"Origin", "http://127.0.0.1:9999"}, 403},
		{"an origin whose name ends with its own", unguarded, "/live", []string{"Host", "rtbwire.example", "Origin", "http://evil-rtbwire.example"}, 403},
		{"an origin below its own", unguarded, "/live", []string{"Host", "rtbwire.example", "Origin", "http://evil.rtbwire.example"}, 403},
		{"an origin whose name begins with its own", unguarded, "/live", []string{"Host", "rtbwire.example", "Origin", "http://rtbwire.example.evil.example"}, 403},
		{"its own origin by name", unguarded, "/live", []string{"Host", "rtbwire.example", "Origin", "http://RTBWIRE.example"}, 200},
		{"an opaque origin", unguarded, "/live", []string{"Origin", "null"}, 403},
		{"another site", unguarded, "/live", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403},
		{"another service of the site", unguarded, "/live", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"a link to the page", unguarded, "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"a frame with the page", unguarded, "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		{"a link to something else", unguarded, "/debug/pprof/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 403},
		{"typed", unguarded, "/debug/pprof/", []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"}, 200},

		{"a token", guarded, "/live", []string{"Authorization", "Bearer " + goodToken}, 200},
		{"the second token", guarded, "/live", []string{"Authorization", "bearer  " + goodToken + "2"}, 200},
		{"a password", guarded, "/live", []string{"Authorization", basic("", goodToken)}, 200},
		{"a password of a name", guarded, "/live", []string{"Authorization", basic("me", goodToken)}, 200},
		{"no token", guarded, "/live", nil, 401},
		{"an empty token", guarded, "/live", []string{"Authorization", "Bearer "}, 401},
		{"a wrong token", guarded, "/live", []string{"Authorization", "Bearer " + goodToken[:15] + "x"}, 401},
		{"the beginning of a token", guarded, "/live", []string{"Authorization", "Bearer " + goodToken[:15]}, 401},
		{"a longer token", guarded, "/live", []string{"Authorization", "Bearer " + goodToken + "x"}, 401},
		{"a token as a name", guarded, "/live", []string{"Authorization", basic(goodToken, "")}, 401},
		{"another scheme", guarded, "/live", []string{"Authorization", "Token " + goodToken}, 401},
		{"broken base64", guarded, "/live", []string{"Authorization", "Basic !!"}, 401},
		{"a token with another Host", guarded, "/live", []string{"Authorization", "Bearer " + goodToken, "Host", "evil.example"}, 421},
		{"a script without a token", guarded, "/live", []string{"Sec-Fetch-Mode", "cors"}, 401},
		{"health", guarded, "/healthz", nil, 200},
		{"readiness", guarded, "/readyz", nil, 200},
		{"something near health", guarded, "/healthz/", nil, 401},
		{"nothing", guarded, "/x", nil, 401},
	} {
		r := get(t, tt.to, tt.path, tt.headers...)
		if r.StatusCode != tt.status {
			t.Errorf("%s: %d, want %d", tt.name, r.StatusCode, tt.status)
		}
		if got := r.Header.Get("WWW-Authenticate"); (got != "") != (tt.status == 401 && !strings.HasPrefix(tt.name, "a script")) {
			t.Errorf("%s: WWW-Authenticate is %q", tt.name, got)
		}
		checkHeaders(t, tt.name, r)
	}
	for _, path := range all {
		if r := get(t, guarded, path); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d", path, r.StatusCode)
		}
	}
}

// checkHeaders wants the headers that every answer has.
func checkHeaders(t *testing.T, name string, r *http.Response) {
	t.Helper()
	for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"} {
		if got := r.Header.Get(header); got != want {
			t.Errorf("%s: %s is %q", name, header, got)
		}
	}
	policy := r.Header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("%s: the policy is %q", name, policy)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("%s: the policy is %q", name, policy)
	}
}

// TestMethods answers GET and HEAD without a body only.
func TestMethods(t *testing.T) {
	t.Parallel()
	s := server(t, newSource(), Options{})
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"} {
		r := ask(t, s, httptest.NewRequest(method, "/live", nil))
		if r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d", method, r.StatusCode)
		}
	}
	if r := ask(t, s, httptest.NewRequest(http.MethodHead, "/live", nil)); r.StatusCode != http.StatusOK {
		t.Errorf("HEAD: %d", r.StatusCode)
	}
	if r := ask(t, s, httptest.NewRequest(http.MethodGet, "/live", strings.NewReader("x"))); r.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body: %d", r.StatusCode)
	}
	chunked := httptest.NewRequest(http.MethodGet, "/healthz", strings.NewReader("x"))
	chunked.ContentLength = -1
	if r := ask(t, s, chunked); r.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a chunked body: %d", r.StatusCode)
	}
}

// TestCertificates takes a verified certificate in place of a token, and no other one.
func TestCertificates(t *testing.T) {
	t.Parallel()
	s := server(t, newSource(), Options{ClientCertificates: true})
	for _, tt := range []struct {
		name   string
		state  *tls.ConnectionState
		status int
	}{
		{"none", nil, 401},
		{"TLS alone", &tls.ConnectionState{}, 401},
		{"not verified", &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{}}}, 401},
		{"verified", &tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{{}}}}, 200},
	} {
		r := httptest.NewRequest(http.MethodGet, "/live", nil)
		r.TLS = tt.state
		if got := ask(t, s, r); got.StatusCode != tt.status {
			t.Errorf("%s: %d", tt.name, got.StatusCode)
		}
	}
}

// TestAllowed refuses addresses that others can reach, unless something is demanded of them.
func TestAllowed(t *testing.T) {
	t.Parallel()
	open := server(t, newSource(), Options{})
	guarded := server(t, newSource(), Options{Tokens: []string{goodToken}})
	for _, tt := range []struct {
		address net.Addr
		allowed bool
	}{
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, true},
		{&net.TCPAddr{IP: net.IPv4(127, 1, 2, 3)}, true},
		{&net.TCPAddr{IP: net.IPv6loopback}, true},
		{&net.UnixAddr{Name: "/run/x"}, true},
		{&net.TCPAddr{}, false},
		{&net.TCPAddr{IP: net.IPv4zero}, false},
		{&net.TCPAddr{IP: net.IPv6zero}, false},
		{&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}, false},
	} {
		if err := open.Allowed(tt.address); (err == nil) != tt.allowed {
			t.Errorf("%v: %v", tt.address, err)
		}
		if err := guarded.Allowed(tt.address); err != nil {
			t.Errorf("%v with a token: %v", tt.address, err)
		}
	}
	ln, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if err := open.Serve(ln); err == nil || !strings.Contains(err.Error(), "can be reached from outside") {
		t.Errorf("Serve: %v", err)
	}
}
