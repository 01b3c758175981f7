package http

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// smuggled is a request that must never be seen: it follows, or is inside, a message that two
// parsers could read in two ways.
const smuggled = "POST /openrtb2/auction HTTP/1.1\r\nHost: gateway.example\r\nX-Smuggled: 1\r\nContent-Length: 199\r\n\r\n" + good

// headOf is a request whose fields are given as they are.
func headOf(line, fields string) string { return line + "\r\n" + fields + "\r\n" }

const (
	linePost = "POST /openrtb2/auction HTTP/1.1"
	hostIs   = "Host: gateway.example\r\n"
)

// ambiguous are messages that two parsers could read in two ways, by the row of docs/gateway.md.
// Each is followed by another request on the same connection.
var ambiguous = []struct {
	row       string
	spellings []string
	status    int // 0: 400
}{
	{"length with encoding", []string{
		headOf(linePost, hostIs+"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n",
		headOf(linePost, hostIs+"Transfer-Encoding: chunked\r\nContent-Length: 199\r\n") + good,
		headOf(linePost, hostIs+"content-length: 199\r\ntransfer-encoding: identity\r\n") + good,
	}, 0},
	{"two lengths", []string{
		headOf(linePost, hostIs+"Content-Length: 199\r\nContent-Length: 199\r\n") + good,
		headOf(linePost, hostIs+"Content-Length: 199\r\ncontent-length: 0\r\n") + good,
		headOf(linePost, hostIs+"Content-Length: 0\r\nX-A: b\r\nContent-Length: 199\r\n") + good,
	}, 0},
	{"signed length", []string{
		headOf(linePost, hostIs+"Content-Length: +199\r\n") + good,
		headOf(linePost, hostIs+"Content-Length: -199\r\n") + good,
		headOf(linePost, hostIs+"Content-Length: -0\r\n"),
	}, 0},
	{"listed length", []string{
		headOf(linePost, hostIs+"Content-Length: 199, 199\r\n") + good,
		headOf(linePost, hostIs+"Content-Length: 199,0\r\n") + good,
	}, 0},
	{"empty length", []string{headOf(linePost, hostIs+"Content-Length:\r\n") + good, headOf(linePost, hostIs+"Content-Length:  \r\n") + good}, 0},
	{"a length that is not a number", []string{
		headOf(linePost, hostIs+"Content-Length: 0xc7\r\n") + good,
		headOf(linePost, hostIs+"Content-Length: 199.0\r\n") + good,
		headOf(linePost, hostIs+"Content-Length: 0199\r\n") + good,
		headOf(linePost, hostIs+"Content-Length: 18446744073709551815\r\n") + good, // 199 beyond 64 bits
	}, 0},
	{"encoding other than chunked", []string{
		headOf(linePost, hostIs+"Transfer-Encoding: identity\r\n") + good,
		headOf(linePost, hostIs+"Transfer-Encoding: gzip, chunked\r\n") + chunks(good, 50),
		headOf(linePost, hostIs+"Transfer-Encoding: chunked, identity\r\n") + chunks(good, 50),
		headOf(linePost, hostIs+"Transfer-Encoding: xchunked\r\n") + chunks(good, 50),
		headOf(linePost, hostIs+"Transfer-Encoding: \x0bchunked\r\n") + chunks(good, 50),
		headOf(linePost, hostIs+"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") + chunks(good, 50),
		headOf(linePost, hostIs+"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n") + chunks(good, 50),
		headOf(linePost, hostIs+"transfer_encoding: chunked\r\n") + chunks(good, 50),
		headOf(strings.Replace(linePost, "1.1", "1.0", 1), hostIs+"Transfer-Encoding: chunked\r\n") + chunks(good, 50),
	}, 0},
	{"size with a sign", []string{chunked("+c7\r\n" + good + "\r\n0\r\n\r\n"), chunked("-c7\r\n" + good + "\r\n0\r\n\r\n")}, 0},
	{"size with 0x", []string{chunked("0xc7\r\n" + good + "\r\n0\r\n\r\n"), chunked("c7\r\n" + good + "\r\n0x0\r\n\r\n")}, 0},
	{"size with spaces", []string{chunked(" c7\r\n" + good + "\r\n0\r\n\r\n"), chunked("c7 \r\n" + good + "\r\n0\r\n\r\n"), chunked("c7\t\r\n" + good + "\r\n0\r\n\r\n")}, 0},
	{"size beyond 64 bits", []string{chunked("100000000000000c7\r\n" + good + "\r\n0\r\n\r\n"), chunked("fffffffffffffffff\r\n" + good + "\r\n0\r\n\r\n")}, 0},
	{"size with junk", []string{chunked("c7,\r\n" + good + "\r\n0\r\n\r\n"), chunked("c_7\r\n" + good + "\r\n0\r\n\r\n"), chunked("\r\nc7\r\n" + good + "\r\n0\r\n\r\n")}, 0},
	{"bare LF in extensions", []string{chunked("c7;a\n" + good + "\r\n0\r\n\r\n"), chunked("c7;a=b\nX\r\n" + good + "\r\n0\r\n\r\n")}, 0},
	{"missing CRLF after a chunk", []string{chunked("c7\r\n" + good + "0\r\n\r\n"), chunked("c7\r\n" + good + "\n0\r\n\r\n"), chunked("c7\r\n" + good + "XX0\r\n\r\n")}, 0},
	{"extensions over 1 KB", []string{
		chunked("c7;" + strings.Repeat("a", 1100) + "\r\n" + good + "\r\n0\r\n\r\n"),
		chunked("1;" + strings.Repeat("a", 600) + "\r\n{\r\nc6;" + strings.Repeat("a", 600) + "\r\n" + good[1:] + "\r\n0\r\n\r\n"),
	}, 0},
	{"trailers", []string{
		chunked("c7\r\n" + good + "\r\n0\r\nContent-Length: 5\r\n\r\n"), chunked("c7\r\n" + good + "\r\n0\r\nA : b\r\n\r\n"),
		chunked("c7\r\n" + good + "\r\n0\r\nA: b\n\r\n"), chunked("c7\r\n" + good + "\r\n0\r\nHost: b\r\n\r\n"),
	}, 0},
	{"folded field", []string{post(good, "X-A: b\r\n c\r\n"), post(good, "X-A: b\r\n\tContent-Length: 5\r\n")}, 0},
	{"space before the colon", []string{headOf(linePost, hostIs+"Content-Length : 199\r\n") + good, headOf(linePost, hostIs+"Transfer-Encoding\t: chunked\r\n") + chunks(good, 50)}, 0},
	{"bare LF", []string{strings.ReplaceAll(post(good), "\r\n", "\n"), post(good, "X-A: b\n"), strings.Replace(post(good), "\r\n\r\n", "\r\n\n", 1)}, 0},
	{"bare CR", []string{post(good, "X-A: b\rContent-Length: 0\r\n"), post(good, "X-A: b\r\r\n")}, 0},
	{"NUL", []string{post(good, "X-A: a\x00b\r\n"), post(good, "X\x00A: b\r\n")}, 0},
	{"two hosts", []string{post(good, hostIs), post(good, "HOST: other.example\r\n")}, 0},
	{"no host", []string{strings.Replace(post(good), hostIs, "", 1), strings.Replace(post(good), hostIs, "Host:\r\n", 1)}, 0},
	{"absolute target against the host", []string{
		strings.Replace(post(good), "POST ", "POST http://other.example", 1),
		strings.Replace(post(good), "POST ", "POST http://gateway.example:81", 1),
	}, 0},
	{"HTTP/0.9", []string{"GET /status\r\n", "POST /openrtb2/auction HTTP/0.9\r\n" + hostIs + "Content-Length: 199\r\n\r\n" + good}, 0},
	{"the request line", []string{
		strings.Replace(post(good), "POST ", "POST  ", 1), strings.Replace(post(good), " HTTP/1.1", "  HTTP/1.1", 1), "\r\n" + post(good),
		strings.Replace(post(good), "HTTP/1.1", "http/1.1", 1), strings.Replace(post(good), "HTTP/1.1", "HTTP/1.10", 1),
	}, 0},
	{"another protocol", []string{
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + post(good),
	}, 0},
	{"an unexpected body", []string{get("/status", "Content-Length: 199\r\n") + good, get("/status", "Transfer-Encoding: chunked\r\n") + chunks(good, 50)}, 0},
	{"another version", []string{strings.Replace(post(good), "HTTP/1.1", "HTTP/2.0", 1), strings.Replace(post(good), "HTTP/1.1", "HTTP/3.0", 1), strings.Replace(post(good), "HTTP/1.1", "HTTP/1.2", 1)}, 505},
	{"a tunnel", []string{"CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n", "CONNECT /openrtb2/auction HTTP/1.1\r\n" + hostIs + "\r\n"}, 405},
}

// TestFraming sends each ambiguous message, with another request after it: it is refused, nothing
// goes on, the connection ends, and it is counted.
func TestFraming(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		up := newUpstream(t, nil)
		p := serve(t, plane, up.url(), "--windows=false")
		before, sent := p.metrics(t), 0
		for _, tt := range ambiguous {
			want := tt.status
			if want == 0 {
				want = http.StatusBadRequest
			}
			for i, text := range tt.spellings {
				sent++
				t.Run(fmt.Sprint(tt.row, " ", i), func(t *testing.T) {
					c := connect(t, p)
					defer c.Close()
					_ = c.SetDeadline(time.Now().Add(20 * time.Second))
					c.send(text + smuggled)
					r, err := c.read(http.MethodPost)
					if err != nil || r.StatusCode != want || r.text != "" {
						t.Fatalf("%v, %v, want status %d", r, err, want)
					}
					if !r.Close {
						t.Fatal("the answer does not say that the connection closes")
					}
					if rest, _ := io.ReadAll(c.r); len(rest) > 0 {
						t.Errorf("more answers: %q", rest)
					}
					for _, got := range up.take() {
						t.Errorf("the upstream got %.200q %q", got.head, got.body)
					}
				})
			}
		}
		after := map[string]float64{}
		waitFor(t, "the counters", func() bool {
			after = counted(before, p.metrics(t))
			return after[requests("rejected")] >= float64(sent) || t.Failed()
		})
		if after[requests("rejected")] != float64(sent) || after[requests("forwarded")] != 0 {
			t.Errorf("counted %v, want %d rejected", after, sent)
		}
		fine(t, p)
	})
}

