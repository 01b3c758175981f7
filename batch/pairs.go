package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/grammar"
)

// This file has responses compared with the requests that they answer. The requests are read first
// and kept, so responses may come in any order, and several may answer one request.

// The defaults of [PairLimits].
const (
	PairBytesDefault    = 1 << 30
	PairRequestsDefault = 4 << 20
	// pairOverhead is about what a request takes besides its text and its id, in bytes.
	pairOverhead = 160
)

// PairLimits limit the requests that are kept. Zero values mean the defaults.
type PairLimits struct {
	// Bytes is how much memory they may take. Default: [PairBytesDefault], 1 GiB.
	Bytes int64
	// Requests is their number. Default: [PairRequestsDefault], 4,194,304.
	Requests int64
}

// PairLimitError is why [ReadPairs] has given up.
type PairLimitError struct {
	Limits   PairLimits
	Requests int64 // that were kept
	Line     int64 // of the one that was too much
}

// Error says what the limits are.
func (e *PairLimitError) Error() string {
	return fmt.Sprintf("the requests take more than %d bytes, or are more than %d; stopped in line %d, after %d requests",
		e.Limits.Bytes, e.Limits.Requests, e.Line, e.Requests)
}

// Pairs has requests by their ids, for [Options.Pairs]. It is for one check.
type Pairs struct {
	requests map[string]*pairedRequest
	stats    PairStats
}

type pairedRequest struct {
	text     []byte
	answered atomic.Bool
}

// PairStats is what is known about the requests of [Pairs].
type PairStats struct {
	Requests int64 // that are kept: one for each id
	Repeated int64 // with the id of an earlier one, which counts
	Nameless int64 // without an id, or larger than [Options.MaxDocument]
	Others   int64 // documents that are not requests
	// Unanswered is the number of requests that no response has answered so far.
	Unanswered int64
}

// ReadPairs reads the requests of an input. Documents that [DetectType] takes for responses are
// skipped, so that the input may have both. The error is a [*PairLimitError], an [*InputError], or
// that of ctx.
func ReadPairs(ctx context.Context, in Input, opts Options, limits PairLimits) (*Pairs, error) {
	if limits.Bytes <= 0 {
		limits.Bytes = PairBytesDefault
	}
	if limits.Requests <= 0 {
		limits.Requests = PairRequestsDefault
	}
	opts.Type = Auto
	r, err := NewReader(in, opts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p := &Pairs{requests: map[string]*pairedRequest{}}
	used := int64(0)
	for {
		d, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return p, nil
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
		id, found := "", false
		if !d.TooLarge {
			id, found = idOf(d.Data)
		}
		switch {
		case d.Type != schema.Request:
			p.stats.Others++
		case !found:
			p.stats.Nameless++
		case p.requests[id] != nil:
			p.stats.Repeated++
		default:
			used += int64(len(d.Data)+len(id)) + pairOverhead
			if used > limits.Bytes || p.stats.Requests == limits.Requests {
				return nil, &PairLimitError{limits, p.stats.Requests, d.Line}
			}
			p.requests[id] = &pairedRequest{text: bytes.Clone(d.Data)}
			p.stats.Requests++
		}
	}
}

// Stats returns what is known now. The check may be running.
func (p *Pairs) Stats() PairStats {
	s := p.stats
	s.Unanswered = 0
	for _, r := range p.requests {
		s.Unanswered += int64(btoi(!r.answered.Load()))
	}
	return s
}

// find returns the request that a response answers, or nil.
func (p *Pairs) find(response []byte) *pairedRequest {
	id, found := idOf(response)
	if !found {
		return nil
	}
	return p.requests[id]
}

// idOf returns the id of a document: the first member "id" at its top level, a string that is not
// empty, or a number, which many senders write.
func idOf(doc []byte) (string, bool) {
	var k keyScanner
	k.Data, k.Depth, k.Tolerant = doc, grammar.DepthMax, true
	if !k.open() {
		return "", false
	}
	for k.key() {
		if string(k.name) != "id" {
			if !k.skipValue() {
				return "", false
			}
			continue
		}
		if k.Peek() != '"' {
			number, _, ok := k.Number()
			return string(number), ok
		}
		text, ok := k.String()
		if ok && k.Escaped {
			return grammar.Unescape(text), true
		}
		return string(text), ok && len(text) > 0
	}
	return "", false
}

// PairCounts are the responses of a check with [Options.Pairs].
type PairCounts struct {
	Compared int64 // with the request that they answer
	Lone     int64 // without a request, or without an id
	Broken   int64 // not compared, because one of the two can't be decoded
}

func (c *PairCounts) add(o *PairCounts) {
	c.Compared += o.Compared
	c.Lone += o.Lone
	c.Broken += o.Broken
}

// inRequest is added to messages about the request.
const inRequest = " (the path is in the request)"

// response checks a response, and compares it with its request if there are some.
func (w *checker) response(doc []byte, counts *PairCounts) schema.Report {
	if w.opts.Pairs == nil {
		return w.Response(doc)
	}
	request := w.opts.Pairs.find(doc)
	if request == nil {
		counts.Lone++
		return w.Response(doc)
	}
	request.answered.Store(true)
	report, compared := w.ResponseTo(request.text, doc)
	if !compared {
		counts.Broken++
		return report
	}
	counts.Compared++
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Doc == schema.Request { // the place is the response
			f.Offset, f.Message = -1, f.Message+inRequest
		}
	}
	return report
}
