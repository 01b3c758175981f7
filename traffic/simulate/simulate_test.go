package simulate

import (
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
)

func TestTry(t *testing.T) {
	for _, shape := range Shapes() {
		g, err := New(Config{Seed: 1, Shape: shape, Defects: Percent(0), Payloads: Percent(0), Fraud: Percent(0)})
		if err != nil {
			t.Fatal(err)
		}
		e, _ := inspect.New(inspect.Config{})
		w := e.NewWorker()
		seen := map[string]int{}
		var buf []byte
		var sizes []int
		sum := 0
		for n := range uint64(20000) {
			var l Label
			buf, l = g.AppendRequest(buf[:0], n)
			sizes = append(sizes, len(buf))
			sum += len(buf)
			v := w.Inspect(buf, inspect.Facts{})
			for _, f := range v.Findings {
				key := l.Class.String() + " " + l.What + " " + f.Severity.String() + " " + f.ID
				if seen[key]++; seen[key] == 1 {
					t.Logf("%s %s %s\n%s", key, f.Path, f.Message, buf)
				}
			}
			if n < 8 {
				t.Logf("%s", buf)
			}
		}
		slices.Sort(sizes)
		for _, p := range []int{1, 10, 25, 50, 75, 90, 95, 99} {
			t.Logf("p%d %d", p, sizes[p*len(sizes)/100])
		}
		t.Logf("%v mean %d max %d", shape, sum/len(sizes), sizes[len(sizes)-1])
	}
}
func BenchmarkMixed(b *testing.B) {
	for _, s := range Shapes() {
		b.Run(s.String(), func(b *testing.B) {
			b.ReportAllocs()
			g, _ := New(Config{Shape: s, Defects: Percent(1), Payloads: Percent(1), Fraud: Percent(1)})
			var buf []byte
			n := uint64(0)
			total := 0
			for b.Loop() {
				buf, _ = g.AppendRequest(buf[:0], n)
				n++
				total += len(buf)
			}
			b.SetBytes(int64(total) / int64(n))
		})
	}
}
