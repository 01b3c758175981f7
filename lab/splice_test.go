package main

import (
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// BenchmarkSplice inserts a verdict into the 4 KB request, beside a plain copy of it.
func BenchmarkSplice(b *testing.B) {
	data := read(b, "bench/app.json")
	r, err := openrtb.ParseFastArena(data)
	if err != nil {
		b.Fatal(err)
	}
	defer openrtb.ReleaseArena(r)
	absent, err := splice.Apply(nil, data, wire.Remove("/ext"))
	if err != nil {
		b.Fatal(err)
	}
	without, err := openrtb.ParseFastArena(absent)
	if err != nil {
		b.Fatal(err)
	}
	defer openrtb.ReleaseArena(without)
	verdict := []byte(`{"score":12,"reasons":["schain","ua"],"v":"2.6"}`)
	edits := []wire.Edit{wire.Set("/ext/rtbwire", verdict)}
	buf := make([]byte, 0, 2*len(data))
	b.Run("copy", func(b *testing.B) {
		for b.Loop() {
			buf = append(buf[:0], data...)
		}
	})
	b.Run("decoded", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if buf, err = r.Splice(buf[:0], data, edits...); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decoded, no ext", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if buf, err = without.Splice(buf[:0], absent, edits...); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("text", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if buf, err = splice.Apply(buf[:0], data, edits...); err != nil {
				b.Fatal(err)
			}
		}
	})
}
