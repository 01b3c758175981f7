package conformance

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// TestMemory checks that a call allocates at most 64 KiB plus 64 bytes per byte of input. All
// allocations of the call count, garbage included: the value, the text's copy (Parse), the index,
// the error. The decoder itself does not count, because calls share it through a pool.
func TestMemory(t *testing.T) {
	if testkit.Race || !mem.ZeroCopy {
		t.Skip("this build allocates more")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would empty the pools
	sizes := []int{50, 500, 3000, 20_000, 99_000, 400_000}
	sizes = sizes[:testkit.Scale(t, 4, 5, 6)]
	worst, refused := 0.0, 0
	check := func(what string, data []byte) {
		limit := wire.MemoryPerByteDefault*len(data) + wire.MemoryBaseDefault
		for _, way := range []struct {
			name string
			f    func() error
		}{
			{"Parse", func() error { _, err := openrtb.Parse(data); return err }},
			{"ParseFast", func() error { _, err := openrtb.ParseFast(data); return err }},
		} {
			var err error
			n := allocated(func() { err = way.f() })
			if n > limit {
				t.Errorf("%s: %s of %d bytes allocates %d, the limit is %d (error %v)", what, way.name, len(data), n, limit, err)
			}
			if way.name == "ParseFast" {
				worst = max(worst, float64(n)/float64(limit))
				if err != nil {
					refused++
				}
			}
		}
		cold := openrtb.NewDecoder()
		var err error
		if n := allocated(func() { _, err = cold.Decode(data) }); n > limit {
			t.Errorf("%s: Decode of %d bytes allocates %d, the limit is %d (error %v)", what, len(data), n, limit, err)
		}
	}
	_, _ = openrtb.Parse([]byte(`{}`)) // fills the pool
	for _, f := range memoryFamilies {
		for _, size := range sizes {
			check(f.name, []byte(f.make(size)))
		}
	}
	// Two families in one document, in any proportion: one may use what the other leaves.
	r := testkit.Rand(1)
	for range 150 {
		a, b := memoryFamilies[r.IntN(len(memoryFamilies))], memoryFamilies[r.IntN(len(memoryFamilies))]
		size := 1 << (6 + r.IntN(11))
		first, second := a.make(r.IntN(size)), b.make(r.IntN(size))
		check(a.name+" and "+b.name, []byte(first[:len(first)-1]+","+second[1:]))
	}
	t.Logf("at worst %.2f of the limit; %d documents refused", worst, refused)
	if refused == 0 {
		t.Error("no document was refused: the families need more memory per byte")
	}
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestMemoryIsDeterministic decodes the families in arenas in every state: whether a document is
// accepted depends on the document alone.
func TestMemoryIsDeterministic(t *testing.T) {
	list := entries()
	sizes := []int{100, 1500, 2500, 12_000, 60_000}
	sizes = sizes[:testkit.Scale(t, 3, 4, 5)]
	for _, f := range memoryFamilies {
		for _, size := range sizes {
			data := []byte(f.make(size))
			everywhere(t, list, data)
			cold := decoderEntry(oracle.Default)
			first, second := cold.refusal(data), cold.refusal(data)
			cold.accepts([]byte(memoryFamilies[0].make(30_000)))
			third := cold.refusal(data)
			if fmt.Sprint(first) != fmt.Sprint(second) || fmt.Sprint(first) != fmt.Sprint(third) {
				t.Errorf("%s, %d bytes: first %v, then %v, then %v", f.name, len(data), first, second, third)
			}
			if first != nil && *first != fault(wire.CodeMemory, 0, "") {
				t.Errorf("%s, %d bytes: refused for %v, want memory at 0", f.name, len(data), *first)
			}
		}
	}
}

// TestMemoryOption shows where a memory budget refuses. On real documents the oracle says to the
// byte.
func TestMemoryOption(t *testing.T) {
	for _, c := range []struct {
		name          caseName
		perByte, base int
		in            string
		code          wire.Code
	}{
		{name: name("scalars need no budget"), in: `{"id":"1","at":1,"ext":[1],"x":{},"cur":null}`},
		{name: name("an object does"), in: `‸{"site":{}}`, code: wire.CodeMemory},
		{name: name("an array does"), in: `‸{"cur":["a"]}`, code: wire.CodeMemory},
		{name: name("an empty array does not"), in: `{"cur":[]}`},
		{name: name("a negative budget"), perByte: -1, base: -1, in: `‸{"imp":[{}]}`, code: wire.CodeMemory},
		{name: name("as much as an int holds"), perByte: int(^uint(0) >> 1), base: int(^uint(0) >> 1), in: `{"imp":[{}]}`},
		{name: name("more than an int holds"), perByte: int(^uint(0)>>1) / 2, base: 5, in: `{"imp":[{}]}`},
	} {
		refusedAs(t, c.name, c.in, c.code, "", wire.MaxMemory(c.perByte, c.base))
	}
	for i, d := range testkit.Requests(t) {
		if i%20 == 0 {
			perByte, base := 1+i%60, 28<<10+i%4000
			against(t, decoderEntry(oracle.Default, wire.MaxMemory(perByte, base)), d, oracle.Options{MemoryPerByte: perByte, MemoryBase: base})
		}
	}
}
