//go:build !nounsafe && !purego

package mem

import (
	"unsafe"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
)

// ZeroCopy reports whether this build makes strings without copying bytes.
const ZeroCopy = true

// Text is a document that is read without bounds checks. Its reader proves every position
// first: a document ends in a closing brace, and every other byte has a next one.
type Text struct{ p unsafe.Pointer }

// TextOf returns data as a Text. It keeps data alive.
func TextOf(data []byte) Text { return Text{unsafe.Pointer(unsafe.SliceData(data))} }

// At returns the byte at i.
func (t Text) At(i int) byte { return *(*byte)(unsafe.Add(t.p, i)) }

// Word returns the 8 bytes from i on, the first one lowest.
func (t Text) Word(i int) uint64 { return leWord(*(*uint64)(unsafe.Add(t.p, i))) }

// stringHeader is the layout of a string. Filling it in costs nothing; unsafe.String checks a
// length that is known to be right.
type stringHeader struct {
	p unsafe.Pointer
	n int
}

// String returns the text from i to j without copying it.
func (t Text) String(i, j int) string {
	h := stringHeader{unsafe.Add(t.p, i), j - i}
	return *(*string)(unsafe.Pointer(&h))
}

// Bytes returns the text from i to j without copying it. Appending to it copies.
func (t Text) Bytes(i, j int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(t.p, i)), j-i)[: j-i : j-i]
}

// Blocks is the index of a document, read without bounds checks.
type Blocks struct{ p unsafe.Pointer }

// BlocksOf returns b as Blocks. It keeps b alive.
func BlocksOf(b []jsonindex.Block) Blocks { return Blocks{unsafe.Pointer(unsafe.SliceData(b))} }

// At returns block i.
func (b Blocks) At(i uint) *jsonindex.Block {
	return (*jsonindex.Block)(unsafe.Add(b.p, i*uint(unsafe.Sizeof(jsonindex.Block{}))))
}

// String returns b as a string without copying it. b must not change afterwards.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Bytes returns the bytes of s without copying them. They must not be changed.
func Bytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// CastInts returns s as a slice of another integer type with the same memory.
func CastInts[T ~int](s []int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), cap(s))[:len(s)]
}

// SizeOf returns the size of a T in bytes.
func SizeOf[T any]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// AddressOf returns the address of v. It does not keep v alive.
func AddressOf[T any](v *T) uintptr { return uintptr(unsafe.Pointer(v)) }

// Outer leads from a place in an A to the A.
type Outer[A any] struct{ offset uintptr }

// OuterOf returns what leads from the address, which is in a, to a.
func OuterOf[A any](a *A, address uintptr) Outer[A] { return Outer[A]{address - AddressOf(a)} }

// OuterFrom returns the A that v is in. v has the address that o was made of, and the A has been
// alive since then.
func OuterFrom[A, T any](o Outer[A], v *T) *A {
	return (*A)(unsafe.Add(unsafe.Pointer(v), -int(o.offset)))
}

// IndexOf returns the offset of part in data and true, if part is memory of data.
func IndexOf(data, part []byte) (int, bool) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	return int(at), len(part) > 0 && at <= uintptr(len(data)-len(part)) && len(part) <= len(data)
}

// Overlaps reports whether the free capacity of dst holds bytes of b.
func Overlaps(dst, b []byte) bool {
	if len(b) == 0 || cap(dst) == len(dst) {
		return false
	}
	free := uintptr(unsafe.Pointer(unsafe.SliceData(dst))) + uintptr(len(dst))
	end := free + uintptr(cap(dst)-len(dst))
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return from < end && free < from+uintptr(len(b))
}
