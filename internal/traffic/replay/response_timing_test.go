package replay

import (
	"strings"
	"testing"
)

// BenchmarkResponse reads an answer that arrives whole, as most do.
func BenchmarkResponse(b *testing.B) {
	const fields = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Openrtb-Version: 2.6\r\n"
	body := strings.Repeat("x", 300)
	for _, bb := range []struct{ name, text string }{
		{"counted", fields + "Content-Length: 300\r\n\r\n" + body},
		{"chunked", fields + "Transfer-Encoding: chunked\r\n\r\n12c\r\n" + body + "\r\n0\r\n\r\n"},
		{"empty", "HTTP/1.1 204 No Content\r\n\r\n"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			text := []byte(bb.text)
			r := response{limits: responseLimits(1 << 20)}
			b.ReportAllocs()
			for b.Loop() {
				r.reset()
				if n, done, err := r.feed(text); n != len(text) || !done || err != nil {
					b.Fatal(n, done, err)
				}
			}
		})
	}
}
