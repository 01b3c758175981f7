package http

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// noise is a text without patterns: a byte of another request shows.
func noise(id string, length int) string {
	const digits = "0123456789abcdef"
	sum := sha256.Sum256([]byte(id))
	state := uint64(sum[0]) | uint64(sum[1])<<8 | uint64(sum[2])<<16 | uint64(sum[3])<<24 | 1
	b := make([]byte, length)
	for i := range b {
		state = state*6364136223846793005 + 1442695040888963407
		b[i] = digits[state>>60]
	}
	return string(b)
}

// body is a request of an id and a size; its texts follow from them.
func body(id string, length int) string {
	return fmt.Sprintf(`{"id":%q,"imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1","name":%q},"device":{"ifa":"drop-%s","ua":"a"},"ext":{"x":%q}}`, id, noise(id, length/2), id, noise(id+"x", length))
}

// TestCrossTalk has 32 clients that send requests of different sizes, some compressed, chunked,
// edited or refused, over connections that are kept, or are not. What the upstream gets and what
// the client gets belongs to the request, to the last byte.
func TestCrossTalk(t *testing.T) {
	config := `version: 1
gateway: {upstreams: [%q], windows: false, timeouts: {upstream: 30s}, max: {body: 1048576}, no_bid: "200"}
partners:
  edited: {match: {path: /edited}, no_bid: "200", scrub: [{remove: [/device/ifa]}]}
`
	bothPlanes(t, func(t *testing.T, plane string) {
		var mu sync.Mutex
		expected := map[string]string{} // the bodies that go on and did not come yet, by the ids of their requests
		// The answer names the request by its body, and is as long.
		up := newUpstream(t, func(c net.Conn, m *message) bool {
			id := m.field("X-Request-Id")
			mu.Lock()
			want, ok := expected[id]
			delete(expected, id)
			mu.Unlock()
			if !ok || !m.is(want) {
				t.Errorf("the upstream got %s, %d bytes, expected: %v, %d bytes", id, len(m.body), ok, len(want))
			}
			text := fmt.Sprintf(`{"id":"%x","ext":%q}`, sha256.Sum256(m.body), noise(string(m.body), len(m.body)%70_000))
			head := fmt.Sprintf("HTTP/1.1 200 OK\r\nX-Echo: %s\r\n", m.field("X-Request-Id"))
			last := len(m.body)%11 == 0
			if last {
				head += "Connection: close\r\n"
			}
			var err error
			if len(m.body)%3 == 0 {
				_, err = io.WriteString(c, head+"Transfer-Encoding: chunked\r\n\r\n"+chunks(text, 5000))
			} else {
				_, err = io.WriteString(c, head+fmt.Sprintf("Content-Length: %d\r\n\r\n", len(text))+text)
			}
			return err == nil && !last
		})
		up.forget()
		p := serveWith(t, plane, func(*exec.Cmd) {}, "--config", file(t, "rtbwire.yaml", fmt.Sprintf(config, up.url())))
		var clients sync.WaitGroup
		rounds := testkit.Scale(t, 12, 40, 400)
		for n := range 32 {
			clients.Go(func() {
				var c *client
				for i := range rounds {
					id := fmt.Sprintf("r-%d-%d", n, i)
					text := body(id, (n*7919+i*104729)%testkit.Scale(t, 60_000, 60_000, 400_000))
					want, at, send := text, path, post
					switch (n + i) % 6 {
					case 1:
						text = zipped(text)
						send = func(b string, f ...string) string { return post(b, append(f, fieldGzip)...) }
					case 2:
						send = func(b string, f ...string) string { return chunked(chunks(b, 3000), f...) }
					case 3:
						at, want = "/edited", strings.Replace(text, fmt.Sprintf(`"ifa":"drop-%s",`, id), "", 1)
					case 4:
						text, want = strings.Replace(text, `"imp":[`, `"imp":[],"imq":[`, 1), ""
					case 5:
						text, want = text[:len(text)-1], "" // malformed
					}
					if want != "" {
						mu.Lock()
						expected[id] = want
						mu.Unlock()
					}
					for tries := 0; ; tries++ {
						if c == nil {
							c = connect(t, p)
						}
						c.send(strings.Replace(send(text, "X-Request-Id: "+id+"\r\n"), path, at, 1))
						r, err := c.read(http.MethodPost)
						if err != nil {
							t.Errorf("%s: %v", id, err)
							return
						}
						if r.Close || i%7 == 6 {
							c.Close()
							c = nil
						}
						if r.StatusCode == http.StatusServiceUnavailable && tries < 1000 {
							continue // too many at once
						}
						answer, status := `{"nbr":2}`, 400 // malformed
						switch {
						case want != "":
							answer, status = fmt.Sprintf(`{"id":"%x","ext":%q}`, sha256.Sum256([]byte(want)), noise(want, len(want)%70_000)), 200
							if r.Header.Get("X-Echo") != id {
								t.Errorf("%s: the answer to %s", id, r.Header.Get("X-Echo"))
							}
						case (n+i)%6 == 4:
							answer, status = fmt.Sprintf(`{"id":%q,"nbr":2}`, id), 200
						}
						if r.StatusCode != status || r.text != answer || r.Header.Get("X-Request-Id") != id {
							t.Errorf("%s, kind %d: %d, %d bytes %.100q, of %s; want %d, %.100q", id, (n+i)%6, r.StatusCode, len(r.text), r.text, r.Header.Get("X-Request-Id"), status, answer)
						}
						break
					}
				}
			})
		}
		clients.Wait()
		if len(expected) > 0 && !t.Failed() {
			t.Errorf("%d requests did not come", len(expected))
		}
		settled(t, p)
	})
}

// TestSimulated sends the project's own traffic through the gateway to the project's own core, and
// has every answer checked against its request.
func TestSimulated(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		core := simulated(t, "--bid", "70%", "--latency", "p50=1ms,p99=5ms")
		p := serve(t, plane, "http://"+core.address)
		bids := file(t, "bids.ndjson", "")
		n := testkit.Scale(t, "500", "2000", "50000")
		if out, err := exec.Command(program, "simulate", "--count", n, "-o", bids).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		out, err := exec.Command(program, "replay", "--url", "http://"+p.address+path, "--once", "--check", "-c", "8", "--timeout", "30s", "--max-lag", "1h", bids).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		got := counted(nil, p.metrics(t))
		if fmt.Sprint(got[requests("forwarded")]) != n && got[requests("forwarded")]+got[requests("refused")]+got[requests("shed")] < 500 {
			t.Errorf("counted %v", got)
		}
	})
}
