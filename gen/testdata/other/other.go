// Package other has types that fields of another package are of.
package other

// Level is a number with a name of its own.
type Level int

// Weight is an integer of a fixed width.
type Weight int16

// Word is a string.
type Word string

// Outside is a struct of another package.
type Outside struct{ A int }
