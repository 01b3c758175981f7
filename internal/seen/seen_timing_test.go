package seen

import (
	"fmt"
	"testing"
)

// BenchmarkAdd shows where hashing begins to pay, which is what LinearMax is about.
func BenchmarkAdd(b *testing.B) {
	for _, size := range []int{4, 8, 12, 16, 24, 32, 64, 256} {
		b.Run(fmt.Sprintf("names=%d", size), func(b *testing.B) {
			names := make([]string, size)
			for i := range names {
				names[i] = fmt.Sprintf("deal-%08d", i)
			}
			var g Groups
			b.ReportAllocs()
			for b.Loop() {
				g.Open()
				for _, name := range names {
					g.Add(name)
				}
				g.Close()
			}
		})
	}
}
