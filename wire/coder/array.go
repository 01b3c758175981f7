package coder

import (
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
)

// This file reads arrays: their brackets and commas, and whole arrays of scalars.

// OpenArray reads what may begin an array at p: a bracket, null, or in lenient mode one bare
// value. It returns the position of the first element and whether there is one, or, with
// more false: the position after the empty array, the negated position after null, or 0.
func (r *Reader) OpenArray(p, depth int) (first int, more, bare bool) {
	if r.t.At(p) != '[' {
		if r.Bare(p) {
			return p, true, true
		}
		return r.null(p, "array"), false, false
	}
	if depth <= 0 {
		return r.Refuse(wire.CodeDepth, p), false, false
	}
	p++
	if r.t.At(p) <= ' ' {
		p = r.space(p)
	}
	if r.t.At(p) == ']' {
		r.notes |= wire.NoteEmptyArray
		return p + 1, false, false
	}
	return p, true, false
}

// NextElement reads what follows an element: it returns the position of the next one, or,
// with more false, the position after the array, or 0.
func (r *Reader) NextElement(p int) (next int, more bool) {
	c := r.t.At(p)
	if c <= ' ' {
		p = r.space(p)
		c = r.t.At(p)
	}
	switch c {
	case ',':
		p++
		if r.t.At(p) <= ' ' {
			p = r.space(p)
		}
		return p, true
	case ']':
		return p + 1, false
	}
	return r.Refuse(wire.CodeSyntax, p), false
}

// Elements refuses an array of n elements that begins at p if that is too many.
func (r *Reader) Elements(n, p, end int) int {
	if n > r.options.Elements {
		return r.Refuse(wire.CodeElements, p)
	}
	return end
}

// closeScalars ends the array of scalars that began at start and in the slab at mark.
func closeScalars[T any](r *Reader, s *Slab[T], mark, start, end int) ([]T, int) {
	n := s.n - mark
	if !r.charge(n, mem.SizeOf[T]()) {
		return nil, 0
	}
	return s.Cut(mark), r.Elements(n, start, end)
}

// charge takes the memory of n elements of an array from the budget.
func (r *Reader) charge(n, size int) bool {
	need := uint64(costOfArray(size*8)) * uint64(n) / 8 // an int may be too small for it
	if need > uint64(r.memory) {
		r.Refuse(wire.CodeMemory, 0)
		r.memory = -1
		return false
	}
	r.memory -= int(need)
	return true
}

// Scalars reads an array of scalars with the function that reads one; null elements are zero
// values. The array's memory comes from the slab.
func Scalars[T any](r *Reader, s *Slab[T], p, depth int, read func(r *Reader, p int) (T, int)) ([]T, int) {
	start := p
	p, more, bare := r.OpenArray(p, depth)
	mark := s.Mark()
	if !more {
		if p <= 0 {
			return nil, p
		}
		return s.Cut(mark), p
	}
	for more {
		v, q := read(r, p)
		if q <= 0 {
			if q == 0 {
				return nil, 0
			}
			q = -q
		}
		s.Push(r, &mark, v)
		if bare {
			p = q
			break
		}
		p, more = r.NextElement(q)
	}
	if p == 0 {
		return nil, 0
	}
	return closeScalars(r, s, mark, start, p)
}

// Strings reads an array of strings. It is Scalars written out, for speed.
func (r *Reader) Strings(s *Slab[string], p, depth int) ([]string, int) {
	if r.lenient || r.t.At(p) != '[' || depth <= 0 {
		return Scalars(r, s, p, depth, (*Reader).AnyString)
	}
	start, mark, n := p, s.n, s.n
	if p++; r.t.At(p) <= ' ' {
		p = r.space(p)
	}
	if r.t.At(p) == ']' {
		r.notes |= wire.NoteEmptyArray
		return []string{}, p + 1
	}
	for {
		v, q := r.String(p)
		if q < 0 {
			if v, q = r.SlowString(p); q <= 0 {
				if q == 0 {
					s.n = n // what has been stored is to be cleared
					return nil, 0
				}
				q = -q
			}
		}
		if n == len(s.buf) {
			s.n = n
			s.moveScalars(r, &mark)
			n = s.n
		}
		s.buf[n] = v
		n++
		p = q
		c := r.t.At(p)
		if c <= ' ' {
			p = r.space(p)
			c = r.t.At(p)
		}
		if c != ',' {
			if c != ']' {
				s.n = n
				return nil, r.Refuse(wire.CodeSyntax, p)
			}
			s.n = n
			if !r.charge(n-mark, mem.SizeOf[string]()) {
				return nil, 0
			}
			return s.buf[mark:n:n], r.Elements(n-mark, start, p+1)
		}
		if p++; r.t.At(p) <= ' ' {
			p = r.space(p)
		}
	}
}

// Ints reads an array of integers. It is Scalars written out, for speed.
func (r *Reader) Ints(s *Slab[int], p, depth int) ([]int, int) {
	if r.lenient || r.t.At(p) != '[' || depth <= 0 {
		return Scalars(r, s, p, depth, (*Reader).anyInt)
	}
	start, mark, n := p, s.n, s.n
	if p++; r.t.At(p) <= ' ' {
		p = r.space(p)
	}
	if r.t.At(p) == ']' {
		r.notes |= wire.NoteEmptyArray
		return []int{}, p + 1
	}
	for {
		v, q := r.Int(p)
		if q < 0 {
			if v, q = r.SlowInt(p); q <= 0 {
				if q == 0 {
					return nil, 0
				}
				q = -q
			}
		}
		if n == len(s.buf) {
			s.n = n
			s.moveScalars(r, &mark)
			n = s.n
		}
		s.buf[n] = v
		n++
		p = q
		c := r.t.At(p)
		if c <= ' ' {
			p = r.space(p)
			c = r.t.At(p)
		}
		if c != ',' {
			if c != ']' {
				return nil, r.Refuse(wire.CodeSyntax, p)
			}
			s.n = n
			if !r.charge(n-mark, mem.SizeOf[int]()) {
				return nil, 0
			}
			return s.buf[mark:n:n], r.Elements(n-mark, start, p+1)
		}
		if p++; r.t.At(p) <= ' ' {
			p = r.space(p)
		}
	}
}

// Floats reads an array of numbers.
func (r *Reader) Floats(s *Slab[float64], p, depth int) ([]float64, int) {
	return Scalars(r, s, p, depth, (*Reader).Float)
}

// CastInts returns s as a slice of another integer type. The memory is the same, except in
// builds without unsafe code.
func CastInts[T ~int](s []int) []T { return mem.CastInts[T](s) }
