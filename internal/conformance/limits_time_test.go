package conformance

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/cputime"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// TestTimeIsLinear makes documents eight times as long: decoding them may take at most twelve times
// as long, in every mode. It counts the CPU time of this thread, with new decoders and the
// collector off, so that neither other programs nor collections count.
func TestTimeIsLinear(t *testing.T) {
	if testkit.Race || testing.Short() {
		t.Skip("the race detector changes times, and a short run has none to spare")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	best := func(options []wire.Option, data []byte, runs int) time.Duration {
		least := time.Hour
		for range runs {
			runtime.GC()
			d := openrtb.NewDecoder(options...)
			least = min(least, cputime.Of(func() { _, _ = d.Decode(data) }))
		}
		return least
	}
	const size = 16 << 10
	for _, m := range modes {
		for _, f := range families() {
			small, large := []byte(f.make(size)), []byte(f.make(8*size))
			ratio := 0.0
			for try := range 5 { // other programs still share the caches and the kernel
				// What does not grow with the document: a new decoder, and the clock's resolution.
				const constant = 20 * time.Microsecond
				ratio = float64(best(m.options, large, 1+try*2)) / float64(best(m.options, small, 2+try*4)+constant)
				if ratio <= 12 {
					break
				}
			}
			if ratio > 12 {
				t.Errorf("%s, %v: 8 times the length takes %.1f times as long", f.name, m.mode, ratio)
			}
		}
	}
}
