// Package lines is a line filter for bid requests: it writes one verdict for each line it reads, in
// order. Engines that pipe rows through a program and match answers by position need this: Spark's
// pipe, ClickHouse's executable functions, GNU parallel.
//
//	stats, err := lines.Filter(ctx, os.Stdout, os.Stdin, lines.Options{Engine: engine, Emit: lines.Verdicts})
//
// A line that is not a bid request is refused and still gets its line of output. Verdicts are
// written as soon as they are made: when the input pauses, all earlier verdicts are out.
//
//	lines.go     Options, Filter
//	cut.go       reading, and cutting at the ends of lines
//	pipeline.go  judging on all cores, writing in order
//	alone.go     the same with one job, which takes no more than one goroutine
//	emit.go      what is written for a line
package lines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect"
)

// Emit says what is written for a line.
type Emit uint8

const (
	// Annotated is the request with the verdict at [inspect.AnnotationPath], and with the edits of
	// scrubs if it is forwarded. A line that can't hold it, because it is not a request or its ext
	// is not an object, becomes what Verdicts writes. The engine must annotate.
	Annotated Emit = iota
	// Verdicts is an object with the verdict alone:
	//
	//	{"id":"1","action":"refuse","reason":"schema.Imp.id.required","nbr":2,"score":0,"findings":[
	//	 {"id":"schema.Imp.id.required","severity":"refuse","path":"/imp/0/id","offset":9}]}
	//
	// "id" is the request's id, null if it is absent or the request can't be decoded. A request
	// that is forwarded only because it is observed ([inspect.Layer.Enforce]) has "would_refuse"
	// after "nbr", with the reason.
	Verdicts
	// Accepted is the request as it is forwarded, or an empty line for one that is refused.
	Accepted
)

var emitNames = [...]string{Annotated: "annotated", Verdicts: "verdict", Accepted: "accepted"}

// String returns "annotated", "verdict" or "accepted".
func (e Emit) String() string {
	if int(e) < len(emitNames) {
		return emitNames[e]
	}
	return fmt.Sprintf("Emit(%d)", e)
}

// ChunkSize is how much is read and judged as one piece, in bytes. A longer line is a piece of its
// own.
const ChunkSize = 256 << 10

// chunksPerJob is how many pieces per job may be read and not yet written.
const chunksPerJob = 4

// Options configure [Filter].
type Options struct {
	// Engine judges. Default: the engine without a configuration.
	Engine *inspect.Engine
	// Facts apply to every request.
	Facts inspect.Facts
	// Emit is what is written. The zero value is Annotated, for which Engine has to annotate.
	Emit Emit
	// Jobs is how many lines are judged at the same time. Default: GOMAXPROCS.
	Jobs int
	// MaxLine is the length of the longest line that is judged, in bytes, without its end; longer
	// ones are refused (limit.size) without being kept. Default: [batch.MaxDocumentDefault], at
	// most [batch.MaxDocumentLimit].
	MaxLine int
}

// Stats counts lines.
type Stats struct {
	Lines, Forwarded, Refused int64
	// Read and Written are bytes.
	Read, Written int64
}

// ErrNotAnnotating means that annotated requests were asked of an engine that does not annotate.
var ErrNotAnnotating = errors.New("lines: the engine does not annotate; set inspect.Config.Annotate")

// ErrCompressed is matched by the error of an input that begins as gzip or zstd data does: lines
// are text.
var ErrCompressed = errors.New("the input is compressed")

// Filter judges each line of in and writes a line to out for it. A line ends in a line feed; one at
// the end of in without it counts, and gets one.
//
// Filter returns at the end of in, or early with the error of in, of out or of ctx. What was read
// before an error of in or the end of ctx is judged and written. After an error, a call of in's
// Read may still be running. Memory is limited to 4 pieces of [ChunkSize] per job, what becomes of
// them, and twice MaxLine.
func Filter(ctx context.Context, out io.Writer, in io.Reader, o Options) (Stats, error) {
	if o.Engine == nil {
		o.Engine = new(inspect.Engine)
	}
	o.Jobs = cmp.Or(max(0, o.Jobs), runtime.GOMAXPROCS(0))
	o.MaxLine = min(cmp.Or(max(0, o.MaxLine), batch.MaxDocumentDefault), batch.MaxDocumentLimit)
	if o.Emit == Annotated && !o.Engine.Annotates() {
		return Stats{}, ErrNotAnnotating
	}
	if o.Jobs == 1 {
		return runAlone(ctx, &o, out, in)
	}
	return newPipeline(&o).run(ctx, out, in)
}
