package coder

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// These tests are about memory: slots never move while something points to them, free slots are
// zero, and retained memory is counted.

// thing is a slot with pointers.
type thing struct {
	name string
	next *thing
	n    int
}

// rich returns a reader with a large budget.
func rich() *Reader {
	r := new(Reader)
	r.memory = 1 << 30
	return r
}

// TestSlabNew: objects keep their place and value while the slab grows, and New returns them
// zeroed.
func TestSlabNew(t *testing.T) {
	r := rich()
	var s Slab[thing]
	for round := range 5 {
		var all []*thing
		for i := range 100 * (round + 1) {
			x := s.New(r)
			if *x != (thing{}) {
				t.Fatalf("round %d: object %d is new and holds %+v", round, i, *x)
			}
			*x = thing{"x", x, i}
			all = append(all, x)
		}
		for i, x := range all {
			if x.n != i || x.next != x {
				t.Fatalf("round %d: object %d has become %+v", round, i, *x)
			}
		}
		s.Reset()
		if s.Len() != 0 || slices.IndexFunc(s.buf, func(x thing) bool { return x != thing{} }) >= 0 {
			t.Fatalf("round %d: a slot is not zero after Reset", round)
		}
	}
}

// TestSlabArrays cuts arrays of every length out of one slab, with single objects between them.
// Each keeps its elements and has no spare capacity, and all free slots are zero.
func TestSlabArrays(t *testing.T) {
	r := rich()
	var s Slab[thing]
	type cut struct {
		list []thing
		id   int
	}
	var cuts []cut
	for id := range 200 {
		n := id * 7 % 23
		mark := s.Mark()
		for i := range n {
			e := s.Next(r, &mark)
			if *e != (thing{}) {
				t.Fatalf("array %d: element %d is new and holds %+v", id, i, *e)
			}
			e.n, e.name = id*1000+i, "e"
		}
		list := s.Cut(mark)
		if list == nil || len(list) != n || cap(list) != n {
			t.Fatalf("array %d: nil is %v, %d elements, capacity %d, want %d", id, list == nil, len(list), cap(list), n)
		}
		cuts = append(cuts, cut{list, id})
		s.New(r).n = -1
	}
	for _, c := range cuts {
		for i, e := range c.list {
			if e.n != c.id*1000+i {
				t.Fatalf("array %d: element %d has become %+v", c.id, i, e)
			}
		}
	}
	if slices.IndexFunc(s.buf[s.n:], func(x thing) bool { return x != thing{} }) >= 0 {
		t.Error("a free slot is not zero")
	}
}

// TestSlabMoveLeavesNothing: when an open array moves, its old slots are cleared. Otherwise they
// would keep values alive, and New would return them again.
func TestSlabMoveLeavesNothing(t *testing.T) {
	r := rich()
	s := Slab[thing]{buf: make([]thing, firstChunk[thing]())}
	first, chunk := s.New(r), s.buf
	mark := s.Mark()
	for range firstChunk[thing]() {
		s.Next(r, &mark).name = "moved"
	}
	if first != &chunk[0] || &chunk[0] == &s.buf[0] {
		t.Fatal("the array has not moved")
	}
	for i, x := range chunk {
		if x != (thing{}) {
			t.Errorf("slot %d of the old chunk holds %+v", i, x)
		}
	}
	if list := s.Cut(mark); len(list) != firstChunk[thing]() || list[0].name != "moved" {
		t.Errorf("%+v", list)
	}
}

// TestSlabScalars: Push and Put keep what they store.
func TestSlabScalars(t *testing.T) {
	r := rich()
	var s Slab[int]
	for round := range 4 {
		var puts []*int
		var arrays [][]int
		for i := range 60 {
			puts = append(puts, s.Put(r, i))
			mark := s.Mark()
			for j := range i % 9 {
				s.Push(r, &mark, 1000*i+j)
			}
			arrays = append(arrays, s.Cut(mark))
		}
		for i := range 60 {
			if *puts[i] != i {
				t.Fatalf("round %d: scalar %d is %d", round, i, *puts[i])
			}
			for j, v := range arrays[i] {
				if v != 1000*i+j {
					t.Fatalf("round %d: array %d is %v", round, i, arrays[i])
				}
			}
			if cap(arrays[i]) != len(arrays[i]) {
				t.Fatalf("array %d has capacity %d, want %d", i, cap(arrays[i]), len(arrays[i]))
			}
		}
		s.Reset()
		if s.Len() != 0 {
			t.Fatal("slots are in use after Reset")
		}
	}
}

