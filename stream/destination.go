package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
)

// Destination takes accepted records one by one, in place of a sink, and says what became of each.
// Package [github.com/rtbwire/rtbwire/stream/upstream] has one that posts them to an HTTP server.
type Destination interface {
	// Deliver delivers a record, and returns when it is delivered or can't be. While the
	// destination is down it waits: nothing past the record is committed until then.
	//
	// The error is an [*Undeliverable] if this record alone can't be delivered; the stream writes
	// it to the dead letters. Any other error, that of ctx first of all, leaves the record as it
	// was: it is not committed and is read again. answer is what the destination has answered; it
	// goes to [Options.Responses] if that is set and answer is not nil. The stream keeps
	// answer until it is written.
	//
	// Several goroutines call Deliver at the same time, at most [Options.Concurrency].
	Deliver(ctx context.Context, d Delivery) (answer []byte, err error)
}

// Delivery is an accepted record on its way to a [Destination]. It is valid until Deliver returns.
type Delivery struct {
	// Lane and Position say where the record was read.
	Lane     LaneID
	Position int64
	// Time, Key and Headers are the record's own.
	Time    time.Time
	Key     []byte
	Headers []Header
	// Value is the request with the verdict's edits.
	Value []byte

	// Decision is the verdict: forward; what refuses only in shadow is in Shadow.
	Decision inspect.Decision
	// Shadow is the decision that the verdict would be without shadow; zero if nothing is in
	// shadow.
	Shadow inspect.Decision
	// Score is the fraud score, from 0 to 100.
	Score int
	// Partner is that of the facts; "" if there is none.
	Partner string
}

// Source returns the place of the record, "bids/3/1200": lane and position.
func (d *Delivery) Source() string { return sourceOf(d.Lane, d.Position) }

// Undeliverable is the error of a [Destination] or a [Sink] that says that one record can't be
// delivered, and that others can.
type Undeliverable struct {
	// Attempts is how often it was tried.
	Attempts int
	// Err is what the last attempt failed with.
	Err error
}

// Error says how often the record was tried and why it failed.
func (e *Undeliverable) Error() string {
	return fmt.Sprintf("stream: not delivered after %d attempts: %v", e.Attempts, e.Err)
}

// Unwrap returns Err.
func (e *Undeliverable) Unwrap() error { return e.Err }
