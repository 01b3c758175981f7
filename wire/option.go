package wire

import (
	"log/slog"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/options"
)

// The limits that hold unless an option says otherwise. Every limit exists so that no input,
// however made, costs more than its sender could expect.
const (
	// DepthDefault is how deep values may be nested.
	DepthDefault = options.DepthDefault
	// DepthMax is the largest depth that [MaxDepth] accepts.
	DepthMax = grammar.DepthMax
	// SizeDefault is how long a document may be, in bytes.
	SizeDefault = options.SizeDefault
	// ElementsDefault is how many elements an array of a known field may have.
	ElementsDefault = options.ElementsDefault
	// MemoryPerByteDefault and MemoryBaseDefault bound the memory of a decoded value: so many
	// bytes per byte of the document, plus the base.
	MemoryPerByteDefault = options.MemoryPerByteDefault
	MemoryBaseDefault    = options.MemoryBaseDefault
)

// Option configures a decoder. Later options win; nil does nothing.
type Option func(*options.Options)

// Strict also refuses whatever two parsers could read differently: a key that an object has
// twice, at any depth.
func Strict() Option { return func(o *options.Options) { o.Mode = options.Strict } }

// Lenient repairs what real exchanges send: quoted and fractional integers, numbers for
// strings, booleans for flags, one bare value for an array, invalid Unicode, a byte order
// mark. Each repair is counted with its path; see [Saved].
func Lenient() Option { return func(o *options.Options) { o.Mode = options.Lenient } }

// MaxDepth limits how deep values may be nested: 1 is an object of scalars. Values outside 1 to
// [DepthMax] mean the nearest of the two. Default: [DepthDefault].
func MaxDepth(levels int) Option {
	return func(o *options.Options) { o.Depth = min(max(levels, 1), DepthMax) }
}

// MaxSize limits the length of a document in bytes, to 512 MiB at most. Default: [SizeDefault].
func MaxSize(bytes int) Option {
	return func(o *options.Options) { o.Size = min(max(bytes, 1), options.SizeMax) }
}

// MaxElements limits the number of elements of any one array of a known field. Default:
// [ElementsDefault].
func MaxElements(n int) Option {
	return func(o *options.Options) { o.Elements = max(n, 0) }
}

// MaxMemory limits the memory of a decoded value to perByte bytes for each byte of the
// document, plus base bytes. The limit is on the most that the value can make a decoder
// allocate, whatever memory the decoder already has, so that the answer depends on the document
// alone: objects count two and a quarter times their size and arrays four and a half times,
// which is what growing in doubling steps can cost; 8 bytes per byte and 28 KiB are set aside for
// all else, a new decoder among it. Smaller limits leave nothing for objects and arrays, and are
// not kept by a new decoder. Default: [MemoryPerByteDefault], [MemoryBaseDefault].
func MaxMemory(perByte, base int) Option {
	return func(o *options.Options) { o.MemoryPerByte, o.MemoryBase = max(perByte, 0), max(base, 0) }
}

// WatchKeys makes a decoder look at the keys of raw values and of members that it skips too, for
// its notes about duplicates and letter case; see [Notes]. It makes decoding a little slower.
func WatchKeys() Option { return func(o *options.Options) { o.WatchKeys = true } }

// SavedMax is how many repairs of one document are listed at most: one for every 16 bytes and
// 12 more, if the memory limit has room for the list. Further ones are made all the same.
const SavedMax = 1000

// Saved is one repair of lenient decoding.
type Saved struct {
	// Code is what the document would have been refused with.
	Code Code `json:"code"`
	// Offset is the first byte of the value.
	Offset int `json:"offset"`
	// Path is a JSON Pointer to the value, cut as in [Error].
	Path string `json:"path"`
}

// LogValue makes package log/slog log the fields of the repair.
func (s Saved) LogValue() slog.Value { return slog.GroupValue(logged(s.Code, s.Offset, s.Path)...) }

// EncodeOptions say how values are written. The zero value is the default.
type EncodeOptions struct {
	// EscapeHTML writes <, >, & and U+2028, U+2029 in strings as escapes, in raw values too,
	// for text that is put into HTML or JavaScript. By default they are written as they are,
	// which is legal JSON.
	EscapeHTML bool
	// RefuseInvalidUTF8 makes a string that is not UTF-8 an error with [CodeUTF8]. By default
	// each byte that is not becomes U+FFFD, as in encoding/json.
	RefuseInvalidUTF8 bool
}
