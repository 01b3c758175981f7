package coder

import (
	"slices"
	"testing"
	"unsafe"
)

// TestClones: clones have the same value and share no memory; nil stays nil and empty stays empty.
func TestClones(t *testing.T) {
	type word string
	in := []word{"a", "", "b"}
	out := CloneStrings(in)
	if !slices.Equal(in, out) || unsafe.StringData(string(in[0])) == unsafe.StringData(string(out[0])) || cap(out) != len(out) {
		t.Errorf("%q", out)
	}
	in[0] = "c"
	if out[0] != "a" {
		t.Error("the copy of a slice changes with it")
	}
	numbers := append(make([]int, 0, 10), 1, 2)
	copied := CloneSlice(numbers)
	numbers[0] = 3
	if !slices.Equal(copied, []int{1, 2}) || cap(copied) != 2 {
		t.Errorf("%v, capacity %d", copied, cap(copied))
	}
	if CloneStrings([]string(nil)) != nil || CloneSlice([]int(nil)) != nil {
		t.Error("the copy of nil is not nil")
	}
	if CloneStrings([]string{}) == nil || CloneSlice([]int{}) == nil {
		t.Error("the copy of an empty slice is nil")
	}
}

// TestCastInts: the slice of another integer type has the same numbers, length and capacity; nil
// stays nil.
func TestCastInts(t *testing.T) {
	type code int
	s := []int{1, -2, 3}
	if got := CastInts[code](s[:2:2]); !slices.Equal(got, []code{1, -2}) || cap(got) != 2 {
		t.Errorf("%v, capacity %d", got, cap(got))
	}
	if CastInts[code](nil) != nil || CastInts[code]([]int{}) == nil {
		t.Error("nil and empty are not told apart")
	}
}
