//go:build nounsafe || purego

package wire

import (
	"encoding/binary"
	"reflect"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
)

// text is the document, read with bounds checks; see text_unsafe.go.
type text struct{ b []byte }

func textOf(data []byte) text { return text{data} }

func (t text) at(i int) byte { return t.b[i] }

func (t text) word(i int) uint64 { return binary.LittleEndian.Uint64(t.b[i:]) }

func (t text) str(i, j int) string { return string(t.b[i:j]) }

// blocks is the index of the document, read with bounds checks.
type blocks struct{ b []jsonindex.Block }

func blocksOf(b []jsonindex.Block) blocks { return blocks{b} }

func (b blocks) at(i uint) *jsonindex.Block { return &b.b[i] }

func (t text) raw(i, j int) []byte { return t.b[i:j:j] }

func bytesAsString(b []byte) string { return string(b) }

// CastInts returns s as a slice of another integer type; this build copies it.
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

// ZeroCopy tells whether this build decodes strings without copying them.
const ZeroCopy = false

// size is the size of a T in bytes.
func size[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// offsetIn returns where part begins in data, if it is a piece of it. Without unsafe that can be
// told for the same array only, by its end; strings and raw values are copies here anyway.
func offsetIn(_, _ []byte) (int, bool) { return 0, false }

// stringBytes is there for the compiler: this build writes strings character by character.
func stringBytes(s string) []byte { return []byte(s) }

// overlap reports whether the free room of dst may hold bytes of b, which can't be told here.
func overlap(dst, b []byte) bool { return len(b) > 0 && cap(dst) > len(dst) }
