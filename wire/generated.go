package wire

// GenVersion is what generated code needs of this package. It grows when the code and the
// package have to change together.
const GenVersion = 1

// TooDeep refuses the object whose content begins at p.
func (r *Reader) TooDeep(p int) int { return r.Refuse(CodeDepth, p-1) }

// Extend appends a zero element for generated code whose array can't stay open in a slab.
// It returns nil when the memory budget is spent.
func Extend[T any](r *Reader, s *[]T) *T {
	if r.memory -= growth * size[T](); r.memory < 0 {
		r.Refuse(CodeMemory, 0)
		return nil
	}
	n := len(*s)
	if n == cap(*s) { // append grows large slices in smaller steps, which add up to more
		grown := make([]T, n, max(firstChunk[T](), 2*n))
		copy(grown, *s)
		*s = grown
	}
	*s = (*s)[:n+1]
	return &(*s)[n]
}

// Integer reads an integer of any type; one that does not fit is refused.
func Integer[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](r *Reader, p int) (T, int) {
	v, code, q := r.wide(p)
	if q <= 0 {
		return 0, q
	}
	t, ok := fit[T](v)
	if !ok {
		return 0, r.Refuse(CodeRange, p)
	}
	if code != 0 {
		r.save(code, p)
	}
	return t, q
}

// fit returns v as a T, and whether a T can hold it.
func fit[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](v wideInt) (T, bool) {
	t := T(v.abs)
	if v.negative {
		t = -t
	}
	return t, uint64(t) == v.bits() && (t < 0) == (v.negative && v.abs != 0)
}

// wideInt is an integer of 64 bits and a sign.
type wideInt struct {
	abs      uint64
	negative bool
}

func (v wideInt) bits() uint64 {
	if v.negative {
		return -v.abs
	}
	return v.abs
}

// wide reads an integer up to 64 bits, signed or not. code is what lenient mode is to save it
// with, 0 if nothing had to be put right.
func (r *Reader) wide(p int) (v wideInt, code Code, end int) {
	b := r.t.at(p)
	if b != '-' && b-'0' > 9 {
		if r.lenient && b != 'n' {
			return r.lenientWide(p)
		}
		return v, 0, r.null(p)
	}
	end, whole := r.number(p)
	switch {
	case end == 0:
		return v, 0, 0
	case !whole && r.lenient:
		return r.lenientWide(p)
	case !whole:
		return v, 0, r.Refuse(CodeInteger, p)
	}
	v, ok := towardZero(r.t.str(p, end))
	if !ok {
		return v, 0, r.Refuse(CodeRange, p)
	}
	return v, 0, end
}

// Float32 reads a number as the nearest float32; one beyond its range is refused.
func (r *Reader) Float32(p int) (float32, int) {
	v, q := r.floatOf(p, 32) // by way of the nearest float64 it would be rounded twice
	return float32(v), q
}
