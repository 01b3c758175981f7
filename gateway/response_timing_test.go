package gateway

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// responding is [answering] with another answer.
type responding struct {
	answering
	text string
}

func (r *responding) Write(b []byte) (int, error) { r.left = r.text; return len(b), nil }

// banner is an answer to testdata/bench/banner.json as bidders send it: 2 bids, 1.9 KB.
func banner(second float64) string {
	adm := `<div id=\"ad\"><a href=\"https://click.example/c?x=1&amp;u=https%3A%2F%2Fadvertiser.example%2F\"><img src=\"https://cdn.example/300x250.jpg\"></a>` +
		`<script type=\"text/javascript\" src=\"https://cdn.example/viewability.js\"></script>` + strings.Repeat(`<img width=\"1\" height=\"1\" src=\"https://track.example/i?p=${AUCTION_PRICE}\">`, 6) + `</div>`
	bid := `{"id":"%s","impid":"1","price":%v,"adm":"` + adm + `","adomain":["advertiser.example"],"cat":["IAB3-1"],"cid":"c","crid":"cr","w":300,"h":250,"attr":[1],"nurl":"https://track.example/win?p=${AUCTION_PRICE}"}`
	return `{"id":"80ce30c53c16e6ede735f123ef6e32361bfc7b22","seatbid":[{"seat":"s","bid":[` + fmt.Sprintf(bid, "a", 1.5) + `,` + fmt.Sprintf(bid, "b", second) + `]}],"cur":"USD"}`
}

// BenchmarkResponses serves requests whose answers pass unread, are judged, lose a bid, and are
// compressed.
func BenchmarkResponses(b *testing.B) {
	whole, cheap := banner(1), banner(0.1)
	for _, c := range []struct {
		name, answer string
		o            Options
	}{
		{"off", whole, Options{Responses: Responses{Mode: ResponsesOff}}},
		{"default", whole, Options{}},
		{"observe", whole, Options{Responses: Responses{Sample: 1}}},
		{"enforce", whole, Options{Responses: Responses{Mode: ResponsesEnforce}}},
		{"remove", cheap, Options{Responses: Responses{Mode: ResponsesEnforce}}},
		{"compress", whole, Options{Responses: Responses{Mode: ResponsesOff}, CompressMin: CompressMinDefault}},
	} {
		b.Run(c.name, func(b *testing.B) {
			serve, resp := answeredBy(b, c.o, good(b), c.answer)
			serve()
			if (len(resp.Header.ContentEncoding()) > 0) != (c.name == "compress") || (len(resp.Body()) < len(c.answer)/2+100) != (c.name == "remove" || c.name == "compress") {
				b.Fatalf("%v", resp)
			}
			b.ReportAllocs()
			for b.Loop() {
				serve()
			}
		})
	}
}

// answeredBy is served with an answer of the core.
func answeredBy(tb testing.TB, o Options, body []byte, answer string) (serve func(), resp *fasthttp.Response) {
	tb.Helper()
	text := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
	return servedBy(tb, o, body, func() net.Conn { return &responding{text: text} })
}