// TestSlabUse: a slab first uses the memory that it is given, and then its own.
func TestSlabUse(t *testing.T) {
	r := rich()
	var s Slab[thing]
	given := make([]thing, 3)
	s.Use(given)
	for i := range given {
		if s.New(r) != &given[i] {
			t.Errorf("slot %d is not in the given memory", i)
		}
	}
	if x := s.New(r); x == nil || x == &given[0] {
		t.Error("the given memory is used twice")
	}
	s.Detach()
	if s.Len() != 0 || s.New(r) == nil {
		t.Error("a slab without memory does not work")
	}
}

// TestSlabBudget: when the budget is spent, nothing more is returned and the document is refused.
func TestSlabBudget(t *testing.T) {
	for _, hand := range []struct {
		name string
		cost func(size int) int
		next func(r *Reader, s *Slab[thing], list *[]thing) *thing
	}{
		{"New", costOfObject, func(r *Reader, s *Slab[thing], _ *[]thing) *thing { return s.New(r) }},
		{"Next", costOfArray, func(r *Reader, s *Slab[thing], _ *[]thing) *thing { mark := 0; return s.Next(r, &mark) }},
		{"Extend", costOfArray, func(r *Reader, _ *Slab[thing], list *[]thing) *thing { return Extend(r, list) }},
	} {
		r, s, list := rich(), new(Slab[thing]), []thing{}
		const objects = 10
		r.memory = objects * hand.cost(mem.SizeOf[thing]())
		for i := range objects {
			if hand.next(r, s, &list) == nil {
				t.Errorf("%s: object %d is refused", hand.name, i)
			}
		}
		if hand.next(r, s, &list) != nil || r.failed != wire.CodeMemory || r.failedAt != 0 {
			t.Errorf("%s: object %d is returned, or refused as %v", hand.name, objects, r.failed)
		}
	}
}

// TestExtend: the array grows by doubling, new elements are zero, and old ones keep their value.
func TestExtend(t *testing.T) {
	r := rich()
	var list []thing
	for i := range 1000 {
		before := cap(list)
		e := Extend(r, &list)
		if *e != (thing{}) || e != &list[i] {
			t.Fatalf("element %d is %+v", i, *e)
		}
		if cap(list) != before && cap(list) != max(4, 2*before) {
			t.Fatalf("the capacity has grown from %d to %d", before, cap(list))
		}
		e.n = i
	}
	for i := range list {
		if list[i].n != i {
			t.Fatalf("element %d has become %d", i, list[i].n)
		}
	}
}

// TestRetained: Retained counts the memory of reader and slabs, and Drop drops it.
func TestRetained(t *testing.T) {
	var r Reader
	var things Slab[thing]
	var numbers Slab[int]
	if r.Retained() != 0 {
		t.Errorf("Retained of a new reader is %d", r.Retained())
	}
	rnd := testkit.Rand(1)
	for range 50 {
		n := rnd.IntN(500)
		doc := []byte(`{"v":[` + strings.TrimSuffix(strings.Repeat("7,", n), ",") + `],"x":"` + strings.Repeat(`\n`, n) + `","\u0061":"` + strings.Repeat("b", 10*n) + `"}`)
		r.Configure(wire.MaxMemory(1<<20, 0))
		if _, err := decodeHolder(&r, doc, func(r *Reader, p, depth int) ([]int, int) { return r.Ints(&numbers, p, depth) }); err != nil {
			t.Fatal(err)
		}
		for range n {
			things.New(&r)
		}
		kept := len(r.kept)*blockBytes + len(r.unescaped.buf)
		kept += len(things.buf)*mem.SizeOf[thing]() + len(numbers.buf)*mem.SizeOf[int]()
		if r.Retained() != kept {
			t.Fatalf("Retained is %d, want %d", r.Retained(), kept)
		}
		things.Reset()
		numbers.Reset()
		r.Reset()
	}
	r.Drop()
	things.Detach()
	numbers.Detach()
	if r.Retained() != 0 {
		t.Errorf("Retained is %d after Drop", r.Retained())
	}
	if blockBytes != unsafe.Sizeof(*r.blocks.At(0)) && r.kept != nil {
		t.Error("blockBytes is not the size of a block")
	}
}

// TestForget: after Reset the reader holds nothing of the document.
func TestForget(t *testing.T) {
	var r Reader
	r.Configure(wire.Lenient())
	if _, err := decodeHolder(&r, []byte(`{"v":5,"\u0061":true}`), scalar((*Reader).AnyString)); err != nil || len(r.Saved()) != 1 {
		t.Fatalf("%v, saved %v", err, r.Saved())
	}
	saved := r.Saved()
	r.Reset()
	if r.data != nil || !reflect.ValueOf(r.t).IsZero() || len(r.Saved()) != 0 || saved[0] != (wire.Saved{}) || r.unescaped.used != 0 {
		t.Errorf("the reader still holds part of the document; saved %v", r.Saved())
	}
}
