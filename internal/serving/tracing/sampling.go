package tracing

import (
	"encoding/binary"
	"math/rand/v2"
)

// Flag says what becomes of a sender's decision to sample a trace.
type Flag string

// What may become of it.
const (
	// FlagIgnore lets the share alone decide. Senders are others, and could have all of their
	// requests traced.
	FlagIgnore Flag = "ignore"
	// FlagFollow follows the sender. The share is for requests without a traceparent.
	FlagFollow Flag = "follow"
)

// Sampling says which requests are traced: by chance, because senders choose ids.
type Sampling struct {
	Share float64
	Flag  Flag
}

// On reports whether any request can be traced.
func (s *Sampling) On() bool { return s.Share > 0 || s.Flag == FlagFollow }

// Begin decides about a request, by its traceparent, and how many it has. It returns nil if nothing
// is to be done: the request is not traced, and its headers, if it has any, go on as they are.
// Otherwise receivers are to be told the context, sampled or not. Of a broken traceparent, the
// tracestate does not go on either.
func (s *Sampling) Begin(parent []byte, parents int) (c *Context, broken bool) {
	given, ok := Context{}, false
	if parents == 1 {
		given, ok = parse(parent)
	}
	broken = parents > 0 && !ok
	sampled := given.Sampled()
	if !ok || s.Flag != FlagFollow {
		sampled = s.Share > 0 && (s.Share >= 1 || rand.Float64() < s.Share)
	}
	if !sampled && !given.Sampled() && !broken {
		return nil, false
	}
	c = &given
	if c.flags &^= flagSampled; sampled {
		c.flags |= flagSampled
	}
	if !ok {
		c.flags |= flagRandom
		binary.NativeEndian.PutUint64(c.Trace[:8], rand.Uint64())
		c.Trace = TraceID(binary.NativeEndian.AppendUint64(c.Trace[:8], id()))
	}
	c.Span, c.Next = newSpanID(), newSpanID()
	return c, broken
}

// newSpanID returns the id of a span.
func newSpanID() SpanID { return SpanID(binary.NativeEndian.AppendUint64(nil, id())) }

// id returns a number that is not 0.
func id() uint64 { return rand.Uint64()>>1 + 1 }
