// Package tracing decides which requests are traced, and says what a trace is, for gateways and
// streams. What becomes of traces is up to a [Tracer]: the command has one that sends them to a
// collector of OpenTelemetry. This package links none of that.
//
//	tracing.go  Tracer, and what it gets
//	context.go  the header traceparent (W3C Trace Context)
//	sampling.go which requests are traced
//	keys.go     the settings
package tracing

import (
	"strconv"
	"time"
)

// Tracer takes traces. Its methods may be called from any goroutine, and never wait.
type Tracer interface {
	// Take takes a trace, which belongs to the Tracer from then on.
	Take(*Trace)
}

// Trace is one service's part of a trace: a span, and the spans inside it.
type Trace struct {
	Context Context
	Root    Span
	// Inside are the spans inside of Root, in the order in which they began.
	Inside []Span
}

// Span is some work, and how long it took. It holds no personal data.
type Span struct {
	Name string
	Kind Kind
	// ID is the one that others know; zero if nobody does.
	ID           SpanID
	Began, Ended time.Time
	Attributes   []Attribute
	Events       []Event
	// Failed says why the work failed, in a word; "" if it has not.
	Failed string
}

// Kind is what a span is to those that it talks to.
type Kind uint8

// The kinds.
const (
	Internal Kind = iota
	Server
	Client
	Consumer
)

// Event is something that happened during a span.
type Event struct {
	Name       string
	At         time.Time
	Attributes []Attribute
}

// Attribute is a name with a value: a text, or a number if it is Numeric.
type Attribute struct {
	Name    string
	Text    string
	Number  int64
	Numeric bool
}

// Text returns an attribute that is a text.
func Text(name, value string) Attribute { return Attribute{Name: name, Text: value} }

// Number returns an attribute that is a number.
func Number[N ~int | ~int64 | ~int32](name string, value N) Attribute {
	return Attribute{Name: name, Number: int64(value), Numeric: true}
}

// String returns the value, for people.
func (a Attribute) String() string {
	if a.Numeric {
		return strconv.FormatInt(a.Number, 10)
	}
	return a.Text
}

// Add adds attributes to a span. Texts that are empty are left out.
func (s *Span) Add(some ...Attribute) {
	for _, a := range some {
		if a.Numeric || a.Text != "" {
			s.Attributes = append(s.Attributes, a)
		}
	}
}

// Spans returns how many spans the trace has.
func (t *Trace) Spans() int { return 1 + len(t.Inside) }

// Stage adds a span inside of the root, if there is an end.
func (t *Trace) Stage(name string, began, ended time.Time) {
	if !began.IsZero() && !ended.IsZero() {
		t.Inside = append(t.Inside, Span{Name: name, Began: began, Ended: ended})
	}
}
