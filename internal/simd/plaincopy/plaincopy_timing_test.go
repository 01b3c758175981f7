package plaincopy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/simd/simdtest"
)

func BenchmarkCopy(b *testing.B) {
	for _, size := range []int{1, 3, 7, 13, 20, 36, 109, 2048} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			text, dst := []byte(strings.Repeat("x", size)), make([]byte, size)
			simdtest.EachLevel(b, kernel, func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					Copy(dst, text)
				}
			})
		})
	}
}
