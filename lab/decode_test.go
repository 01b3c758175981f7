package main

import (
	"os"
	"testing"

	"github.com/rtbwire/rtbwire/lab/measure"
)

func read(b *testing.B, name string) []byte {
	b.Helper()
	text, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		b.Fatal(err)
	}
	return text
}

// BenchmarkDecode and the other benchmarks have names that benchstat compares. The lab measures the
// same interleaved. These are for a look at one engine, with -cpuprofile for example.
func BenchmarkDecode(b *testing.B) { benchmark(b, measure.Decode) }

func BenchmarkEncode(b *testing.B) { benchmark(b, measure.Encode) }

func BenchmarkPartial(b *testing.B) { benchmark(b, measure.Partial) }

func BenchmarkValidate(b *testing.B) { benchmark(b, measure.Validate) }

func benchmark(b *testing.B, op measure.Op) {
	bench, err := load(new(options))
	if err != nil {
		b.Fatal(err)
	}
	for i := range bench.Sets {
		for j := range bench.Engines {
			s, e := &bench.Sets[i], &bench.Engines[j]
			if !measure.Supports(e, s, op) {
				continue
			}
			b.Run(s.Name+"/"+e.Name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(s.Bytes()))
				do, err := bench.Operation(e, s, op)
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for b.Loop() {
					if err := do(n); err != nil {
						b.Fatal(err)
					}
					if n++; n == len(s.Docs) {
						n = 0
					}
				}
			})
		}
	}
}
