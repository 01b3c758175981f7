package inspect

import "testing"

// BenchmarkNew measures a reload: 10,000 publishers of a partner, with forty rules around them.
func BenchmarkNew(b *testing.B) {
	c := manyPublishers(10000)
	b.ReportAllocs()
	for b.Loop() {
		mustNew(b, c)
	}
}
