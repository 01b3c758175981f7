// Package policydiff judges a log of bid requests by two configurations in one pass, and says which
// requests change from forward to refuse and back.
//
//	r, err := policydiff.Run(ctx, inputs, policydiff.Options{Old: old, New: new})
//
// A log has bid requests in any form that package batch reads, captures of the gateway among them.
// A capture brings its own facts: partner, addresses, counts of windows, answers of services.
// Nothing else is asked: windows of the configurations stay empty, and what they would count is
// what the capture says. All other requests have the facts of [Options], as in package
// internal/lines.
//
// One goroutine reads, some judge, and the caller's adds up in the order of the log, so that the
// result is the same every time. Memory does not depend on the length of the log.
//
//	policydiff.go  Options, Run
//	pieces.go      documents on their way: read, judged, added up in order
//	judge.go       a document under both configurations
//	result.go      Result and its bounds
//	answers.go     bids of a log of responses, by the id of the request
package policydiff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect"
)

// Rates convert prices to US dollars. An empty currency is US dollars.
type Rates interface {
	USD(price float64, currency string) (dollars float64, known bool)
}

// Options say what is compared.
type Options struct {
	// Old and New judge. Default: the engine without a configuration.
	Old, New *inspect.Engine
	// Facts are those of requests that are not captures.
	Facts inspect.Facts
	// Jobs is how many goroutines judge. Default: GOMAXPROCS.
	Jobs int
	// MaxDocument is as in [batch.Options]: larger documents are refused by both.
	MaxDocument int
	// Rates add prices up in US dollars, where they know the currency. Default: nil, and each
	// currency has a sum of its own.
	Rates Rates
	// Answers have the bids of requests, if they are known. Default: nil.
	Answers *Answers
	// Progress, if not nil, is updated while inputs are read.
	Progress *batch.Progress
	// InputDone, if not nil, is called after each input, with why it was not read to its end; nil
	// if it was.
	InputDone func(name string, documents int64, err error)
}

// Run judges the documents of all inputs. It goes on after an input that can't be read. After the
// end of ctx the result has what was judged until then, and the error is that of ctx.
func Run(ctx context.Context, inputs []batch.Input, o Options) (*Result, error) {
	o.Jobs = cmp.Or(o.Jobs, runtime.GOMAXPROCS(0))
	if o.Jobs < 1 {
		return nil, fmt.Errorf("policydiff: Jobs is %d (want at least 1, or 0 for one per core)", o.Jobs)
	}
	if o.MaxDocument < 0 || o.MaxDocument > batch.MaxDocumentLimit {
		return nil, fmt.Errorf("policydiff: MaxDocument is %d (want 1 to %d bytes, or 0 for %d)", o.MaxDocument, batch.MaxDocumentLimit, batch.MaxDocumentDefault)
	}
	r := newResult(&o)
	err := newPieces(&o).run(ctx, inputs, r)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	return r, err
}
