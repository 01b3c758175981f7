package wire

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/twin"
)

// This file is about the options: what values outside of their bounds mean, and that the limits hold exactly.

func TestOptionBounds(t *testing.T) {
	for _, c := range []struct {
		name   caseName
		option Option
		want   Options
	}{
		{name("the least depth"), MaxDepth(0), Options{depth: 1}},
		{name("a depth below zero"), MaxDepth(math.MinInt), Options{depth: 1}},
		{name("a depth"), MaxDepth(17), Options{depth: 17}},
		{name("the largest depth"), MaxDepth(DepthMost), Options{depth: DepthMost}},
		{name("too deep"), MaxDepth(math.MaxInt), Options{depth: DepthMost}},
		{name("no size"), MaxSize(0), Options{size: 1}},
		{name("a size below zero"), MaxSize(math.MinInt), Options{size: 1}},
		{name("a size"), MaxSize(1000), Options{size: 1000}},
		{name("too large"), MaxSize(math.MaxInt), Options{size: sizeMost}},
		{name("no elements"), MaxElements(0), Options{elements: -1}},
		{name("elements below zero"), MaxElements(math.MinInt), Options{elements: -1}},
		{name("all elements"), MaxElements(math.MaxInt), Options{elements: math.MaxInt}},
		{name("no memory"), MaxMemory(0, 0), Options{memoryPerByte: -1, memoryBase: -1}},
		{name("memory below zero"), MaxMemory(math.MinInt, math.MinInt), Options{memoryPerByte: -1, memoryBase: -1}},
		{name("all memory"), MaxMemory(math.MaxInt, math.MaxInt), Options{memoryPerByte: math.MaxInt, memoryBase: math.MaxInt}},
	} {
		got, want := NewOptions(c.option), NewOptions()
		// A case names what differs from the defaults; -1 stands for 0 there.
		for _, f := range []struct{ to, from *int }{
			{&want.depth, &c.want.depth}, {&want.size, &c.want.size}, {&want.elements, &c.want.elements},
			{&want.memoryPerByte, &c.want.memoryPerByte}, {&want.memoryBase, &c.want.memoryBase},
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

func TestOptionDefaults(t *testing.T) {
	var zero Reader
	if zero.Begin([]byte("{}")) == 0 || zero.options != NewOptions() {
		t.Errorf("the zero Reader has the options %+v", zero.options)
	}
	want := Options{depth: DepthDefault, size: SizeDefault, elements: ElementsDefault, memoryPerByte: MemoryPerByteDefault, memoryBase: MemoryBaseDefault}
	if got := NewOptions(); got != want {
		t.Errorf("the defaults are %+v, want %+v", got, want)
	}
	if DepthDefault > DepthMost || SizeDefault > sizeMost {
		t.Error("a default is beyond what its option accepts")
	}
}

// TestLaterOptionsWin: of two options that say different things the second one counts.
func TestLaterOptionsWin(t *testing.T) {
	if got := NewOptions(Strict(), Lenient(), MaxDepth(3), MaxDepth(5)); got.mode != modeLenient || got.depth != 5 {
		t.Errorf("%+v", got)
	}
	if got := NewOptions(Lenient(), Strict()); got.mode != modeStrict {
		t.Errorf("%+v", got)
	}
	var r Reader
	r.Configure(NewOptions(Lenient()))
	r.Configure(NewOptions())
	if _, code := refused(&r, `"1"`, scalar(plainInt)); code != CodeType {
		t.Errorf("a Reader that was lenient before refuses a quoted integer as %v, want %v", code, CodeType)
	}
}

// TestBudget: the memory budget never wraps, however large its parts and the document are.
func TestBudget(t *testing.T) {
	for _, c := range []struct {
		name          caseName
		perByte, base int
		n, want       int
	}{
		{name("the defaults"), MemoryPerByteDefault, MemoryBaseDefault, 1000, 60_000 + 60<<10},
		{name("nothing"), 0, 0, 1000, 0},
		{name("less than what is set aside"), unchargedPerByte - 1, unchargedBase - 1, 1000, 0},
		{name("exactly what is set aside"), unchargedPerByte, unchargedBase, 1000, 0},
		{name("one more"), unchargedPerByte + 1, unchargedBase + 1, 1000, 1001},
		{name("the base alone is all"), 0, math.MaxInt, 1000, math.MaxInt - unchargedBase},
		{name("all by bytes"), math.MaxInt, 0, 1000, math.MaxInt},
		{name("all of both"), math.MaxInt, math.MaxInt, sizeMost, math.MaxInt},
		{name("just beyond an int"), math.MaxInt/1000 + unchargedPerByte + 1, 0, 1000, math.MaxInt},
		{name("exactly what wraps to nothing"), 1<<(strconv.IntSize-20) + unchargedPerByte, 0, 1 << 20, math.MaxInt},
		{name("no bytes"), math.MaxInt, unchargedBase + 7, 0, 7},
	} {
		o := NewOptions(MaxMemory(c.perByte, c.base))
		if got := o.budget(c.n); got != c.want {
			t.Errorf("%v: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestMemoryLimit finds the smallest base that a document is accepted with, for arrays of each kind, and holds it and
// the one below against the twin.
func TestMemoryLimit(t *testing.T) {
	ints := func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) }
	strs := func(r *Reader, p, depth int) ([]string, int) { return r.Strings(new(Slab[string]), p, depth) }
	floats := func(r *Reader, p, depth int) ([]float64, int) { return r.Floats(new(Slab[float64]), p, depth) }
	bools := func(r *Reader, p, depth int) ([]bool, int) {
		return Scalars(r, new(Slab[bool]), p, depth, (*Reader).Bool)
	}
	for _, n := range []int{1, 2, 50} {
		for delta := -1; delta <= 1; delta++ {
			memoryLimitHolds(t, `["`+strings.Repeat(`","`, n-1)+`"]`, growth*size[string]()*n+delta, delta, strs)
			memoryLimitHolds(t, `[1`+strings.Repeat(`,2`, n-1)+`]`, growth*size[int]()*n+delta, delta, ints)
			memoryLimitHolds(t, `[1`+strings.Repeat(`,2`, n-1)+`]`, growth*8*n+delta, delta, floats)
			memoryLimitHolds(t, `[true`+strings.Repeat(`,false`, n-1)+`]`, growth*n+delta, delta, bools)
		}
	}
}

// memoryLimitHolds decodes a value with a budget, which is too small if delta is below 0.
func memoryLimitHolds[T any](t *testing.T, value string, budget, delta int, read reading[T]) {
	t.Helper()
	doc := []byte(`{"v":` + value + `}`)
	rs := readers(MaxMemory(unchargedPerByte, unchargedBase+budget))
	_, err := decodeHolder(rs[0], doc, read)
	if (delta < 0) != (codeOf(err) == CodeMemory) {
		t.Errorf("%.50s with %d bytes, %d from what it takes: %v", value, budget, delta, err)
	}
	for i, m := range modes {
		againstMode(t, rs[i], m.mode, doc, twin.Options{MemoryPerByte: unchargedPerByte, MemoryBase: unchargedBase + budget}, read)
	}
}

func TestElementsLimit(t *testing.T) {
	for _, most := range []int{1, 2, 5} {
		rs := readers(MaxElements(most))
		for n := range most + 3 {
			list := "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]"
			for _, doc := range []string{`{"v":` + list + `}`, `{"x":` + list + `}`, `{"v":5}`} {
				for i, m := range modes {
					o := twin.Options{Elements: most}
					againstMode(t, rs[i], m.mode, []byte(doc), o, func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) })
					againstMode(t, rs[i], m.mode, []byte(doc), o, func(r *Reader, p, depth int) ([]float64, int) { return r.Floats(new(Slab[float64]), p, depth) })
				}
			}
			_, code := refused(rs[0], list, func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) })
			if (n > most) != (code == CodeElements) {
				t.Errorf("%d elements with a limit of %d: %v", n, most, code)
			}
		}
	}
	if _, code := refused(readers(MaxElements(0))[0], "[]", scalar(func(r *Reader, p int) ([]int, int) { return r.Ints(new(Slab[int]), p, 1) })); code != 0 {
		t.Errorf("an empty array with a limit of 0: %v", code)
	}
}
