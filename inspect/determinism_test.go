package inspect

import (
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestDeterminism judges the same documents in eight goroutines, in different orders, by cold and
// warm workers, while the engine is swapped between two equal ones: every verdict is the same.
func TestDeterminism(t *testing.T) {
	config := layered(Layer{}, Layer{Severities: []Setting{{"*.recommended", Warn}}, Shadow: true}, Layer{Severities: []Setting{{impID, Off}}, Sample: 0.5})
	config.Preset, config.Annotate, config.MaxFindings = schema.Strict, true, 10
	config.Global.Rules = []Rule{objection("one", hashed(9)), objection("two", failing), objection("three", hashed(2), Observe)}
	config.Global.Scrubs = []Scrub{{"one", hashed(2), removes("/user", "/ext")}, {"two", failing, removes("/user/id", "/device/ip")}, {"three", hashed(5), impossible}}
	config.Payload = ownPayload
	docs := documents(t)
	docs = docs[len(docs)-testkit.Scale(t, 200, 1000, 5000):]
	facts := Facts{Partner: "p", Publisher: "pub"}
	engines := [2]*Engine{mustNew(t, config), mustNew(t, config)}
	want := make([]string, len(docs))
	first := engines[0].NewWorker()
	for i, doc := range docs {
		want[i] = lasting(first.Inspect(doc, facts))
	}
	holder := NewHolder(engines[0])
	stop := make(chan struct{})
	swapped := make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				swapped <- n
				return
			default:
				n++
				holder.Swap(engines[n%2])
			}
		}
	}()
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			random := testkit.Rand(uint64(g))
			worker := holder.NewWorker()
			for _, i := range random.Perm(len(docs)) {
				if random.IntN(100) == 0 {
					worker = holder.NewWorker()
				}
				if got := lasting(worker.Inspect(docs[i], facts)); got != want[i] {
					t.Errorf("goroutine %d: got %s\nwant %s", g, got, want[i])
					return
				}
			}
		})
	}
	group.Wait()
	close(stop)
	if n := <-swapped; n == 0 {
		t.Error("the engine was never swapped")
	}
}

// TestSwap checks when a worker uses the new engine: from the next Decode on.
func TestSwap(t *testing.T) {
	lax, strict := mustNew(t, only("*", Off)), mustNew(t, Config{})
	h := NewHolder(lax)
	w := h.NewWorker()
	if err := w.Decode([]byte(noImpID)); err != nil {
		t.Fatal(err)
	}
	if old := h.Swap(strict); old != lax || h.Engine() != strict {
		t.Error("Swap returns another engine than the one before")
	}
	if v := w.Judge(Facts{}); v.Action != ActionForward {
		t.Errorf("judged by the new engine: %+v", v.Decision)
	}
	if v := w.Inspect([]byte(noImpID), Facts{}); v.Reason != impID {
		t.Errorf("judged by the old engine: %+v", v.Decision)
	}
	if h.Swap(nil); h.Engine() != defaultEngine() || new(Holder).Engine() != defaultEngine() || (*Engine)(nil).NewWorker().current() != defaultEngine() || new(Engine).NewWorker().current() != defaultEngine() {
		t.Error("no engine is not the default engine")
	}
}
