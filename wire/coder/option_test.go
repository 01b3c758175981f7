package coder

import (
	"math"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/options"
	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/wire"
)

// configured returns what a Reader makes of options.
func configured(opts ...wire.Option) options.Options {
	var r Reader
	r.Configure(opts...)
	return r.options
}

// TestOptionBounds sets options to values in and out of their bounds.
func TestOptionBounds(t *testing.T) {
	for _, c := range []struct {
		name   caseName
		option wire.Option
		want   options.Options
	}{
		{name("the smallest depth"), wire.MaxDepth(0), options.Options{Depth: 1}},
		{name("a depth below zero"), wire.MaxDepth(math.MinInt), options.Options{Depth: 1}},
		{name("a depth"), wire.MaxDepth(17), options.Options{Depth: 17}},
		{name("the largest depth"), wire.MaxDepth(wire.DepthMax), options.Options{Depth: wire.DepthMax}},
		{name("too deep"), wire.MaxDepth(math.MaxInt), options.Options{Depth: wire.DepthMax}},
		{name("no size"), wire.MaxSize(0), options.Options{Size: 1}},
		{name("a size below zero"), wire.MaxSize(math.MinInt), options.Options{Size: 1}},
		{name("a size"), wire.MaxSize(1000), options.Options{Size: 1000}},
		{name("too large"), wire.MaxSize(math.MaxInt), options.Options{Size: options.SizeMax}},
		{name("no elements"), wire.MaxElements(0), options.Options{Elements: -1}},
		{name("elements below zero"), wire.MaxElements(math.MinInt), options.Options{Elements: -1}},
		{name("all elements"), wire.MaxElements(math.MaxInt), options.Options{Elements: math.MaxInt}},
		{name("no memory"), wire.MaxMemory(0, 0), options.Options{MemoryPerByte: -1, MemoryBase: -1}},
		{name("memory below zero"), wire.MaxMemory(math.MinInt, math.MinInt), options.Options{MemoryPerByte: -1, MemoryBase: -1}},
		{name("all memory"), wire.MaxMemory(math.MaxInt, math.MaxInt), options.Options{MemoryPerByte: math.MaxInt, MemoryBase: math.MaxInt}},
	} {
		got, want := configured(c.option), configured()
		// A case has what differs from the defaults; -1 means 0.
		for _, f := range []struct{ to, from *int }{
			{&want.Depth, &c.want.Depth}, {&want.Size, &c.want.Size}, {&want.Elements, &c.want.Elements},
			{&want.MemoryPerByte, &c.want.MemoryPerByte}, {&want.MemoryBase, &c.want.MemoryBase},
		} {
			if *f.from != 0 {
				*f.to = max(*f.from, 0)
			}
		}
		if got != want {
			t.Errorf("%v: %+v, want %+v", c.name, got, want)
		}
	}
}

// TestOptionDefaults compares the defaults with the exported constants.
func TestOptionDefaults(t *testing.T) {
	var zero Reader
	if zero.Begin([]byte("{}")) == 0 || zero.options != configured() {
		t.Errorf("the zero Reader has the options %+v", zero.options)
	}
	want := options.Options{Depth: wire.DepthDefault, Size: wire.SizeDefault, Elements: wire.ElementsDefault, MemoryPerByte: wire.MemoryPerByteDefault, MemoryBase: wire.MemoryBaseDefault}
	if got := configured(); got != want {
		t.Errorf("the defaults are %+v, want %+v", got, want)
	}
	if wire.DepthDefault > wire.DepthMax || wire.SizeDefault > options.SizeMax {
		t.Error("a default is beyond what its option accepts")
	}
}

