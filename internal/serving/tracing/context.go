package tracing

import (
	"encoding/hex"
)

// The headers of W3C Trace Context, as gateways write them. In streams they are lower case.
const (
	HeaderParent = "Traceparent"
	HeaderState  = "Tracestate"
)

// TraceID names a trace, SpanID a span in it. Zeros name none.
type (
	TraceID [16]byte
	SpanID  [8]byte
)

// Context is where a request is in a trace.
type Context struct {
	Trace TraceID
	// Parent is the span of the sender, which the request's own is inside of; zero if the trace
	// begins here.
	Parent SpanID
	// Span is the request's own, and Next the one that receivers are told: inside of Span.
	Span, Next SpanID
	flags      byte
}

// The flags of traceparent. All others are zero.
const (
	flagSampled = 1
	flagRandom  = 2 // the trace's id is random
	flagsKnown  = flagSampled | flagRandom
)

// Sampled reports whether spans are made, here and by those who follow the flag.
func (c *Context) Sampled() bool { return c.flags&flagSampled != 0 }

// The form of traceparent: version, trace, parent and flags, in hexadecimal digits.
const (
	parentLength = 55
	traceAt      = 3
	spanAt       = 36
	flagsAt      = 53
)

// parse reads a traceparent. A version that is not known is read as far as it is like ours
// (W3C Trace Context, section 4.3).
func parse(text []byte) (c Context, ok bool) {
	if len(text) < parentLength || text[traceAt-1] != '-' || text[spanAt-1] != '-' || text[flagsAt-1] != '-' {
		return Context{}, false
	}
	var version, flags [1]byte
	if !digits(version[:], text[:2]) || !digits(c.Trace[:], text[traceAt:spanAt-1]) || !digits(c.Parent[:], text[spanAt:flagsAt-1]) || !digits(flags[:], text[flagsAt:parentLength]) {
		return Context{}, false
	}
	switch longer := len(text) > parentLength; {
	case version[0] == 0xff, version[0] == 0 && longer, longer && text[parentLength] != '-':
		return Context{}, false
	case c.Trace == TraceID{}, c.Parent == SpanID{}:
		return Context{}, false
	}
	c.flags = flags[0] & flagsKnown
	return c, true
}

// digits decodes hexadecimal digits, of which letters are lower case.
func digits(to, text []byte) bool {
	for _, c := range text {
		if c >= 'A' && c <= 'F' {
			return false
		}
	}
	_, err := hex.Decode(to, text)
	return err == nil
}

// Append appends the traceparent for receivers.
func (c *Context) Append(b []byte) []byte {
	b = hex.AppendEncode(append(b, "00-"...), c.Trace[:])
	b = hex.AppendEncode(append(b, '-'), c.Next[:])
	return hex.AppendEncode(append(b, '-'), []byte{c.flags})
}
