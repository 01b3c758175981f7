// Package batch reads bid requests and bid responses from files and checks them.
//
// A file may hold one document a line (newline-delimited JSON), a single document, an array
// of documents, or documents one after the other, indented or not; it may be compressed with
// gzip or zstd. [Check] detects the format from the content, checks on all cores, and hands the
// documents that have findings to a [Handler] in the order of the input. [Reader] finds the
// documents without checking them, in the caller's goroutine.
//
//	stats, err := batch.Check(ctx, engine, []batch.Input{batch.File("bids.ndjson.gz")}, batch.Options{},
//		batch.Handler{Result: func(r *batch.Result) error { ... }})
//
// Package schema alone decides what is valid; this package finds documents, tells requests
// from responses, and counts lines.
//
// # Memory
//
// Memory does not depend on the size of a file. Text is read in chunks of [ChunkSizeDefault]
// bytes, documents are slices of them, and all chunks that are read and not yet handled are
// limited to 4 chunks per job plus twice [Options.MaxDocument]. In addition there are the
// findings that wait to be handled, a few thousand per chunk at most, and the checkers' own
// memory, a multiple of the largest document that each has seen. The requests of [Pairs] are kept,
// within their own limits.
//
// # Files of this package
//
// input.go and decompress.go open; layout.go decides how documents are separated; chunk.go
// reads chunks of whole documents into buffers.go, with values.go, recover.go and objects.go for
// everything but lines; kind.go tells requests from responses; verdicts.go has requests judged by
// a configuration; pairs.go has responses compared with their requests; position.go counts lines
// and columns; pipeline.go runs chunks through workers in order; check.go and reader.go are the
// interface.
package batch

import (
	"fmt"
	"runtime"

	"github.com/rtbwire/rtbwire/wire"
)

// Limits and defaults. All are options; see [Options].
const (
	// ChunkSizeDefault is the number of bytes that are read and checked as one piece of
	// work. It fits the level 2 cache of current processors.
	ChunkSizeDefault = 256 << 10
	// MaxDocumentDefault is the largest document that is checked, in bytes.
	MaxDocumentDefault = 16 << 20
	// MaxDocumentLimit is the largest value of [Options.MaxDocument], in bytes: the decoder
	// refuses larger documents anyway.
	MaxDocumentLimit = wire.SizeDefault
	// ChunkSizeLimit is the largest value of [Options.ChunkSize], in bytes.
	ChunkSizeLimit = 16 << 20
	// MaxWindow is the largest window of zstd data that is accepted, in bytes. "zstd --long"
	// writes it, and the zstd program accepts no larger one by default.
	MaxWindow = 128 << 20
)

// chunksPerJob is how many chunks per job may be read and not yet handled: one being
// checked, one waiting for it, and two to even out chunks that take longer than others.
const chunksPerJob = 4

// Type says which documents an input holds.
type Type uint8

// The types.
const (
	Auto      Type = iota // decide for each document; see [DetectType]
	Requests              // every document is a bid request
	Responses             // every document is a bid response
)

// Options configure reading and checking. The zero value is the default.
type Options struct {
	// Jobs is the number of chunks that are checked at the same time. Default: GOMAXPROCS. It
	// has no effect on a [Reader].
	Jobs int
	// MaxDocument is the largest document in bytes. Larger ones are reported (see
	// [RuleDocumentSize]) and skipped. Default: [MaxDocumentDefault].
	MaxDocument int
	// ChunkSize is the number of bytes read at a time. Default: [ChunkSizeDefault].
	ChunkSize int
	// Layout says how documents are separated. Default: [LayoutAuto].
	Layout Layout
	// Type says whether documents are requests or responses. Default: [Auto].
	Type Type
	// Judging has requests judged by a configuration. It has no effect on a [Reader].
	Judging Judging
	// Pairs has responses compared with the requests that they answer. Default: nil, which
	// compares none. It has no effect on a [Reader].
	Pairs *Pairs
	// Progress, if not nil, is updated while an input is read.
	Progress *Progress
}

// withDefaults fills in the defaults and checks the values.
func (o Options) withDefaults() (Options, error) {
	if o.Jobs == 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	if o.MaxDocument == 0 {
		o.MaxDocument = MaxDocumentDefault
	}
	if o.ChunkSize == 0 {
		o.ChunkSize = ChunkSizeDefault
	}
	switch {
	case o.Jobs < 0:
		return o, fmt.Errorf("batch: Jobs is %d (want at least 1, or 0 for one per core)", o.Jobs)
	case o.MaxDocument < 0 || o.MaxDocument > MaxDocumentLimit:
		return o, fmt.Errorf("batch: MaxDocument is %d (want 1 to %d bytes)", o.MaxDocument, MaxDocumentLimit)
	case o.ChunkSize < 0 || o.ChunkSize > ChunkSizeLimit:
		return o, fmt.Errorf("batch: ChunkSize is %d (want 1 to %d bytes)", o.ChunkSize, ChunkSizeLimit)
	case o.Layout > LayoutValues:
		return o, fmt.Errorf("batch: unknown layout %d", o.Layout)
	case o.Type > Responses:
		return o, fmt.Errorf("batch: unknown type %d", o.Type)
	}
	return o, nil
}
