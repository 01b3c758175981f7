package stream

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Source is where records come from: topics of Kafka (package
// [github.com/rtbwire/rtbwire/stream/kafka]), files ([github.com/rtbwire/rtbwire/stream/files]), or
// anything else that can be read again from a position. What an implementation owes:
//
//   - Order. A source has lanes: partitions, files. It adds the records of a lane in their order,
//     from one goroutine at a time. Lanes are independent of each other.
//   - Positions. Each record says where it begins and where reading goes on after it. Positions of
//     a lane grow. The stream commits the end of the longest prefix of a lane that is delivered, so
//     a position is all that a source has to keep. They count records, or what a method Unit of the
//     source names ("byte").
//   - Redelivery. A session begins each lane at its committed position, and reads again what was
//     added and not committed. It neither skips a record nor repeats one that is committed.
//   - Bounds. Before each read it waits for [Flow.Wait]. What one read adds is bounded.
//   - Close. After Close nothing of the session runs any more, and what it held (locks,
//     memberships) is free for another process.
//
// A Source that is a [prometheus.Collector] has its metrics collected with those of the stream.
type Source interface {
	// Open begins a session at the committed positions. It may add lanes to the flow at once, and
	// until the session is closed. After an error the stream waits and opens the next session; a
	// [Fatal] one ends Run.
	Open(ctx context.Context, f *Flow) (Session, error)
}

// Session is a source in use, from the committed positions on. A session that has failed is closed
// and followed by another one.
type Session interface {
	// Read adds records to lanes until ctx ends. What it can't read it reports with [Flow.Fail].
	Read(ctx context.Context)
	// Commit keeps positions, durably, and sets Stored of each that is kept. It is called while
	// Read runs and after it, by one goroutine at a time. An error is tried again with the next
	// commit, unless it is [Fatal]; one that is [ErrLaneLost] is not tried again when lanes leave.
	Commit(ctx context.Context, at []Position) error
	// Close ends the session, after Read. It gives up when ctx ends.
	Close(ctx context.Context)
}

// Position is the end of what is delivered of a lane.
type Position struct {
	Lane   *Lane
	At     int64 // the Next of the last record
	Stored bool  // set by [Session.Commit]
}

// Sink is where records go: a topic, a file. The stream writes the records of a lane in their
// order, and several lanes at the same time. A Sink that is a [prometheus.Collector] has its
// metrics collected with those of the stream.
type Sink interface {
	// Check reports why a record can never be written; nil if it can. The error is [ErrTooLarge]
	// if that is its size. It is called before Write, by several goroutines at the same time.
	Check(r *Record) error
	// Write begins to write a record, and calls done once: without an error when the record is
	// durable. It may wait for space, but not for what done does. The record is valid and unchanged
	// until done is called, which may be before Write returns.
	//
	// An [*Undeliverable] error is about this record alone: an accepted record becomes a dead
	// letter. [context.Canceled] means that the record was given up because ctx or the session has
	// ended. After any other error the stream begins a new session, which reads the record again,
	// or ends if the error is [Fatal].
	Write(ctx context.Context, r *Record, done func(error))
}

// Record is one record on its way from a source to a sink. A source fills in all fields but Added.
type Record struct {
	// Key and Value are as they were read, and may be nil. The source keeps them unchanged until
	// the record is committed.
	Key, Value []byte
	Headers    []Header
	// Size is the length of a value that the source has not read because it is longer than
	// [Options.MaxRecord]. Value is empty then, and the record becomes a dead letter.
	Size int64
	// Time is the record's own, for the facts of verdicts.
	Time time.Time

	// Lane is set by [Lane.Add]. Position is where the record begins in it, and Next where reading
	// goes on after it.
	Lane           *Lane
	Position, Next int64
	// Mark is true for what has a position and is no record, the end of a transaction say. It is
	// neither judged nor written.
	Mark bool

	// Added are the headers of a dead letter or a response, after those of the record. A sink that
	// writes both as one list renames the record's own with [SenderHeader].
	Added []Header
	// Origin is the source's own form of the record. A sink of the same kind may write it; others
	// ignore it.
	Origin any
}

// Header is a header of a record.
type Header struct {
	Key   string
	Value []byte
}

// Source returns the place of the record, "bids/3/1200": lane and position.
func (r *Record) Source() string { return sourceOf(r.Lane.ID, r.Position) }

// LaneID names a lane: a topic and one of its partitions, a file and its number.
type LaneID struct {
	Name   string
	Number int32
}

func sourceOf(id LaneID, position int64) string {
	return fmt.Sprintf("%s/%d/%d", id.Name, id.Number, position)
}

// ErrTooLarge is the error of a record that is too large for a sink.
var ErrTooLarge = errors.New("stream: the record is too large")

// ErrLaneLost is the error of a commit for a lane that another process has.
var ErrLaneLost = errors.New("stream: the lane is another process's now")

// Fatal returns an error that ends Run, because waiting does not cure it: wrong credentials say.
// After all others a new session begins.
func Fatal(err error) error { return &fatal{err} }

type fatal struct{ err error }

func (f *fatal) Error() string { return f.err.Error() }
func (f *fatal) Unwrap() error { return f.err }

func isFatal(err error) bool {
	_, is := errors.AsType[*fatal](err)
	return is
}
