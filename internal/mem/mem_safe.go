//go:build nounsafe || purego

package mem

import (
	"encoding/binary"
	"reflect"
	"weak"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
)

// ZeroCopy reports whether this build makes strings without copying bytes.
const ZeroCopy = false

// Text is a document that is read with bounds checks.
type Text struct{ b []byte }

// TextOf returns data as a Text. It keeps data alive.
func TextOf(data []byte) Text { return Text{data} }

// At returns the byte at i.
func (t Text) At(i int) byte { return t.b[i] }

// Word returns the 8 bytes from i on, the first one lowest.
func (t Text) Word(i int) uint64 { return binary.LittleEndian.Uint64(t.b[i:]) }

// String returns a copy of the text from i to j.
func (t Text) String(i, j int) string { return string(t.b[i:j]) }

// Bytes returns the text from i to j without copying it. Appending to it copies.
func (t Text) Bytes(i, j int) []byte { return t.b[i:j:j] }

// Blocks is the index of a document, read with bounds checks.
type Blocks struct{ b []jsonindex.Block }

// BlocksOf returns b as Blocks. It keeps b alive.
func BlocksOf(b []jsonindex.Block) Blocks { return Blocks{b} }

// At returns block i.
func (b Blocks) At(i uint) *jsonindex.Block { return &b.b[i] }

// String returns a copy of b as a string.
func String(b []byte) string { return string(b) }

// Bytes returns a copy of the bytes of s.
func Bytes(s string) []byte { return []byte(s) }

// CastInts returns a copy of s as a slice of another integer type.
func CastInts[T ~int](s []int) []T {
	if s == nil {
		return nil
	}
	out := make([]T, len(s))
	for i, v := range s {
		out[i] = T(v)
	}
	return out
}

// SizeOf returns the size of a T in bytes.
func SizeOf[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// AddressOf returns the address of v. It does not keep v alive.
func AddressOf[T any](v *T) uintptr { return reflect.ValueOf(v).Pointer() }

// Outer leads from a place in an A to the A.
type Outer[A any] struct{ a weak.Pointer[A] }

// OuterOf returns what leads from the address, which is in a, to a.
func OuterOf[A any](a *A, _ uintptr) Outer[A] { return Outer[A]{weak.Make(a)} }

// OuterFrom returns the A that v is in. v has the address that o was made of, and the A has been
// alive since then.
func OuterFrom[A, T any](o Outer[A], _ *T) *A { return o.a.Value() }

// IndexOf returns 0 and false: without unsafe nothing tells where part lies. Strings and raw
// values are copies in this build anyway.
func IndexOf(_, _ []byte) (int, bool) { return 0, false }

// Overlaps reports whether the free capacity of dst may hold bytes of b. Without unsafe it
// can't be ruled out.
func Overlaps(dst, b []byte) bool { return len(b) > 0 && cap(dst) > len(dst) }
