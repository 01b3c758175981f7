package admin

import (
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// contentPolicy lets the page load its own files and ask its own server, and nothing else. No text
// can become markup or code.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// guarded reports whether clients have to prove who they are.
func (s *Server) guarded() bool { return s.tokens.any() || s.options.ClientCertificates }

// open are the paths that everybody may ask, by any name of the host: load balancers and probes do.
var open = map[string]bool{"/healthz": true, "/readyz": true}

// guard refuses requests that should not be answered.
func (s *Server) guard(next http.Handler) http.Handler {
	known := map[string]bool{"localhost": true}
	for _, host := range s.options.Hosts {
		known[strings.ToLower(strings.TrimSuffix(host, "."))] = true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		if !strings.HasPrefix(r.URL.Path, "/debug/pprof/") {
			// An error means that the server is not net/http's own, and has its own times.
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
		}
		if status, text := s.refuse(r, known); status != 0 {
			// A browser asks for a password where somebody opens a page, not once a second because
			// the page asks for numbers.
			if mode := r.Header.Get("Sec-Fetch-Mode"); status == http.StatusUnauthorized && (mode == "" || mode == "navigate" || r.URL.Path != "/live") {
				h.Set("WWW-Authenticate", `Basic realm="rtbwire", charset="UTF-8"`)
			}
			if status == http.StatusMethodNotAllowed {
				h.Set("Allow", "GET, HEAD")
			}
			h.Set("Connection", "close")
			if s.watch != nil {
				s.watch.refusal(status, r, time.Now())
			}
			refuse(w, r, status, text)
			return
		}
		if !open[r.URL.Path] { // what strangers may ask holds no connection: see limited
			defer hold(r.Context())()
		}
		next.ServeHTTP(w, r)
	})
}

// refuse returns why a request is not answered; a status of 0 means that it is.
func (s *Server) refuse(r *http.Request, known map[string]bool) (status int, text string) {
	bodyMax, posts := s.posts[r.URL.Path]
	posts = posts && r.Method == http.MethodPost
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead && !posts:
		return http.StatusMethodNotAllowed, "only GET and HEAD are answered"
	case r.ContentLength != 0 && !posts:
		return http.StatusRequestEntityTooLarge, "a request here has no body"
	case open[r.URL.Path]:
		return 0, ""
	case !knownHost(r.Host, known):
		return http.StatusMisdirectedRequest, "unknown host: name it in " + s.hostsKey()
	case !sameSite(r):
		return http.StatusForbidden, "a page of another site has sent this"
	case s.guarded() && !certified(r) && !s.tokens.have(tokenOf(r)):
		return http.StatusUnauthorized, "a token is missing or wrong"
	case posts && !jsonType(r):
		return http.StatusUnsupportedMediaType, "want Content-Type: application/json"
	case posts && r.ContentLength < 0:
		return http.StatusLengthRequired, "want a Content-Length"
	case posts && r.ContentLength > bodyMax:
		return http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has %d bytes (want at most %d)", r.ContentLength, bodyMax)
	}
	return 0, ""
}

// hostsKey is where an operator names hosts.
func (s *Server) hostsKey() string {
	if s.watch == nil { // a playground
		return "--host"
	}
	return "gateway.operators.hosts (--admin-host)"
}

// jsonType reports whether a body is announced as JSON, which no form of a page can do: a page of
// another site would have to ask first, by a method that is not answered.
func jsonType(r *http.Request) bool {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, has := parameters["charset"]
	return err == nil && kind == "application/json" && (!has || strings.EqualFold(charset, "utf-8"))
}

// knownHost reports whether a request means this server. A page of a stranger whose name resolves
// to this address (DNS rebinding) could read everything here otherwise; such a page has a name, so
// addresses are harmless.
func knownHost(host string, known map[string]bool) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else if len(host) > 1 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return known[strings.ToLower(strings.TrimSuffix(host, "."))]
}

// sameSite refuses what pages of other sites make a browser send: it may be one that has the token.
// A link to the page is fine.
func sameSite(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none": // none: the user has typed the address
		return true
	}
	return r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// certified reports whether the client has proved who it is by a certificate.
func certified(r *http.Request) bool { return r.TLS != nil && len(r.TLS.VerifiedChains) > 0 }

// tokenOf returns the token of a request, "" if it has none.
func tokenOf(r *http.Request) string {
	if _, password, ok := r.BasicAuth(); ok {
		return password
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
