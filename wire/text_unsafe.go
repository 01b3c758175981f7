//go:build !nounsafe && !purego

package wire

import (
	"unsafe"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
)

// text is the document, read without bounds checks. The decoder never reads at a position it
// has not proved: the document ends in a closing brace, and a byte that is not the last one
// is followed by another (see Reader).
type text struct{ p unsafe.Pointer }

func textOf(data []byte) text { return text{unsafe.Pointer(unsafe.SliceData(data))} }

func (t text) at(i int) byte { return *(*byte)(unsafe.Add(t.p, i)) }

// word returns the 8 bytes from i on, the first one lowest.
func (t text) word(i int) uint64 { return leWord(*(*uint64)(unsafe.Add(t.p, i))) }

// stringHeader is what a string is made of. Building it costs nothing, where unsafe.String
// checks a length that is known to be right.
type stringHeader struct {
	p unsafe.Pointer
	n int
}

// str returns the text from i to j without copying it.
func (t text) str(i, j int) string {
	h := stringHeader{unsafe.Add(t.p, i), j - i}
	return *(*string)(unsafe.Pointer(&h))
}

// blocks is the index of the document, read without bounds checks.
type blocks struct{ p unsafe.Pointer }

func blocksOf(b []jsonindex.Block) blocks { return blocks{unsafe.Pointer(unsafe.SliceData(b))} }

func (b blocks) at(i uint) *jsonindex.Block {
	return (*jsonindex.Block)(unsafe.Add(b.p, i*uint(unsafe.Sizeof(jsonindex.Block{}))))
}

// raw returns the text from i to j without copying it; appending to it copies.
func (t text) raw(i, j int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(t.p, i)), j-i)[: j-i : j-i]
}

// bytesAsString returns b as a string without copying it; b must not change any more.
func bytesAsString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// CastInts returns s as a slice of another integer type with the same memory.
func CastInts[T ~int](s []int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), cap(s))[:len(s)]
}

// ZeroCopy tells whether this build decodes strings without copying them.
const ZeroCopy = true

// size is the size of a T in bytes.
func size[T any]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// offsetIn returns where part begins in data, if it is a piece of it.
func offsetIn(data, part []byte) (int, bool) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	return int(at), len(part) > 0 && at <= uintptr(len(data)-len(part)) && len(part) <= len(data)
}

// stringBytes returns the bytes of s without copying them; they must not be changed.
func stringBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// overlap reports whether the free room of dst holds bytes of b.
func overlap(dst, b []byte) bool {
	if len(b) == 0 || cap(dst) == len(dst) {
		return false
	}
	free := uintptr(unsafe.Pointer(unsafe.SliceData(dst))) + uintptr(len(dst))
	end := free + uintptr(cap(dst)-len(dst))
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return from < end && free < from+uintptr(len(b))
}
