package gateway

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// zipped compresses a text.
func zipped(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// TestHTTPTable checks the rows of docs/gateway.md that are about the head and the encoding of a
// request. Nothing but what is accepted reaches the core.
func TestHTTPTable(t *testing.T) {
	eachProtocol(t, testHTTPTable)
}

func testHTTPTable(t *testing.T, serve func(Options) (*started, sending)) {
	up := newCore(t, nil)
	_, send := serve(Options{Upstreams: At(up.URL), BodyMax: 8 << 10, RatioMax: 10, Passthrough: []Passthrough{{Path: "/win"}}})
	ok := good(t)
	long := append(bytes.TrimSuffix(bytes.TrimSpace(ok), []byte("}")), `,"ext":{"x":"`+strings.Repeat("y", 8<<10)+`"}}`...)
	for _, tt := range []struct {
		name, method, path string
		body               []byte
		header             []string
		status             int
		answer             string // a header of it, as "Name: value"
		reaches            bool
	}{
		{name: "type missing", body: ok, status: 200, reaches: true},
		{name: "JSON", body: ok, header: []string{"Content-Type", "application/json"}, status: 200, reaches: true},
		{name: "JSON with charset", body: ok, header: []string{"Content-Type", "Application/JSON; charset=utf-8"}, status: 200, reaches: true},
		{name: "US-ASCII in quotes", body: ok, header: []string{"Content-Type", `application/json ;CHARSET="US-ASCII"; v=1;`}, status: 200, reaches: true},
		{name: "UTF-7", body: ok, header: []string{"Content-Type", "application/json; charset=utf-7"}, status: 415},
		{name: "UTF-16 in quotes", body: ok, header: []string{"Content-Type", `application/json; v=1; charset="UTF-16"`}, status: 415},
		{name: "charset twice", body: ok, header: []string{"Content-Type", "application/json; charset=utf-8; Charset=utf-8"}, status: 415},
		{name: "identity", body: ok, header: []string{"Content-Encoding", "identity"}, status: 200, reaches: true},
		{name: "gzip", body: zipped(t, ok), header: []string{"Content-Encoding", "gzip"}, status: 200, reaches: true},
		{name: "x-gzip", body: zipped(t, ok), header: []string{"Content-Encoding", "X-GZIP"}, status: 200, reaches: true},
		{name: "no gzip", body: ok, header: []string{"Content-Encoding", "gzip"}, status: 400},
		{name: "half of gzip", body: zipped(t, ok)[:100], header: []string{"Content-Encoding", "gzip"}, status: 400},
		{name: "gzip that inflates too far", body: zipped(t, long), header: []string{"Content-Encoding", "gzip"}, status: 400}, // 8 KiB of y
		{name: "long document in gzip", body: zipped(t, append(slices.Clone(ok), noise(9<<10)...)), header: []string{"Content-Encoding", "gzip"}, status: 413},
		{name: "deflate", body: ok, header: []string{"Content-Encoding", "deflate"}, status: 415},
		{name: "two codings", body: zipped(t, ok), header: []string{"Content-Encoding", "gzip, gzip"}, status: 415},
		{name: "gzip in two fields", body: zipped(t, ok), header: []string{"Content-Encoding", "gzip", "Content-Encoding", "gzip"}, status: 415},
		{name: "two encodings", body: ok, header: []string{"Content-Encoding", "identity", "Content-Encoding", "br"}, status: 415},
		{name: "two versions", body: ok, header: []string{"X-Openrtb-Version", "2.5", "X-Openrtb-Version", "3.0"}, status: 400},
		{name: "form", body: ok, header: []string{"Content-Type", "application/x-www-form-urlencoded"}, status: 415},
		{name: "multipart", body: ok, header: []string{"Content-Type", "multipart/form-data; boundary=x"}, status: 415},
		{name: "text", body: ok, header: []string{"Content-Type", "text/plain"}, status: 415},
		{name: "too long", body: long, status: 413},
		{name: "malformed", body: []byte(`{"id":`), status: 400},
		{name: "empty", body: nil, status: 400},
		{name: "version 2.5", body: ok, header: []string{"X-Openrtb-Version", "2.5"}, status: 200, answer: "X-Openrtb-Version: 2.5", reaches: true},
		{name: "version 2.6", body: ok, header: []string{"X-Openrtb-Version", "2.6"}, status: 200, answer: "X-Openrtb-Version: 2.6", reaches: true},
		{name: "no version", body: ok, status: 200, answer: "X-Openrtb-Version: 2.6", reaches: true},
		{name: "version 3.0", body: ok, header: []string{"X-Openrtb-Version", "3.0"}, status: 400},
		{name: "version 2", body: ok, header: []string{"X-Openrtb-Version", "2"}, status: 400},
		{name: "version 2.x", body: ok, header: []string{"X-Openrtb-Version", "2.x"}, status: 400},
		{name: "GET", method: "GET", status: 405, answer: "Allow: POST"},
		{name: "PUT", method: "PUT", body: ok, status: 405, answer: "Allow: POST"},
		{name: "path", path: "/openrtb2/auctions", body: ok, status: 404},
		{name: "path with a dot", path: "/x/../openrtb2/auction", body: ok, status: 404},
		{name: "escaped path", path: "/openrtb2%2Fauction", body: ok, status: 404},
		{name: "status", method: "GET", path: "/status", status: 200},
		{name: "POST to status", path: "/status", body: ok, status: 405, answer: "Allow: GET, HEAD"},
		{name: "notice", method: "GET", path: "/win?price=1", status: 200, reaches: true},
		{name: "POST of a notice", path: "/win", body: ok, status: 405, answer: "Allow: GET"},
	} {
		method, path := tt.method, tt.path
		if method == "" {
			method = http.MethodPost
		}
		if path == "" {
			path = PathDefault
		}
		r := send(method, path, tt.body, tt.header...)
		if r.status != tt.status {
			t.Errorf("%s: status %d, want %d", tt.name, r.status, tt.status)
		}
		if name, value, _ := strings.Cut(tt.answer, ": "); r.header.Get(name) != value {
			t.Errorf("%s: header %v, want %s", tt.name, r.header, tt.answer)
		}
		got := up.take()
		if (len(got) == 1) != tt.reaches {
			t.Errorf("%s: the core got %d requests", tt.name, len(got))
		} else if tt.reaches && method == http.MethodPost && (!bytes.Equal(got[0].body, ok) || got[0].header.Get("Content-Encoding") != "" &&
			got[0].header.Get("Content-Encoding") != "identity" || got[0].header.Get("Content-Type") == "") {
			t.Errorf("%s: the core got %s %v", tt.name, got[0].body, got[0].header)
		}
	}
}

// noise is text that hardly compresses.
func noise(n int) []byte {
	b := make([]byte, n)
	for i, x := 0, uint32(1); i < n; i++ {
		x = x*1664525 + 1013904223
		b[i] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/"[x>>26]
	}
	return b
}

// TestHTTPRaw sends what HTTP clients do not send.
func TestHTTPRaw(t *testing.T) {
	eachPlane(t, testHTTPRaw)
}

func testHTTPRaw(t *testing.T, serve func(Options) *started) {
	const soon = 300 * time.Millisecond
	ok := string(good(t))
	head := func(extra string, n int) string {
		return fmt.Sprintf("POST /openrtb2/auction HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n", extra, n)
	}
	chunked := func(text string) (b string) {
		for len(text) > 0 {
			n := min(len(text), 100)
			b += fmt.Sprintf("%x\r\n%s\r\n", n, text[:n])
			text = text[n:]
		}
		return b + "0\r\n\r\n"
	}
	const chunkedHead = "POST /openrtb2/auction HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, tt := range []struct {
		name, text string
		want       string // what the answers begin with, one after the other
		reaches    int
	}{
		{"two requests", head("", len(ok)) + ok + head("", len(ok)) + ok, "HTTP/1.1 200 OK|HTTP/1.1 200 OK", 2},
		{"chunked", chunkedHead + chunked(ok), "HTTP/1.1 200 OK", 1},
		{"malformed, then a good one", head("", 2) + "{]" + head("", len(ok)) + ok, "HTTP/1.1 400 Bad Request|HTTP/1.1 200 OK", 1},
		{"404, then a good one", "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}" + head("", len(ok)) + ok, "HTTP/1.1 404 Not Found|HTTP/1.1 200 OK", 1},
		{"HTTP/1.0", fmt.Sprintf("POST /openrtb2/auction HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s", len(ok), ok), "HTTP/1.1 200 OK", 1},
		{"HTTP/1.0 with keep-alive", strings.Repeat(fmt.Sprintf("POST /openrtb2/auction HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: %d\r\n\r\n%s", len(ok), ok), 2), "HTTP/1.1 200 OK|HTTP/1.1 200 OK", 2},
		{"HTTP/2.0", "POST /openrtb2/auction HTTP/2.0\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 505", 0},
		{"HTTP/3.7", "POST /openrtb2/auction HTTP/3.7\r\nHost: x\r\n\r\n", "HTTP/1.1 505", 0},
		{"declared too long", head("", 1<<30), "HTTP/1.1 413", 0},
		{"declared too long, waits for 100", head("Expect: 100-continue\r\n", 1<<30), "HTTP/1.1 413", 0},
		{"chunked too long", chunkedHead + chunked(`{"id":"`+strings.Repeat("x", 5000)+`"}`), "HTTP/1.1 413", 0},
		{"415, waits for 100", head("Expect: 100-continue\r\nContent-Encoding: br\r\n", 10), "HTTP/1.1 415", 0},
		{"100", head("Expect: 100-continue\r\n", len(ok)) + ok, "HTTP/1.1 100 Continue|HTTP/1.1 200 OK", 1},
		{"long head", "POST /openrtb2/auction HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 5000) + "\r\n\r\n", "HTTP/1.1 431", 0},
		{"slow head", "POST /openrtb2/auction HTTP/1.1\r\nHost: x\r\n", "HTTP/1.1 408", 0},
		{"slow body", head("", len(ok)) + ok[:100], "HTTP/1.1 408", 0},
		{"absolute target", fmt.Sprintf("POST http://x/openrtb2/auction HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(ok), ok), "HTTP/1.1 200 OK", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // most of the time nothing happens
			up := newCore(t, nil)
			g := serve(Options{Upstreams: At(up.URL), BodyMax: 4 << 10, HeadMax: 4 << 10, HeadTimeout: soon, BodyTimeout: soon, IdleTimeout: soon})
			got := statusLines.FindAllString(strings.ReplaceAll(g.raw(t, tt.text), "HTTP/1.0", "HTTP/1.1"), -1) // net/http answers 1.0 with 1.0
			want := strings.Split(tt.want, "|")
			if !slices.EqualFunc(got, want, strings.HasPrefix) {
				t.Errorf("%q, want %q", got, want)
			}
			if requests := up.take(); len(requests) != tt.reaches {
				t.Errorf("the core got %d requests, want %d", len(requests), tt.reaches)
			} else if tt.reaches > 0 && (string(requests[0].body) != ok || requests[0].length != int64(len(ok)) || requests[0].proto != "HTTP/1.1" || requests[0].host != strings.TrimPrefix(up.URL, "http://")) {
				t.Errorf("the core got %+v", requests[0])
			}
		})
	}
}

var statusLines = regexp.MustCompile(`HTTP/1\.1 [0-9]{3} [^\r\n]*`)

// TestHeaders checks which headers pass, in both directions.
func TestHeaders(t *testing.T) {
	eachPlane(t, testHeaders)
}

func testHeaders(t *testing.T, serve func(Options) *started) {
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		h := w.Header()
		h.Set("Connection", "X-Private")
		h.Set("X-Private", "1")
		h.Set("Keep-Alive", "timeout=5")
		h.Set("X-Rtbwire-Secret", "1")
		h.Set("X-Kept", "yes")
		h.Set("Set-Cookie", "a=b")
		io.WriteString(w, answered)
	})
	g := serve(Options{Upstreams: At(up.URL)})
	sent := []string{
		"Connection", "keep-alive, X-Hop, authorization", "X-Hop", "1", "Authorization", "Bearer of-this-connection", "Keep-Alive", "timeout=5", "Te", "trailers", "Proxy-Authorization", "x", "Upgrade", "h2c",
		"X-Rtbwire-Score", "100", "x-rtbwire-partner", "forged", "X_Rtbwire_Action", "forged",
		"X-Forwarded-For", "1.2.3.4", "Forwarded", "for=1.2.3.4", "X-Real-Ip", "1.2.3.4",
		"X_Forwarded_For", "1.2.3.4", "X-Forwarded_Host", "forged", "X_real_ip", "1.2.3.4",
		"Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "X-Request-Id", "mine-1", "User-Agent", "test/1", "X-Other", "passes", "Cookie", "a=b; c=d",
	}
	r := g.post(t, PathDefault, good(t), sent...)
	got := up.take()[0].header
	want := http.Header{
		"Traceparent": {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}, "X-Request-Id": {"mine-1"}, "User-Agent": {"test/1"}, "X-Other": {"passes"},
		"Cookie": {"a=b; c=d"}, "Content-Type": {"application/json"}, "Content-Length": {fmt.Sprint(len(good(t)))},
		"X-Forwarded-For": {"127.0.0.1"}, "X-Rtbwire-Action": {"forward"}, "X-Rtbwire-Score": {got.Get("X-Rtbwire-Score")},
	}
	for name := range want {
		if !slices.Equal(got[name], want[name]) {
			t.Errorf("the core got %s: %q, want %q", name, got[name], want[name])
		}
	}
	for name := range got {
		if want[name] == nil {
			t.Errorf("the core got %s: %q", name, got[name])
		}
	}
	if got.Get("X-Rtbwire-Score") == "100" || got.Get("X-Rtbwire-Score") == "" {
		t.Errorf("score %q", got.Get("X-Rtbwire-Score"))
	}
	if r.header.Get("X-Kept") != "yes" || r.header.Get("Set-Cookie") != "a=b" || r.header.Get("X-Request-Id") != "mine-1" || r.header.Get("X-Openrtb-Version") != "2.6" {
		t.Errorf("answer %v", r.header)
	}
	for _, name := range []string{"Connection", "X-Private", "Keep-Alive", "X-Rtbwire-Secret", "Server"} {
		if r.header.Get(name) != "" {
			t.Errorf("answer has %s: %s", name, r.header.Get(name))
		}
	}

	// An id is made, differs, and is answered on refusals too.
	seen := map[string]bool{}
	for _, body := range [][]byte{good(t), good(t), []byte(`{"id":"1","imp":[]}`), []byte(`{`)} {
		r := g.post(t, PathDefault, body, "X-Request-Id", "not kept: spaces")
		id := r.header.Get("X-Request-Id")
		if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(id) || seen[id] {
			t.Errorf("id %q", id)
		}
		seen[id] = true
		for _, forwarded := range up.take() {
			if forwarded.header.Get("X-Request-Id") != id {
				t.Errorf("the core got the id %q, the sender %q", forwarded.header.Get("X-Request-Id"), id)
			}
		}
	}
}

