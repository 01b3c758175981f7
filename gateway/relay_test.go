package gateway

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// TestUpstreamCloses asks an upstream that ends its connections. Those of senders stay open, and
// the answers say nothing of it.
func TestUpstreamCloses(t *testing.T) {
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		for name, text := range map[string]string{
			"asks to close": strings.Replace(rawAnswer, "\r\n", "\r\nConnection: close\r\n", 1),
			"in other case": strings.Replace(rawAnswer, "\r\n", "\r\nconnection: Close, X-Hop\r\nX-Hop: 1\r\n", 1),
			"HTTP/1.0":      strings.Replace(rawAnswer, "HTTP/1.1", "HTTP/1.0", 1),
		} {
			up := newRawCore(t, func(_ int64, c net.Conn) {
				if _, err := readRequest(c); err == nil {
					io.WriteString(c, text)
				}
			})
			g := serve(Options{Upstreams: At(up.url())})
			ok := string(good(t))
			request := func(more string) string {
				return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", PathDefault, more, len(ok), ok)
			}
			got := g.raw(t, request("")+request("")+request("Connection: close\r\n"))
			if answers := strings.Count(got, "HTTP/1.1 200 OK\r\n"); answers != 3 || strings.Count(got, answered) != 3 {
				t.Errorf("%s: %d answers to three requests: %q", name, answers, got)
			}
			first, _, _ := strings.Cut(got, answered)
			if strings.Contains(strings.ToLower(first), "connection:") || strings.Contains(first, "X-Hop") {
				t.Errorf("%s: the sender gets %q", name, first)
			}
		}
	})
}
