package verdictlog

import (
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/judged"
)

// row returns a request that was judged.
func row() *judged.Request {
	var e inspect.Engine
	worker := e.NewWorker()
	f := inspect.Facts{Partner: "exchange-a"}
	v := worker.Inspect([]byte(personal), f)
	return &judged.Request{Body: []byte(personal), Request: worker.Request(), Facts: &f, Verdict: &v}
}

// BenchmarkAdd is what the log costs a request: one that is written, and one that is not.
func BenchmarkAdd(b *testing.B) {
	r := row()
	b.Run("written", func(b *testing.B) {
		q := queue{items: make(chan *item, 1)}
		b.ReportAllocs()
		for b.Loop() {
			q.add(r)
			q.taken(<-q.items)
		}
	})
	b.Run("left-out", func(b *testing.B) {
		w := Writer{options: Options{Settings: Settings{Share: 1e-9}}}
		b.ReportAllocs()
		for b.Loop() {
			w.Add(*r)
		}
	})
}

// BenchmarkLine is what the goroutine does that writes.
func BenchmarkLine(b *testing.B) {
	q, m := queue{items: make(chan *item, 1)}, lineMaker{}
	q.add(row())
	i := <-q.items
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.line(i); err != nil {
			b.Fatal(err)
		}
	}
}