// TestTrailers checks that a trailer can't bring a header to the core.
func TestTrailers(t *testing.T) {
	eachPlane(t, testTrailers)
}

func testTrailers(t *testing.T, serve func(Options) *started) {
	up := newCore(t, nil)
	g := serve(Options{Upstreams: At(up.URL), IdleTimeout: 300 * time.Millisecond})
	ok := string(good(t))
	got := g.raw(t, fmt.Sprintf("POST /openrtb2/auction HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: X-Late\r\n\r\n%x\r\n%s\r\n0\r\nX-Late: 1\r\nX-Rtbwire-Score: 99\r\n\r\n", len(ok), ok))
	if !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("got %q", got)
	}
	for _, r := range up.take() {
		if r.header.Get("X-Late") != "" || r.header.Get("Trailer") != "" || r.header.Get("X-Rtbwire-Score") == "99" {
			t.Errorf("the core got %v", r.header)
		}
	}
}

// TestUpstreamForms sends to a socket in the file system, to IPv6, and to a path.
func TestUpstreamForms(t *testing.T) {
	up := newCore(t, nil)
	socket := t.TempDir() + "/core.sock"
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	go http.Serve(ln, up.Config.Handler)
	t.Cleanup(func() { ln.Close() })
	forms := map[string]string{"unix:" + socket: "/openrtb2/auction?a=b", up.URL + "/bid": "/bid?a=b", up.URL + "/": "/openrtb2/auction?a=b"}
	if six, err := net.Listen("tcp", "[::1]:0"); err == nil {
		go http.Serve(six, up.Config.Handler)
		t.Cleanup(func() { six.Close() })
		forms["http://"+six.Addr().String()] = "/openrtb2/auction?a=b"
	}
	for name, uri := range forms {
		g := start(t, Options{Upstreams: At(name)})
		r := g.post(t, PathDefault+"?a=b", good(t))
		if got := up.take(); r.status != 200 || len(got) != 1 || got[0].uri != uri {
			t.Errorf("%s: %+v, the core got %+v", name, r, got)
		}
	}
	for _, name := range []string{"", "x", "unix:", "http://", "http://x/?a=b", "ftp://x", "http://u:p@x"} {
		if _, err := New(Options{Upstreams: At(name)}); err == nil {
			t.Errorf("%q is taken for an upstream", name)
		}
	}
}
