// Package guardpage gives tests memory between two unreadable pages. A read or a write one byte
// outside it crashes at once, instead of touching whatever the allocator put there. Assembly has no
// bounds checks, and neither the race detector nor checkptr sees what it touches.
package guardpage

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// Buffer is memory with an unreadable page on either side. Every call of Front and Back reuses it,
// because a mapping for each input would cost more than most tests that need one.
type Buffer struct {
	mem   []byte // what may be touched
	guard int    // size of the unreadable page on either side, or 0
	whole []byte // mem with both guards
}

// New returns a Buffer with room for at least size bytes. It lives until the test of tb is over. If
// Enabled is false the buffer is ordinary memory, and a test that uses it only checks results.
func New(tb testing.TB, size int) *Buffer {
	tb.Helper()
	whole, guard := alloc(tb, max(size, 1))
	end := len(whole) - guard
	return &Buffer{mem: whole[guard:end:end], guard: guard, whole: whole}
}

// Len returns the number of bytes that the buffer has room for.
func (b *Buffer) Len() int {
	return len(b.mem)
}

// Front returns a copy of data that begins right after an unreadable page. The copy is valid until
// the next call of Front or Back.
func (b *Buffer) Front(data []byte) []byte {
	return b.copy(0, data)
}

// Back returns a copy of data that ends right before an unreadable page. The copy is valid until
// the next call of Front or Back.
func (b *Buffer) Back(data []byte) []byte {
	return b.copy(len(b.mem)-len(data), data)
}

// copy copies data to mem[at:] and clips the capacity, so that append can't write past it either.
func (b *Buffer) copy(at int, data []byte) []byte {
	dst := b.mem[at : at+len(data) : at+len(data)]
	copy(dst, data)
	return dst
}

// Toucher calls f with bytes of which the first are unreadable. It returns the name, without the
// package, of the function that tried to read them, or "" if none did or if Enabled is false. A
// test can tell from it which of several kernels a call ends up in.
func Toucher(tb testing.TB, f func([]byte)) (name string) {
	tb.Helper()
	b := New(tb, 1)
	if b.guard == 0 {
		return ""
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() == nil {
			return
		}
		var pcs [32]uintptr
		frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
		for faulted := false; ; {
			frame, more := frames.Next()
			if faulted {
				name = frame.Function[strings.LastIndexByte(frame.Function, '.')+1:]
			}
			if faulted || !more {
				return
			}
			faulted = frame.Function == "runtime.sigpanic"
		}
	}()
	f(b.whole[:len(b.whole)-b.guard])
	return ""
}
