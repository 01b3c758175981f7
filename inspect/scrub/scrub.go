// Package scrub takes personal data out of bid requests: it removes values, truncates addresses
// and coordinates, replaces values, and puts pseudonyms in place of identifiers. The result is a
// list of edits for package splice, so every other byte of the request stays as it is.
//
//	program, err := scrub.Compile(scrub.Spec{
//		Remove:   []string{"/device/ifa", "/user/eids"},
//		Truncate: []string{"/device/ip", "/device/ipv6", "/device/geo"},
//	})
//	edits, err := program.Append(nil, body, &scratch, nil)
//	out, err := splice.Apply(buf[:0], body, edits...)
//
// A scrub reaches every copy of a value: keys in other spellings and in other letter case, keys
// that an object has twice, and the second place of legacy fields (package legacy). A value that it
// can't edit as asked is removed. docs/policy.md has the details, and what a scrub does not
// find.
//
//	scrub.go     what is to be done: Spec, Compile, Error
//	compile.go   the operations as a tree of names
//	legacy.go    the second place of legacy fields
//	model.go     pointers are checked against the fields of openrtb
//	append.go    the walk through a request along the tree
//	rewrite.go   the new values: pseudonyms, truncated addresses and coordinates
//	editor.go    the program with the memory of one goroutine
//	copies.go    edits of values that a request has twice
//	keys.go      what a configuration file says
package scrub

import (
	"errors"
	"fmt"
	"io"
)

// The defaults of a [Spec].
const (
	IPv4BitsDefault = 24
	IPv6BitsDefault = 56
	DecimalsDefault = 2
)

// KeyMin is the shortest key for pseudonyms in bytes. 32 random bytes are recommended.
const KeyMin = 16

// PseudonymLen is the length of a pseudonym in characters. They are lower-case hexadecimal digits.
const PseudonymLen = 32

// Spec says what to do with values. They are named by JSON Pointers (RFC 6901) from the root of a
// request. The element "*" stands for every element of an array: "/user/eids/*/uids/*/id". Names
// are OpenRTB's fields; below an ext they can be any. A value at more than one of the lists is
// treated by the first of Remove, Replace, Hash and Truncate.
//
// No operation adds a member. Values that are null are only removed or replaced.
type Spec struct {
	// Remove removes values, with their keys.
	Remove []string
	// Replace puts constants in place of values.
	Replace []Replacement
	// Hash puts pseudonyms in place of strings, and of numbers below an ext: the first 128 bits of
	// HMAC-SHA-256 of the string without its escapes, or of the number's text, in hexadecimal
	// digits. The same value has the same pseudonym wherever it is. A string without information
	// stays: empty, or nothing but zeros and hyphens. Any other value is removed.
	Hash []string
	// Key is the key of the pseudonyms. Whoever knows it can tell which value a pseudonym belongs
	// to. Changing it changes all of them.
	Key Key
	// Truncate shortens IP addresses to a prefix and coordinates to a number of decimals. It is for
	// device.ip, device.ipv6, a geo (its lat and lon, and nothing else) or one of its coordinates,
	// and for values below an ext, where strings count as addresses and numbers as coordinates.
	// What is neither is removed.
	Truncate []string
	// IPv4Bits is how many bits of an IPv4 address stay, 0 for [IPv4BitsDefault].
	IPv4Bits int
	// IPv6Bits is how many bits of an IPv6 address stay, 0 for [IPv6BitsDefault]. An address that
	// holds an IPv4 address (::ffff:192.0.2.1, or 6to4) keeps no more of it than IPv4Bits.
	IPv6Bits int
	// Decimals is how many decimals of a coordinate stay, nil for [DecimalsDefault]. Further ones
	// are cut off, which moves a place toward the equator and the prime meridian.
	Decimals *int
}

// Replacement is a constant for a value.
type Replacement struct {
	Path  string // as in [Spec]
	Value []byte // JSON text
}

// Key is a secret. Printing it shows that there is one.
type Key []byte

// Format writes "[key]", whatever the verb.
func (Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, keyText) }

// MarshalText returns "[key]", for loggers.
func (Key) MarshalText() ([]byte, error) { return []byte(keyText), nil }

const keyText = "[key]"

// Program is a compiled list of specs. It is immutable and shared by all goroutines.
type Program struct {
	nodes []node
	specs int
}

// Error is a fault of a [Spec].
type Error struct {
	// Spec is the index of the spec among the arguments of [Compile].
	Spec int
	// Field is the field of the spec that has the fault: "remove", "replace", "hash", "truncate",
	// "key", "ipv4bits", "ipv6bits" or "decimals".
	Field string
	// Path is the pointer that has the fault, as it is in the spec; "" for other fields.
	Path string
	// Reason says what is wrong.
	Reason string
	// Nearest is the pointer that was probably meant, "" if nothing is near.
	Nearest string
}

// Error returns "scrub: remove /device/ifaa: device has no field \"ifaa\" (nearest: /device/ifa)".
func (e *Error) Error() string {
	text := "scrub: " + e.Field
	if e.Path != "" {
		text += " " + e.Path
	}
	text += ": " + e.Reason
	if e.Nearest != "" {
		text += " (nearest: " + e.Nearest + ")"
	}
	return text
}

// Compile makes a program of specs. Each can be switched on and off for a request, see
// [Program.Append]. On failure the error joins an [*Error] for every fault.
func Compile(specs ...Spec) (*Program, error) {
	c := compiler{nodes: make([]node, 1), specs: len(specs)}
	for i := range specs {
		c.spec(i, &specs[i])
	}
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	c.finish()
	return &Program{nodes: c.nodes, specs: len(specs)}, nil
}

// Specs returns how many specs the program was made of.
func (p *Program) Specs() int { return p.specs }

// inRange returns value, or the default for 0, and a fault if it is out of range.
func inRange(value, otherwise, least, most int) (int, string) {
	if value == 0 {
		value = otherwise
	}
	if value < least || value > most {
		return 0, fmt.Sprintf("%d is not between %d and %d", value, least, most)
	}
	return value, ""
}
