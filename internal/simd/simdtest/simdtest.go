// Package simdtest is the test kit of the kernel packages.
//
// A kernel package describes itself with a [Kernel]. TestDispatch then checks that the right levels
// are there and that each of them really runs, EachLevel runs a test or a benchmark once per level,
// and a [Checker] calls the kernel with its memory against unreadable pages.
package simdtest

import (
	"bytes"
	"io/fs"
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/internal/simd"
)

// Kernel describes a kernel package.
type Kernel struct {
	// Portable lists the levels in plain Go, lowest first.
	Portable []simd.Level

	// Assembly holds the package's .s files. Each kernel in them is named after its level,
	// indexAVX2 for example, and on amd64 a "Requires:" line lists what the CPU needs.
	Assembly fs.FS

	// Levels and SetLevel are the package's functions.
	Levels   func() []simd.Level
	SetLevel func(simd.Level) (previous simd.Level)

	// Read calls the kernel with a text of a page or more, which may be unreadable.
	Read func(text []byte)
}

// EachLevel runs body once per level that this CPU and this build have, as a subtest or a
// sub-benchmark.
func EachLevel[T interface {
	testing.TB
	Run(string, func(T)) bool
}](t T, k *Kernel, body func(t T)) {
	for _, l := range k.Levels() {
		t.Run("level="+l.String(), func(t T) {
			defer k.SetLevel(k.SetLevel(l))
			body(t)
		})
	}
}

// NoAllocation fails when call allocates, at any level. Buffers that call declares must stay on the
// stack.
func (k *Kernel) NoAllocation(t *testing.T, call func()) {
	t.Helper()
	EachLevel(t, k, func(t *testing.T) {
		if n := testing.AllocsPerRun(10, call); n != 0 {
			t.Errorf("%v allocations, want none", n)
		}
	})
}

// EachPosition calls check with texts of every length from 0 to longest: one of filler alone, and
// one for each of the inserts at each position where it fits. The text is reused by the next call.
func EachPosition(longest int, filler byte, inserts []string, check func(text []byte)) {
	for n := range longest + 1 {
		text := bytes.Repeat([]byte{filler}, n)
		check(text)
		plain := slices.Clone(text)
		for _, insert := range inserts {
			for at := 0; at+len(insert) <= n; at++ {
				copy(text[at:], insert)
				check(text)
				copy(text[at:], plain[:len(insert)])
			}
		}
	}
}

// Bytes returns each byte of s as a string of its own, for EachPosition.
func Bytes(s string) []string {
	list := make([]string, len(s))
	for i := range list {
		list[i] = s[i : i+1]
	}
	return list
}

// Panics reports whether f panics.
func Panics(f func()) (panics bool) {
	defer func() { panics = recover() != nil }()
	f()
	return false
}
