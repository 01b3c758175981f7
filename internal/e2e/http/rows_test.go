package http

import (
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// row is a line of the table in docs/gateway.md: what is sent, and everything that follows.
type row struct {
	name    string
	send    string
	status  int
	body    string            // of the answer
	fields  map[string]string // that the answer has
	closes  bool              // the connection ends
	forward string            // the body that the upstream gets; "" for nothing
	count   []string          // the counters that rise by one
}

// countForwarded and count are the counters of rows.
func countForwarded() []string { return []string{requests("forwarded")} }

func count(status, id string) []string { return []string{requests(status), reason(id)} }

// What senders that are no partner are told.
const (
	textPath     = "there is nothing at this path: bid requests are posted to /openrtb2/auction, or where the configuration says\n"
	textType     = "expected a bid request with Content-Type: application/json, in UTF-8\n"
	textEncoding = "expected no Content-Encoding, or gzip, once\n"
	textSize     = "the body is longer than 4096 bytes (gateway.max.body)\n"
)

// check sends the request of a row, and compares everything.
func (tt row) check(t *testing.T, p *process, up *upstream) {
	t.Helper()
	up.take()
	before := p.metrics(t)
	c := connect(t, p)
	defer c.Close()
	c.send(tt.send)
	method, _, _ := strings.Cut(tt.send, " ")
	r, err := c.read(method)
	if err != nil {
		t.Fatalf("no answer: %v\n%s", err, p.Text())
	}
	if r.StatusCode != tt.status || r.text != tt.body {
		t.Errorf("status %d, %q, want %d, %q", r.StatusCode, r.text, tt.status, tt.body)
	}
	for name, want := range tt.fields {
		if got := r.Header.Get(name); got != want && (want != "*" || got == "") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if r.Header.Get("Server") != "" {
		t.Errorf("the answer names its server: %q", r.Header.Get("Server"))
	}
	if tt.closes != r.Close {
		t.Errorf("the answer says that the connection closes: %v, want %v", r.Close, tt.closes)
	}
	got := up.take()
	switch {
	case tt.forward == "" && len(got) > 0:
		t.Errorf("the upstream got %.300q %.300q", got[0].head, got[0].body)
	case tt.forward != "" && (len(got) != 1 || !got[0].is(tt.forward)):
		t.Errorf("the upstream got %d requests, want %.300q", len(got), tt.forward)
	}
	if tt.closes {
		if !c.closes() {
			t.Error("the connection does not end")
		}
	} else if err := c.works(); err != nil {
		t.Errorf("the next request on the connection: %v", err)
	}
	want := map[string]float64{}
	for _, name := range tt.count {
		want[name] = 1
	}
	if !tt.closes {
		want[requests("forwarded")]++ // works
	}
	deadline := 0
	waitFor(t, "the counters", func() bool {
		deadline++
		return maps.Equal(counted(before, p.metrics(t)), want) || deadline > 100
	})
	if got := counted(before, p.metrics(t)); !maps.Equal(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
}

// get is a request without a body.
func get(target string, fields ...string) string {
	return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: gateway.example\r\n%s\r\n", target, strings.Join(fields, ""))
}

const (
	fieldGzip = "Content-Encoding: gzip\r\n"
	fieldJSON = "Content-Type: application/json\r\n"
)

// rows are the cases for a gateway without a configuration.
var rows = []row{
	{"forwarded", post(good), 200, answerBody, map[string]string{"Content-Type": "application/json", "X-Openrtb-Version": "2.6", "X-Request-Id": "*"}, false, good, countForwarded()},
	{"forwarded with a type", post(good, fieldJSON, "X-Openrtb-Version: 2.5\r\n", "X-Request-Id: a-1\r\n"), 200, answerBody, map[string]string{"X-Openrtb-Version": "2.5", "X-Request-Id": "a-1"}, false, good, countForwarded()},
	{"with a character set", post(good, "Content-Type: Application/JSON; charset=utf-8\r\n"), 200, answerBody, nil, false, good, countForwarded()},
	{"white space is kept", post("\n " + good + "\r\n\t"), 200, answerBody, nil, false, "\n " + good + "\r\n\t", countForwarded()},
	{"HTTP/1.0", strings.Replace(post(good), "HTTP/1.1", "HTTP/1.0", 1), 200, answerBody, nil, true, good, countForwarded()},
	{"chunked", chunked(chunks(good, 7)), 200, answerBody, nil, false, good, countForwarded()},
	{"absolute target", strings.Replace(post(good), "POST ", "POST http://gateway.example", 1), 200, answerBody, nil, false, good, countForwarded()},
	{"asked to close", post(good, "Connection: close\r\n"), 200, answerBody, nil, true, good, countForwarded()},

	{"gzip", post(zipped(good), fieldGzip), 200, answerBody, nil, false, good, countForwarded()},
	{"x-gzip", post(zipped(good), "Content-Encoding: X-Gzip\r\n"), 200, answerBody, nil, false, good, countForwarded()},
	{"identity", post(good, "Content-Encoding: identity\r\n"), 200, answerBody, nil, false, good, countForwarded()},
	{"broken gzip", post("\x1f\x8b\x08", fieldGzip), 400, "", nil, false, "", count("rejected", "gateway.gzip")},
	{"no gzip at all", post(good, fieldGzip), 400, "", nil, false, "", count("rejected", "gateway.gzip")},
	{"inflates to more than 100 times its size", post(zipped(padded("1", 200_000)), fieldGzip), 400, "", nil, false, "", count("rejected", "gateway.size")},

	{"refused", post(refused), 204, "", map[string]string{"X-Openrtb-Version": "2.6", "X-Request-Id": "*", "Content-Type": ""}, false, "", count("refused", "schema.BidRequest.channel.present")},
	{"malformed", post(`{"id":`), 400, "", nil, false, "", count("malformed", "json.truncated")},
	{"empty", post(""), 400, "", nil, false, "", count("malformed", "json.empty")},
	{"two documents", post(good + good), 400, "", nil, false, "", count("malformed", "json.trailing")},
	{"not UTF-8", post(strings.Replace(good, "a.example", "a\xff.example", 1)), 400, "", nil, false, "", count("malformed", "json.utf8")},

	{"type", post(good, "Content-Type: text/plain\r\n"), 415, textType, nil, false, "", count("rejected", "gateway.type")},
	{"another character set", post(good, "Content-Type: application/json; charset=utf-7\r\n"), 415, textType, nil, false, "", count("rejected", "gateway.type")},
	{"two character sets", post(good, "Content-Type: application/json; charset=utf-8; charset=\"utf-16\"\r\n"), 415, textType, nil, false, "", count("rejected", "gateway.type")},
	{"encoding", post(good, "Content-Encoding: br\r\n"), 415, textEncoding, nil, false, "", count("rejected", "gateway.encoding")},
	{"two encodings", post(zipped(good), "Content-Encoding: gzip, gzip\r\n"), 415, textEncoding, nil, false, "", count("rejected", "gateway.encoding")},
	{"two fields of encodings", post(zipped(good), fieldGzip, fieldGzip), 415, textEncoding, nil, false, "", count("rejected", "gateway.encoding")},

	{"method", get(path), 405, "this path takes POST only\n", map[string]string{"Allow": "POST"}, false, "", count("rejected", "gateway.method")},
	{"another method", strings.Replace(post(good), "POST", "PUT", 1), 405, "this path takes POST only\n", map[string]string{"Allow": "POST"}, false, "", count("rejected", "gateway.method")},
	{"path", strings.Replace(post(good), path, "/other", 1), 404, textPath, nil, false, "", count("rejected", "gateway.path")},
	{"path with a slash at its end", strings.Replace(post(good), path, path+"/", 1), 404, textPath, nil, false, "", count("rejected", "gateway.path")},
	{"OpenRTB 3.0", post(good, "X-Openrtb-Version: 3.0\r\n"), 400, "", nil, false, "", count("rejected", "gateway.version")},
	{"two versions of OpenRTB", post(good, "X-Openrtb-Version: 2.6\r\n", "X-Openrtb-Version: 3.0\r\n"), 400, "", nil, false, "", count("rejected", "gateway.version")},

	{"status", get("/status"), 200, "ready\n", nil, false, "", []string{`rtbwire_gateway_requests_total{request_status="status",request_type="status"}`}},
	{"status by HEAD", strings.Replace(get("/status"), "GET", "HEAD", 1), 200, "", nil, false, "", []string{`rtbwire_gateway_requests_total{request_status="status",request_type="status"}`}},
	{"no passthrough", get("/win?price=1"), 404, textPath, nil, false, "", count("rejected", "gateway.path")},
}

func TestRows(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		up := newUpstream(t, nil)
		p := serve(t, plane, up.url(), "--windows=false")
		for _, tt := range rows {
			t.Run(tt.name, func(t *testing.T) { tt.check(t, p, up) })
		}
	})
}

// TestRowsOfLimits are the rows about size, with limits that are quick to reach.
func TestRowsOfLimits(t *testing.T) {
	large := padded("1", 5000)
	bothPlanes(t, func(t *testing.T, plane string) {
		up := newUpstream(t, nil)
		p := serve(t, plane, up.url(), "--windows=false", "--max-body", "4KiB", "--max-head", "4KiB")
		for _, tt := range []row{
			{"body of the largest size", post(padded("1", 4096)), 200, answerBody, nil, false, padded("1", 4096), countForwarded()},
			{"body", post(padded("1", 4097)), 413, textSize, nil, true, "", nil},
			{"declared body", strings.TrimSuffix(post(large), large), 413, textSize, nil, true, "", nil},
			{"declared body that asks first", strings.TrimSuffix(post(large, "Expect: 100-continue\r\n"), large), 413, textSize, nil, true, "", nil},
			{"chunked body", chunked(chunks(large, 1000)), 413, textSize, nil, true, "", nil},
			{"inflated body", post(zipped(large+strings.Repeat(" ", 100)), fieldGzip), 413, textSize, nil, false, "", count("rejected", "gateway.size")},
			{"head", post(good, "X-A: "+strings.Repeat("a", 5000)+"\r\n"), 431, "", nil, true, "", nil},
		} {
			t.Run(tt.name, func(t *testing.T) {
				if tt.count == nil {
					tt.count = refusedByGuard(tt.status)
				}
				tt.check(t, p, up)
			})
		}
	})
}

// TestRowsOfNoBids are the rows of refusals, malformed texts and sheds with every no-bid answer.
func TestRowsOfNoBids(t *testing.T) {
	config := `version: 1
gateway: {upstreams: [%q], windows: false, timeouts: {upstream: 30s}, passthrough: [{path: /win}, {path: /post, method: POST}]}
partners:
  p204: {match: {path: /p204, header: {X-P: a}}, no_bid: "204"}
  p200: {match: {path: /p200}, no_bid: "200"}
  p400: {match: {path: /p400}, no_bid: "400"}
  p400json: {match: {path: /p400json}, no_bid: "400-json"}
  other: {match: {path: /other, from: [192.0.2.0/24]}}
  rate: {match: {path: /rate}, no_bid: "200", limits: {rate: 1}}
  late: {match: {path: /late}, no_bid: "200"}
`
	withFields := func(path, send string, fields ...string) string {
		send = strings.Replace(send, "/openrtb2/auction", path, 1)
		return strings.Replace(send, "\r\nContent-Length", "\r\n"+strings.Join(fields, "")+"Content-Length", 1)
	}
	bothPlanes(t, func(t *testing.T, plane string) {
		up := newUpstream(t, nil)
		p := serveWith(t, plane, func(*exec.Cmd) {}, "--config", file(t, "rtbwire.yaml", fmt.Sprintf(config, up.url())))
		schema, truncated := count("refused", "schema.BidRequest.channel.present"), count("malformed", "json.truncated")
		json := map[string]string{"Content-Type": "application/json"}
		for _, tt := range []row{
			{"204", withFields("/p204", post(refused), "X-P: a\r\n"), 204, "", nil, false, "", schema},
			{"204, malformed", withFields("/p204", post("{"), "X-P: a\r\n"), 400, "", nil, false, "", truncated},
			{"200", withFields("/p200", post(refused)), 200, `{"id":"1","nbr":2}`, json, false, "", schema},
			{"200, malformed", withFields("/p200", post("{")), 400, `{"nbr":2}`, json, false, "", truncated},
			{"400", withFields("/p400", post(refused)), 400, "", nil, false, "", schema},
			{"400, malformed", withFields("/p400", post("{")), 400, "", nil, false, "", truncated},
			{"400-json", withFields("/p400json", post(refused)), 400, `{"id":"1","nbr":2}`, json, false, "", schema},
			{"400-json, malformed", withFields("/p400json", post("{")), 400, `{"nbr":2}`, json, false, "", truncated},
			{"partner", withFields("/p200", post(good)), 200, answerBody, nil, false, good, countForwarded()},
			{"a path that only another partner has", withFields("/other", post(good)), 404, textPath, nil, false, "", count("rejected", "gateway.path")},
			{"a path whose header is missing", withFields("/p204", post(good)), 404, textPath, nil, false, "", count("rejected", "gateway.path")},
			{"within the rate", withFields("/rate", post(good)), 200, answerBody, nil, false, good, countForwarded()},
			{"over the rate", withFields("/rate", post(good)), 204, "", nil, false, "", count("shed", "gateway.rate")},
			{"late", withFields("/late", post(strings.Replace(good, `"id":"1"`, `"id":"1","tmax":5`, 1))), 200, `{"id":"1","nbr":15}`, json, false, "", count("refused", "gateway.tmax")},
		} {
			t.Run(tt.name, func(t *testing.T) { tt.check(t, p, up) })
		}
		passthrough := []string{`rtbwire_gateway_requests_total{request_status="passthrough",request_type="passthrough"}`}
		t.Run("passthrough", func(t *testing.T) {
			row{"", get("/win?price=1&u=%%X%%"), 200, answerBody, nil, false, "", passthrough}.passthrough(t, p, up, "GET /win?price=1&u=%%X%% HTTP/1.1\r\n", "")
		})
		t.Run("passthrough of a body", func(t *testing.T) {
			row{"", withFields("/post", post("not JSON")), 200, answerBody, nil, false, "", passthrough}.passthrough(t, p, up, "POST /post HTTP/1.1\r\n", "not JSON")
		})
		t.Run("passthrough with another method", func(t *testing.T) {
			row{"", withFields("/win", post(good)), 405, "this path takes GET only\n", map[string]string{"Allow": "GET"}, false, "", count("rejected", "gateway.method")}.check(t, p, up)
		})
	})
}

// passthrough checks a row whose request passes unread.
func (tt row) passthrough(t *testing.T, p *process, up *upstream, line, body string) {
	t.Helper()
	up.take()
	before := p.metrics(t)
	c := connect(t, p)
	defer c.Close()
	c.send(tt.send)
	if r := c.answer(t); r.StatusCode != tt.status || r.text != tt.body || r.Close {
		t.Errorf("%d %q", r.StatusCode, r.text)
	}
	if got := up.take(); len(got) != 1 || !strings.HasPrefix(got[0].head, line) || !got[0].is(body) {
		t.Errorf("the upstream got %d: %+v", len(got), got)
	}
	waitFor(t, "the counter", func() bool { return counted(before, p.metrics(t))[tt.count[0]] == 1 })
}

// refusedByGuard are the counters of what is refused before the server sees it.
func refusedByGuard(status int) []string {
	if status == http.StatusRequestEntityTooLarge {
		return count("rejected", "http.body.size")
	}
	return count("rejected", "http.head.size")
}

// TestHead compares the whole head that the upstream gets.
func TestHead(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		up := newUpstream(t, nil)
		p := serve(t, plane, up.url())
		c := connect(t, p)
		c.send(post(good, "User-Agent: a b\r\n", "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n", "X-Request-Id: id-1\r\n", "X-Other: 1\r\n", "X-Other: 2\r\n",
			"Connection: keep-alive, X-Hop\r\n", "X-Hop: 1\r\n", "Keep-Alive: timeout=5\r\n", "TE: trailers\r\n", "Proxy-Authorization: secret\r\n", "Proxy-Connection: close\r\n", "Upgrade: h2c\r\n",
			"X-Forwarded-For: 1.2.3.4\r\n", "Forwarded: for=1.2.3.4\r\n", "X-Forwarded-Host: a\r\n", "X-Forwarded-Proto: https\r\n", "X-Forwarded-Port: 1\r\n", "X-Real-IP: 1.2.3.4\r\n",
			"X-Rtbwire-Action: refuse\r\n", "x_rtbwire_score: 99\r\n", "X-RTBWIRE-Partner: evil\r\n", "Accept-Encoding: gzip\r\n"))
		if r := c.answer(t); r.StatusCode != http.StatusOK {
			t.Fatalf("status %d", r.StatusCode)
		}
		want := []string{
			"POST /openrtb2/auction HTTP/1.1", "Host: " + up.Addr().String(), fmt.Sprintf("Content-Length: %d", len(good)), "Content-Type: application/json", "User-Agent: a b",
			"Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "X-Request-Id: id-1", "X-Other: 1", "X-Other: 2", "Accept-Encoding: gzip",
			"X-Forwarded-For: 127.0.0.1", "X-Rtbwire-Action: forward", "X-Rtbwire-Score: *",
		}
		got := up.take()
		if len(got) != 1 {
			t.Fatalf("the upstream got %d requests", len(got))
		}
		lines := strings.Split(strings.TrimSuffix(got[0].head, "\r\n\r\n"), "\r\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "X-Rtbwire-Score: ") {
				lines[i] = "X-Rtbwire-Score: *"
			}
		}
		slices.Sort(lines)
		slices.Sort(want)
		if !slices.Equal(lines, want) {
			t.Errorf("the head:\n%s\nwant:\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
	})
}
