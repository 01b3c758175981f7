// Package options holds the options of decoders. The functions that set it are in package wire;
// keeping the fields here keeps values that were not checked out of decoders.
package options

import (
	"math"
	"math/bits"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// Mode says how a decoder treats what the contract leaves open.
type Mode uint8

// The modes.
const (
	Default Mode = iota
	Strict
	Lenient
)

// Options are the limits and the mode of a decoder. Package wire documents each.
type Options struct {
	Mode          Mode
	Depth         int // levels, from 1 to grammar.DepthMax
	Size          int // bytes of a document, at most SizeMax
	Elements      int // of an array of a known field
	MemoryPerByte int // bytes of a decoded value for each byte of its document
	MemoryBase    int // bytes in addition
	WatchKeys     bool
}

// The defaults.
const (
	DepthDefault         = grammar.DepthMax
	SizeDefault          = 64 << 20
	ElementsDefault      = 1 << 20
	MemoryPerByteDefault = 64
	MemoryBaseDefault    = 64 << 10
)

// SizeMax keeps positions in 32-bit builds, and sums of a few of them, within an int.
const SizeMax = 1 << 29

// New returns the defaults.
func New() Options {
	return Options{
		Depth:         DepthDefault,
		Size:          SizeDefault,
		Elements:      ElementsDefault,
		MemoryPerByte: MemoryPerByteDefault,
		MemoryBase:    MemoryBaseDefault,
	}
}

// The budget keeps back room for memory that is not charged to it, because it is bounded by the
// document's length. Per byte that is the copy of the document, its index, its unescaped
// strings, and the pointers to scalars, each of which has a key. The base is a new decoder with
// its arena, the first chunk of each of its slabs, and the error.
const (
	UnchargedPerByte = 8
	UnchargedBase    = 28 << 10
)

// Budget returns how much memory the objects and arrays of a document of n bytes may take,
// MaxInt if that is more than an int holds.
func (o *Options) Budget(n int) int {
	base := max(o.MemoryBase-UnchargedBase, 0)
	high, low := bits.Mul(uint(n), uint(max(o.MemoryPerByte-UnchargedPerByte, 0)))
	if high != 0 || low > uint(math.MaxInt-base) {
		return math.MaxInt
	}
	return base + int(low)
}
