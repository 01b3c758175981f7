package coder

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// Owners finds the arena that a decoded value is memory of by the value's address. So the types
// that are decoded need no field for their arena, and a pointer that a caller passes is not
// followed before it is known to point into one.
//
// An arena whose value is never released is collected like any other memory. Its addresses are
// forgotten before that memory is used again. Lookups take no lock. The zero value is ready.
type Owners[A any] struct {
	mu    sync.Mutex // held by those who write to the table
	table atomic.Pointer[ownerTable[A]]
}

// ownerTable is a hash table of roots, the places in arenas where decoded values are. Roots that
// collide are in the slots that follow. At most half of the slots are used.
type ownerTable[A any] struct {
	slots []ownerSlot[A]
	shift uint8 // of a hash of 64 bits, so that the number of a slot is left
	used  int   // slots that are not free
	gone  int   // those of them whose arena has been collected
}

type ownerSlot[A any] struct {
	root  atomic.Uintptr // an address, rootFree or rootGone
	arena mem.Outer[A]   // written before the address
}

const (
	rootFree = 0
	rootGone = 1
)

// ownersMin is the number of slots of the smallest table.
const ownersMin = 64

// Address returns the address of v. It does not keep v alive.
func Address[T any](v *T) uintptr { return mem.AddressOf(v) }

// Addresses returns the addresses of the elements.
func Addresses[T any](roots []T) (list []uintptr) {
	for i := range roots {
		list = append(list, Address(&roots[i]))
	}
	return list
}

// Own notes which roots are memory of arena a. It is called once for each arena, which has to be
// an allocation of its own and may not point to itself: the collector would never free it.
func (o *Owners[A]) Own(a *A, roots ...[]uintptr) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, list := range roots {
		t := o.table.Load()
		if t == nil || 2*(t.used+len(list)) > len(t.slots) {
			t = t.rebuilt(len(list))
			o.table.Store(t)
		}
		for _, root := range list {
			t.put(root, mem.OuterOf(a, root))
		}
	}
	// A finalizer and not a cleanup, which would run when the memory may be in use again.
	runtime.SetFinalizer(a, func(*A) {
		for _, list := range roots {
			o.forget(list)
		}
	})
}

// Owner returns the arena that v is a root of, or nil. v may be any pointer but nil.
func Owner[A, T any](o *Owners[A], v *T) *A {
	t := o.table.Load()
	if t == nil {
		return nil
	}
	address := Address(v)
	for i := t.slot(address); ; i++ {
		s := &t.slots[i&uint(len(t.slots)-1)]
		switch s.root.Load() {
		case address:
			return mem.OuterFrom(s.arena, v)
		case rootFree:
			return nil
		}
	}
}

// forget removes roots whose arena is about to be collected.
func (o *Owners[A]) forget(roots []uintptr) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.table.Load()
	for _, root := range roots {
		i := t.slot(root)
		for t.slots[i&uint(len(t.slots)-1)].root.Load() != root {
			i++
		}
		t.slots[i&uint(len(t.slots)-1)].root.Store(rootGone)
		t.gone++
	}
}

// slot is where the search for an address begins.
func (t *ownerTable[A]) slot(address uintptr) uint {
	const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	return uint(uint64(address) * golden >> (t.shift & 63))
}

// put adds a root.
func (t *ownerTable[A]) put(root uintptr, arena mem.Outer[A]) {
	i := t.slot(root)
	for t.slots[i&uint(len(t.slots)-1)].root.Load() != rootFree {
		i++
	}
	s := &t.slots[i&uint(len(t.slots)-1)]
	s.arena = arena
	s.root.Store(root)
	t.used++
}

// rebuilt returns a table without the roots that are gone, and with room for so many more that
// it is some time before the next one.
func (t *ownerTable[A]) rebuilt(more int) *ownerTable[A] {
	size := ownersMin
	if t != nil {
		more += t.used - t.gone
	}
	for size < 4*more {
		size *= 2
	}
	out := &ownerTable[A]{slots: make([]ownerSlot[A], size), shift: uint8(64 - bits.TrailingZeros(uint(size)))}
	if t != nil {
		for i := range t.slots {
			if root := t.slots[i].root.Load(); root != rootFree && root != rootGone {
				out.put(root, t.slots[i].arena)
			}
		}
	}
	return out
}
