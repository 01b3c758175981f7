package coder

import (
	"slices"
	"strings"
)

// CloneString copies s; the copy of "" has no memory.
func CloneString[T ~string](s T) T { return T(strings.Clone(string(s))) }

// CloneStrings copies the slice and its strings; nil stays nil.
func CloneStrings[T ~string](s []T) []T {
	if s == nil {
		return nil
	}
	out := make([]T, len(s))
	for i, e := range s {
		out[i] = CloneString(e)
	}
	return out
}

// CloneSlice copies a slice of values without pointers; nil stays nil.
func CloneSlice[S ~[]T, T any](s S) S {
	if s == nil {
		return nil
	}
	return slices.Clip(append(S{}, s...))
}
