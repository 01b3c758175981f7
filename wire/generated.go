package wire

import "math"

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
	var zero T
	*s = append(*s, zero)
	return &(*s)[len(*s)-1]
}

// Integer reads an integer of any type; one that does not fit is refused.
func Integer[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](r *Reader, p int) (T, int) {
	v, q := r.wide(p)
	if q <= 0 {
		return 0, q
	}
	t := T(v.abs)
	if v.negative {
		t = -t
	}
	if uint64(t) != v.bits() || (t < 0) != (v.negative && v.abs != 0) {
		return 0, r.Refuse(CodeRange, p)
	}
	return t, q
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

// wide reads an integer up to 64 bits, signed or not.
func (r *Reader) wide(p int) (wideInt, int) {
	b := r.t.at(p)
	if b != '-' && b-'0' > 9 {
		v, q := r.SlowInt(p) // null, lenient, or refused
		return wideInt{abs: uint64(max(v, -v)), negative: v < 0}, q
	}
	end, whole := r.number(p)
	if end == 0 {
		return wideInt{}, 0
	}
	if !whole {
		v, q := r.SlowInt(p)
		return wideInt{abs: uint64(max(v, -v)), negative: v < 0}, q
	}
	var v wideInt
	i := p
	if b == '-' {
		v.negative = true
		i++
	}
	for ; i < end; i++ {
		d := uint64(r.t.at(i) - '0')
		if v.abs > (math.MaxUint64-d)/10 {
			return wideInt{}, r.Refuse(CodeRange, p)
		}
		v.abs = v.abs*10 + d
	}
	return v, end
}

// Float32 reads a number as the nearest float32; one beyond its range is refused.
func (r *Reader) Float32(p int) (float32, int) {
	v, q := r.Float(p)
	if q <= 0 {
		return 0, q
	}
	if math.Abs(v) > math.MaxFloat32 {
		return 0, r.Refuse(CodeRange, p)
	}
	return float32(v), q
}
