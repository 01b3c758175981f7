package kinds_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/rtbwire/rtbwire/gen/testdata/kinds"
	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/wire"
)

// TestLimits: the limits on depth, elements and memory hold in generated code as the contract has them, wherever in a
// document they are reached.
func TestLimits(t *testing.T) {
	count := 200
	if testing.Short() {
		count = 40
	}
	r := rand.New(rand.NewPCG(9, 10))
	refused := map[wire.Code]int{}
	for range count {
		d := document{r: r}
		d.object(reflect.TypeFor[kinds.Root](), 8)
		for _, c := range []struct {
			option wire.Option
			limits oracle.Options
		}{
			{wire.MaxDepth(1), oracle.Options{Depth: 1}},
			{wire.MaxDepth(2), oracle.Options{Depth: 2}},
			{wire.MaxDepth(3), oracle.Options{Depth: 3}},
			{wire.MaxDepth(5), oracle.Options{Depth: 5}},
			{wire.MaxElements(1), oracle.Options{Elements: 1}},
			{wire.MaxElements(3), oracle.Options{Elements: 3}},
			{wire.MaxMemory(8, 28<<10+100), oracle.Options{MemoryPerByte: 8, MemoryBase: 28<<10 + 100}},
			{wire.MaxMemory(8, 32<<10), oracle.Options{MemoryPerByte: 8, MemoryBase: 32 << 10}},
			{wire.MaxMemory(14, 28<<10), oracle.Options{MemoryPerByte: 14, MemoryBase: 28 << 10}},
		} {
			want := new(kinds.Root)
			fault, saved := oracle.Decode(d.out, want, c.limits)
			decoder := kinds.NewRootDecoder(c.option)
			for range 2 { // cold and warm
				got, err := decoder.Decode(d.out)
				if s := differenceFrom(got, want, decoder.Saved(), saved, err, fault); s != "" {
					t.Fatalf("%+v: %.2000q: %s", c.limits, d.out, s)
				}
				if e, ok := err.(*wire.Error); ok { //nolint:errorlint // Decode wraps nothing
					refused[e.Code]++
				}
			}
		}
	}
	for _, code := range []wire.Code{wire.CodeDepth, wire.CodeElements, wire.CodeMemory} {
		if refused[code] == 0 {
			t.Errorf("no document is refused as %s", code.String())
		}
	}
}
