package simdtest

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/rtbwire/rtbwire/internal/guardpage"
	"github.com/rtbwire/rtbwire/internal/simd"
)

// margin is the number of canary bytes on the side of an output that has no unreadable page.
const margin = 64

// Checker calls a kernel so that every access outside its memory shows. E is the element of the
// kernel's output; it must have no pointers.
type Checker[E any] struct {
	tb        testing.TB
	kernel    *Kernel
	levels    []simd.Level
	text, out *guardpage.Buffer
	canaries  []byte
}

// NewChecker returns a Checker for texts of up to textMax bytes and outputs of up to outMax
// elements.
func NewChecker[E any](tb testing.TB, k *Kernel, textMax, outMax int) *Checker[E] {
	tb.Helper()
	canaries := make([]byte, outMax*size[E]()+margin)
	for i := range canaries {
		canaries[i] = byte(7*i) ^ 0xa5
	}
	return &Checker[E]{
		tb: tb, kernel: k, levels: k.Levels(), canaries: canaries,
		text: guardpage.New(tb, textMax), out: guardpage.New(tb, len(canaries)),
	}
}

// Check calls call twice at every level, with a copy of text and an output of n elements. The first
// time an unreadable page follows each of them, the second time one precedes each of them. Check
// fails the test when call changes the text or the bytes around the output.
func (c *Checker[E]) Check(text []byte, n int, call func(l simd.Level, out []E, text []byte)) {
	c.tb.Helper()
	length := n * size[E]()
	canaries := c.canaries[:length+margin]
	defer c.kernel.SetLevel(c.kernel.SetLevel(c.levels[0]))
	for _, side := range []struct {
		flush func(*guardpage.Buffer, []byte) []byte
		at    int // of the output among the canaries
	}{{(*guardpage.Buffer).Back, margin}, {(*guardpage.Buffer).Front, 0}} {
		guarded, whole := side.flush(c.text, text), side.flush(c.out, canaries)
		out := unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(whole[side.at:]))), n)
		end := side.at + length
		for _, l := range c.levels {
			copy(whole, canaries)
			c.kernel.SetLevel(l)
			call(l, out, guarded)
			if !bytes.Equal(guarded, text) {
				c.tb.Fatalf("%v: the text %.300q changes to %.300q", l, text, guarded)
			}
			if !bytes.Equal(whole[:side.at], canaries[:side.at]) {
				c.tb.Fatalf("%v: with the text %.300q, bytes before the output change", l, text)
			}
			if !bytes.Equal(whole[end:], canaries[end:]) {
				c.tb.Fatalf("%v: with the text %.300q, bytes after the output change", l, text)
			}
		}
	}
}

// size returns the size of an E in bytes.
func size[E any]() int {
	return int(unsafe.Sizeof(*new(E)))
}
