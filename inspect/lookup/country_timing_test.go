package lookup

import "testing"

func BenchmarkParseCountry(b *testing.B) {
	b.ReportAllocs()
	for i := range b.N {
		if _, ok := ParseCountry(alpha3[i%250*5:][:3]); !ok {
			b.Fatal("unknown")
		}
	}
}
