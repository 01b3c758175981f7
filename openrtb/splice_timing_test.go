package openrtb

import (
	"os"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// verdict is what a gateway adds to a request.
const verdict = `{"score":12,"reasons":["schain","ua"],"v":"2.6"}`

// spliceTimings are edits of typical programs.
var spliceTimings = []struct {
	name  string
	edits []wire.Edit
}{
	{"one", []wire.Edit{wire.Set("/ext/rtbwire", []byte(verdict))}},
	{"three", []wire.Edit{wire.Set("/ext/rtbwire", []byte(verdict)), wire.Set("/ext/at", []byte("1790000000")), wire.Set("/ext/seat", []byte(`"a"`))}},
	{"deep", []wire.Edit{wire.Set("/ext/rtbwire/score", []byte("12")), wire.Set("/ext/rtbwire/v", []byte(`"2.6"`))}},
	{"imp", []wire.Edit{wire.Set("/ext/rtbwire", []byte(verdict)), wire.Set("/imp/0/bidfloor", []byte("0.75"))}},
	{"scrub", []wire.Edit{
		wire.Remove("/device/ifa"), wire.Remove("/user/id"), wire.Remove("/user/eids"), wire.Remove("/user/ext/eids"),
		wire.Remove("/user/buyeruid"), wire.Remove("/device/geo/lat"), wire.Remove("/device/geo/lon"), wire.Set("/device/ip", []byte(`"192.0.2.0"`)),
	}},
}

// BenchmarkSplice edits a small and a large request, with and without an ext, beside a plain copy
// and a decode of the same text.
func BenchmarkSplice(b *testing.B) {
	for _, d := range []string{"banner", "app"} {
		with, err := os.ReadFile(testkit.Path(b, "testdata/bench/"+d+".json"))
		if err != nil {
			b.Fatal(err)
		}
		without, err := splice.Apply(nil, with, wire.Remove("/ext"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(d+"/ext", func(b *testing.B) { benchmarkSplice(b, with) })
		b.Run(d+"/none", func(b *testing.B) { benchmarkSplice(b, without) })
	}
}

func benchmarkSplice(b *testing.B, data []byte) {
	buf := make([]byte, 0, 2*len(data))
	b.Run("copy", func(b *testing.B) {
		for b.Loop() {
			buf = append(buf[:0], data...)
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			r, err := ParseFastArena(data)
			if err != nil {
				b.Fatal(err)
			}
			ReleaseArena(r)
		}
	})
	pooled, err := ParseFastArena(data)
	if err != nil {
		b.Fatal(err)
	}
	defer ReleaseArena(pooled)
	fast, err := ParseFast(data)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range spliceTimings {
		for _, way := range []struct {
			name string
			r    *BidRequest
		}{{"arena", pooled}, {"fast", fast}, {"text", nil}} {
			b.Run(c.name+"/"+way.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					out, err := way.r.Splice(buf[:0], data, c.edits...)
					if err != nil {
						b.Fatal(err)
					}
					buf = out[:0]
				}
			})
		}
	}
}