// TestLaterOptionsWin: of two contradicting options the second one counts.
func TestLaterOptionsWin(t *testing.T) {
	if got := configured(wire.Strict(), wire.Lenient(), wire.MaxDepth(3), wire.MaxDepth(5)); got.Mode != options.Lenient || got.Depth != 5 {
		t.Errorf("%+v", got)
	}
	if got := configured(wire.Lenient(), wire.Strict()); got.Mode != options.Strict {
		t.Errorf("%+v", got)
	}
	var r Reader
	r.Configure(wire.Lenient())
	r.Configure()
	if _, code := refused(&r, `"1"`, scalar(plainInt)); code != wire.CodeType {
		t.Errorf("a quoted integer gives %v in a Reader that is no longer lenient, want %v", code, wire.CodeType)
	}
}

// TestMemoryLimit decodes arrays of each kind with exactly the memory that they need, one byte more
// and one less.
func TestMemoryLimit(t *testing.T) {
	ints := func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) }
	strs := func(r *Reader, p, depth int) ([]string, int) { return r.Strings(new(Slab[string]), p, depth) }
	floats := func(r *Reader, p, depth int) ([]float64, int) { return r.Floats(new(Slab[float64]), p, depth) }
	bools := func(r *Reader, p, depth int) ([]bool, int) {
		return Scalars(r, new(Slab[bool]), p, depth, (*Reader).Bool)
	}
	for _, n := range []int{1, 2, 50} {
		for delta := -1; delta <= 1; delta++ {
			memoryLimitHolds(t, `["`+strings.Repeat(`","`, n-1)+`"]`, costOfArray(mem.SizeOf[string]()*n)+delta, delta, strs)
			memoryLimitHolds(t, `[1`+strings.Repeat(`,2`, n-1)+`]`, costOfArray(mem.SizeOf[int]()*n)+delta, delta, ints)
			memoryLimitHolds(t, `[1`+strings.Repeat(`,2`, n-1)+`]`, costOfArray(8*n)+delta, delta, floats)
			memoryLimitHolds(t, `[true`+strings.Repeat(`,false`, n-1)+`]`, costOfArray(n)+delta, delta, bools)
		}
	}
}

// memoryLimitHolds decodes a value with a budget that is too small if delta is negative.
func memoryLimitHolds[T any](t *testing.T, value string, budget, delta int, read reading[T]) {
	t.Helper()
	doc := []byte(`{"v":` + value + `}`)
	rs := readers(wire.MaxMemory(options.UnchargedPerByte, options.UnchargedBase+budget))
	_, err := decodeHolder(rs[0], doc, read)
	if (delta < 0) != (codeOf(err) == wire.CodeMemory) {
		t.Errorf("%.50s with a budget of %d bytes, %+d from what it needs: %v", value, budget, delta, err)
	}
	for i, m := range modes {
		againstMode(t, rs[i], m.mode, doc, oracle.Options{MemoryPerByte: options.UnchargedPerByte, MemoryBase: options.UnchargedBase + budget}, read)
	}
}

// TestElementsLimit decodes arrays around the limit, known and unknown.
func TestElementsLimit(t *testing.T) {
	for _, most := range []int{1, 2, 5} {
		rs := readers(wire.MaxElements(most))
		for n := range most + 3 {
			list := "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]"
			for _, doc := range []string{`{"v":` + list + `}`, `{"x":` + list + `}`, `{"v":5}`} {
				for i, m := range modes {
					o := oracle.Options{Elements: most}
					againstMode(t, rs[i], m.mode, []byte(doc), o, func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) })
					againstMode(t, rs[i], m.mode, []byte(doc), o, func(r *Reader, p, depth int) ([]float64, int) { return r.Floats(new(Slab[float64]), p, depth) })
				}
			}
			_, code := refused(rs[0], list, func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) })
			if (n > most) != (code == wire.CodeElements) {
				t.Errorf("%d elements with a limit of %d: %v", n, most, code)
			}
		}
	}
	if _, code := refused(readers(wire.MaxElements(0))[0], "[]", scalar(func(r *Reader, p int) ([]int, int) { return r.Ints(new(Slab[int]), p, 1) })); code != 0 {
		t.Errorf("an empty array with a limit of 0: %v", code)
	}
}