// TestPipelined sends several requests at once: they are answered in their order, each with its own
// body, whatever the ones before were.
func TestPipelined(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		up := newUpstream(t, nil)
		p := serve(t, plane, up.url(), "--windows=false", "--max-body", "4KiB")
		inBody := strings.Replace(good, `"id":"1"`, `"id":"\r\n\r\nPOST /openrtb2/auction HTTP/1.1\r\n"`, 1)
		for _, tt := range []struct {
			name     string
			send     string
			statuses []int
			forward  []string
			closes   bool
		}{
			{"two good ones", post(good) + post(identified("2")), []int{200, 200}, []string{good, identified("2")}, false},
			{"of all kinds", post(good) + chunked(chunks(identified("2"), 9)) + post(zipped(identified("3")), fieldGzip) + get("/status") + post(identified("4")), []int{200, 200, 200, 200, 200},
				[]string{good, identified("2"), identified("3"), identified("4")}, false},
			{"after a refusal", post(refused) + post(good), []int{204, 200}, []string{good}, false},
			{"after a malformed body", post("{") + post(good), []int{400, 200}, []string{good}, false},
			{"after a type that is refused", post(smuggled, "Content-Type: text/plain\r\n") + post(good), []int{415, 200}, []string{good}, false},
			{"after another path", strings.Replace(post(smuggled), path, "/x", 1) + post(good), []int{404, 200}, []string{good}, false},
			{"after another method", strings.Replace(post(smuggled), "POST", "PUT", 1) + post(good), []int{405, 200}, []string{good}, false},
			{"a body that looks like a request", post(smuggled) + post(good), []int{400, 200}, []string{good}, false},
			{"a string that looks like a request", post(inBody) + post(good), []int{200, 200}, []string{inBody, good}, false},
			{"after a body that is too long", post(padded("1", 5000)) + post(good), []int{413}, nil, true},
			{"in a body that is too long", post(padded("1", 4500)+smuggled) + post(good), []int{413}, nil, true},
			{"after chunks that are too long", chunked(chunks(padded("1", 5000), 3000)) + post(good), []int{413}, nil, true},
			{"after a length that is too long alone", headOf(linePost, hostIs+"Content-Length: 100000\r\n") + smuggled, []int{413}, nil, true},
			{"after the last one", post(good, "Connection: close\r\n") + smuggled, []int{200}, []string{good}, true},
			{"after HTTP/1.0", strings.Replace(post(good), "HTTP/1.1", "HTTP/1.0", 1) + smuggled, []int{200}, []string{good}, true},
			{"after an ambiguous one", post(good) + post(good, "Content-Length: 0\r\n") + smuggled, []int{200, 400}, []string{good}, true},
		} {
			t.Run(tt.name, func(t *testing.T) {
				up.take()
				c := connect(t, p)
				defer c.Close()
				c.send(tt.send)
				for i, want := range tt.statuses {
					r, err := c.read(http.MethodPost)
					if err != nil || r.StatusCode != want {
						t.Fatalf("answer %d: %+v, %v, want status %d", i, r, err, want)
					}
				}
				got := up.take()
				if len(got) != len(tt.forward) {
					t.Fatalf("the upstream got %d requests, want %d", len(got), len(tt.forward))
				}
				for i, m := range got {
					if !m.is(tt.forward[i]) || m.field("X-Smuggled") != "" {
						t.Errorf("request %d: %.200q %q", i, m.head, m.body)
					}
				}
				if tt.closes {
					if rest, _ := io.ReadAll(c.r); len(rest) > 0 {
						t.Errorf("more answers: %q", rest)
					}
				} else if err := c.works(); err != nil {
					t.Errorf("the next request: %v", err)
				}
				if more := len(up.take()); more > 1 || tt.closes && more > 0 {
					t.Errorf("the upstream got %d more", more)
				}
			})
		}
	})
}
