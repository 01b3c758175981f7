package fraud

import (
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
)

// BenchmarkScore measures the score alone.
func BenchmarkScore(b *testing.B) {
	for name, requests := range requestSets(b) {
		b.Run("doc="+name, func(b *testing.B) {
			m := mustNew(b, Config{})
			var scratch Scratch
			var hits []Hit
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				_, hits = m.Score(Input{Request: requests[n%len(requests)]}, &scratch, hits[:0])
			}
		})
	}
}

// requestSets are the documents of the benchmarks, decoded.
func requestSets(tb testing.TB) map[string][]*openrtb.BidRequest {
	tb.Helper()
	sets := map[string][]*openrtb.BidRequest{}
	for _, name := range []string{"banner", "app"} {
		sets[name] = []*openrtb.BidRequest{parse(tb, readFile(tb, "testdata/bench/"+name+".json"))}
	}
	for _, doc := range corpus(tb) {
		if r, err := openrtb.Parse(doc); err == nil {
			sets["corpus"] = append(sets["corpus"], r)
		}
	}
	return sets
}
