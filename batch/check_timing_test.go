package batch

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkCheck measures the whole way of a file: reading, splitting, telling the type,
// checking, and placing the findings.
func BenchmarkCheck(b *testing.B) {
	text := corpus(b, 4<<20)
	engine := newEngine(b)
	for _, jobs := range []int{1, 2} {
		b.Run(fmt.Sprintf("jobs=%d", jobs), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			documents := int64(0)
			for b.Loop() {
				counts, err := Check(b.Context(), engine, []Input{From("", bytes.NewReader(text))}, Options{Jobs: jobs}, Handler{
					Result: func(*Result) error { return nil },
				})
				if err != nil {
					b.Fatal(err)
				}
				documents = counts.Documents
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(documents), "ns/document")
		})
	}
}
