package wire

import (
	"math"
	"math/bits"
)

// The limits that hold unless an option says otherwise. Every limit exists so that no input,
// however made, costs more than its sender could expect.
const (
	// DepthDefault is how deep values may be nested.
	DepthDefault = 1024
	// DepthMost is the largest depth that [MaxDepth] accepts.
	DepthMost = 1024
	// SizeDefault is how long a document may be, in bytes.
	SizeDefault = 64 << 20
	// ElementsDefault is how many elements an array of a known field may have.
	ElementsDefault = 1 << 20
	// MemoryPerByteDefault and MemoryBaseDefault bound the memory of a decoded value: so many
	// bytes per byte of the document, plus the base.
	MemoryPerByteDefault = 64
	MemoryBaseDefault    = 64 << 10
)

// Options is what a decoder was configured with; see the functions that return an [Option].
type Options struct {
	mode          mode
	depth         int
	size          int
	elements      int
	memoryPerByte int
	memoryBase    int
}

// What the budget keeps back for the memory that is not charged to it, because it can't be
// more: per byte of the document its copy, its index, its unescaped strings, and the pointers
// to scalars, each of which has a key; and the first block of memory of a value without arena.
const (
	unchargedPerByte = 4
	unchargedBase    = 4 << 10
)

// budget is how much memory the objects and arrays of a document of n bytes may take, MaxInt
// if that is more than an int holds.
func (o *Options) budget(n int) int {
	base := max(o.memoryBase-unchargedBase, 0)
	high, low := bits.Mul(uint(n), uint(max(o.memoryPerByte-unchargedPerByte, 0)))
	if high != 0 || low > uint(math.MaxInt-base) {
		return math.MaxInt
	}
	return base + int(low)
}

type mode uint8

const (
	modeDefault mode = iota
	modeStrict
	modeLenient
)

// Option configures a decoder; later options win.
type Option func(*Options)

// NewOptions returns the defaults with opts applied.
func NewOptions(opts ...Option) Options {
	o := Options{
		depth:         DepthDefault,
		size:          SizeDefault,
		elements:      ElementsDefault,
		memoryPerByte: MemoryPerByteDefault,
		memoryBase:    MemoryBaseDefault,
	}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// Strict refuses in addition whatever two parsers could read differently: a key that comes
// twice in one object, at any depth.
func Strict() Option { return func(o *Options) { o.mode = modeStrict } }

// Lenient saves what real exchanges send: quoted and fractional integers, numbers for
// strings, booleans for flags, one bare value for an array, invalid Unicode, a byte order
// mark. Each thing saved is counted with its path; see [Saved].
func Lenient() Option { return func(o *Options) { o.mode = modeLenient } }

// MaxDepth limits how deep values may be nested: 1 is an object of scalars. Values outside of
// 1 to [DepthMost] mean the nearest of the two. Default: [DepthDefault].
func MaxDepth(levels int) Option {
	return func(o *Options) { o.depth = min(max(levels, 1), DepthMost) }
}

// MaxSize limits the length of a document in bytes. Default: [SizeDefault].
func MaxSize(bytes int) Option {
	return func(o *Options) { o.size = min(max(bytes, 1), sizeMost) }
}

// sizeMost keeps positions in 32-bit builds, and sums of a few of them, within an int.
const sizeMost = 1 << 29

// MaxElements limits the number of elements of any one array of a known field. Default:
// [ElementsDefault].
func MaxElements(n int) Option { return func(o *Options) { o.elements = max(n, 0) } }

// MaxMemory limits the memory of a decoded value to perByte bytes for each byte of the
// document, plus base bytes. What is counted is the most that the value can make a decoder
// allocate, whatever the decoder has at hand, so that the answer depends on the document
// alone: objects and arrays at four times their size, which is what growing in doubling steps
// can cost; 4 bytes per byte and 4 KiB are set aside for all else. Default:
// [MemoryPerByteDefault], [MemoryBaseDefault].
func MaxMemory(perByte, base int) Option {
	return func(o *Options) { o.memoryPerByte, o.memoryBase = max(perByte, 0), max(base, 0) }
}

// Saved is one thing that lenient decoding has put right.
type Saved struct {
	// Code is what it would have been refused with.
	Code Code
	// Offset is the first byte of the value.
	Offset int
	// Path is a JSON Pointer to the value, cut as in [Error].
	Path string
}
