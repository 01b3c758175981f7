package coder

import (
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
)

// Slab is memory for many values of one type: a field of type *T gets the address of a slot,
// an array the slots one after the other. The slots beyond those in use are zero, except after
// Rewind.
type Slab[T any] struct {
	buf []T
	n   int // slots in use, 0 ≤ n ≤ len(buf)
}

// chunkMin is the size of a slab's first chunk in bytes, if more than one element fits it: a
// value that no arena owns has chunks of its own, most of which hold one or two elements.
const chunkMin = 256

// firstChunk is the number of slots of a slab's first chunk.
func firstChunk[T any]() int { return max(1, chunkMin/max(1, mem.SizeOf[T]())) }

// What a value of some size can make a decoder allocate, and what the memory budget is charged.
// Chunks double, so that all chunks together have at most twice the slots in use, and as many again
// that are not in use yet: an object costs twice its size. An array that does not fit its chunk
// moves to the next one and abandons its old slots: it costs four times its size. The allocator
// rounds chunks up by an eighth on top of that, but for the smallest ones, for which
// options.UnchargedBase has room.
func costOfObject(size int) int { return size * 9 / 4 }
func costOfArray(size int) int  { return size * 9 / 2 }

// New returns a zero object, or nil when the budget is spent.
func (s *Slab[T]) New(r *Reader) *T {
	if r.memory -= costOfObject(mem.SizeOf[T]()); r.memory < 0 {
		return s.spent(r)
	}
	n, buf := s.n, s.buf
	if uint(n) >= uint(len(buf)) {
		return s.newChunk(r)
	}
	s.n = n + 1
	return &buf[n]
}

// newChunk is New when the chunk is full.
//
//go:noinline
func (s *Slab[T]) newChunk(r *Reader) *T {
	s.grow(r)
	s.n = 1
	return &s.buf[0]
}

func (s *Slab[T]) spent(r *Reader) *T {
	r.Refuse(wire.CodeMemory, 0)
	return nil
}

// grow goes on in a larger chunk. The old one stays with the values that point into it.
func (s *Slab[T]) grow(r *Reader) {
	n := max(firstChunk[T](), 2*len(s.buf))
	r.retained += (n - len(s.buf)) * mem.SizeOf[T]()
	s.buf, s.n = make([]T, n), 0
}

// Mark is where an array begins that is about to be appended with Next or Push and cut out
// with Cut. Between Mark and Cut nothing else may use the slab.
func (s *Slab[T]) Mark() int { return s.n }

// Next appends one zero element to the array that began at mark. The array may move: mark is
// updated. It returns nil when the budget is spent.
func (s *Slab[T]) Next(r *Reader, mark *int) *T {
	if r.memory -= costOfArray(mem.SizeOf[T]()); r.memory < 0 {
		return s.spent(r)
	}
	if s.n == len(s.buf) {
		s.move(r, mark)
	}
	s.n++
	return &s.buf[s.n-1]
}

// Push appends a scalar to the array that began at mark. It is charged when the array ends;
// see moveScalars.
func (s *Slab[T]) Push(r *Reader, mark *int, v T) {
	if s.n == len(s.buf) {
		s.moveScalars(r, mark)
	}
	s.buf[s.n] = v
	s.n++
}

// Put stores a scalar and returns its address. It is not charged: it has a key, so that its text
// is about as long as what it can cost; see options.UnchargedPerByte.
func (s *Slab[T]) Put(r *Reader, v T) *T {
	if s.n == len(s.buf) {
		s.grow(r)
	}
	p := &s.buf[s.n]
	*p = v
	s.n++
	return p
}

// moveScalars is move for scalars, which are charged where their array ends. An array that costs
// more than the budget already will be refused there, unless something else is wrong before. So it
// gets no more memory: its elements go on being counted, but each is written over the last one.
func (s *Slab[T]) moveScalars(r *Reader, mark *int) {
	if n := s.n - *mark; n > 0 && r.memory/n < costOfArray(mem.SizeOf[T]()) {
		s.n--
		*mark--
		return
	}
	s.move(r, mark)
}

// move takes the open array to a chunk with more room.
func (s *Slab[T]) move(r *Reader, mark *int) {
	old, open := s.buf, s.buf[*mark:s.n]
	s.buf = nil
	r.retained -= len(old) * mem.SizeOf[T]()
	n := max(firstChunk[T](), 2*len(old))
	r.retained += n * mem.SizeOf[T]()
	s.buf = make([]T, n)
	s.n = copy(s.buf, open)
	*mark = 0
	clear(open) // the slots that the array has left are not part of any value
}

// Cut returns the array that began at mark. Its capacity is its length: appending copies. An
// empty array is not nil.
func (s *Slab[T]) Cut(mark int) []T {
	if mark == s.n {
		return []T{}
	}
	return s.buf[mark:s.n:s.n]
}

// Len is the number of slots in use in the current chunk.
func (s *Slab[T]) Len() int { return s.n }

// Use makes the slab take its slots from buf, which is zero.
func (s *Slab[T]) Use(buf []T) { s.buf, s.n = buf, 0 }

// Reset makes all slots free for the next document and zero, so that they keep nothing alive.
func (s *Slab[T]) Reset() {
	if s.n == 1 { // by far the most common case; it needs no call
		var zero T
		s.buf[0] = zero
	} else {
		clear(s.buf[:s.n])
	}
	s.n = 0
}

// Rewind is Reset for numbers and booleans, which point to nothing and are written before they
// are read: it clears nothing.
func (s *Slab[T]) Rewind() { s.n = 0 }

// Detach leaves the slab's memory to the values in it.
func (s *Slab[T]) Detach() { s.buf, s.n = nil, 0 }

// Extend appends a zero element for generated code whose array can't stay open in a slab.
// It returns nil when the memory budget is spent.
func Extend[T any](r *Reader, s *[]T) *T {
	if r.memory -= costOfArray(mem.SizeOf[T]()); r.memory < 0 {
		r.Refuse(wire.CodeMemory, 0)
		return nil
	}
	n := len(*s)
	if n == cap(*s) { // append grows large slices in smaller steps, which add up to more
		grown := make([]T, n, max(4, 2*n)) // one element is charged for as much
		copy(grown, *s)
		*s = grown
	}
	*s = (*s)[:n+1]
	return &(*s)[n]
}
