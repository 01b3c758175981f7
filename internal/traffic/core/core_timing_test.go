package core

import (
	"bytes"
	"os"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// BenchmarkBidder decodes a request and makes its response.
func BenchmarkBidder(b *testing.B) {
	for _, name := range []string{"banner", "app", "video", "ctv"} {
		request, err := os.ReadFile(testkit.Path(b, "testdata/bench/"+name+".json"))
		if err != nil {
			b.Fatal(err)
		}
		request = bytes.TrimSpace(request)
		decoder, bidder, out := openrtb.NewDecoder(), new(Bidder), []byte(nil)
		b.Run(name+"/decode", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decoder.Decode(request); err != nil {
					b.Fatal(err)
				}
				decoder.Reset()
			}
		})
		b.Run(name+"/respond", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				req, err := decoder.Decode(request)
				if err != nil {
					b.Fatal(err)
				}
				var ok bool
				if out, ok = bidder.Append(out[:0], req, 1); !ok {
					b.Fatal("no bid")
				}
				decoder.Reset()
			}
			b.ReportMetric(float64(len(out)), "bytes/response")
		})
	}
	b.Run("corpus", func(b *testing.B) {
		decoder, bidder, out, n := openrtb.NewDecoder(), new(Bidder), []byte(nil), 0
		requests := testkit.Requests(b)
		b.ReportAllocs()
		for b.Loop() {
			req, err := decoder.Decode(requests[n%len(requests)])
			if n++; err != nil {
				continue
			}
			out, _ = bidder.Append(out[:0], req, 1)
			decoder.Reset()
		}
	})
}
