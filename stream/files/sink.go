package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/rtbwire/rtbwire/stream"
)

// Defaults and bounds of [SinkOptions].
const (
	RotateSizeDefault = 1 << 30
	RotateSizeMin     = 4 << 10
	RotateSizeMax     = 1 << 40

	SyncIntervalDefault = 10 * time.Millisecond
	SyncIntervalMax     = 10 * time.Second

	// pendingMax is how much may wait to be written before Write waits, in bytes.
	pendingMax = 8 << 20
)

// SinkOptions say what a sink writes. Path has no default; the zero value of every other field is
// its default.
type SinkOptions struct {
	// Path is the file that is appended to. One process at a time does.
	Path string
	// Form is what a record looks like on its line. Default: [Values].
	Form Form
	// RotateSize is the size from which on the file is renamed, PATH.000001 and so on, and the next
	// one begins. Nothing deletes the renamed ones. Default: [RotateSizeDefault].
	RotateSize int64
	// SyncInterval is how long a record may wait for others to be synced to the disk with it.
	// Default: [SyncIntervalDefault].
	SyncInterval time.Duration
	// Log gets what operators should know. Default: [slog.Default].
	Log *slog.Logger
}

func (o *SinkOptions) validate() error {
	if o.Path == "" {
		return errors.New("stream: no file to write")
	}
	if int(o.Form) >= len(formNames) {
		return fmt.Errorf("stream: %v (want Values or Objects)", o.Form)
	}
	o.RotateSize = cmp.Or(o.RotateSize, RotateSizeDefault)
	if o.RotateSize < RotateSizeMin || o.RotateSize > RotateSizeMax {
		return fmt.Errorf("stream: RotateSize is %d (want 0 for the default, or %d to %d)", o.RotateSize, int64(RotateSizeMin), int64(RotateSizeMax))
	}
	o.SyncInterval = cmp.Or(o.SyncInterval, SyncIntervalDefault)
	if o.SyncInterval < 0 || o.SyncInterval > SyncIntervalMax {
		return fmt.Errorf("stream: SyncInterval is %v (want 0 for the default, or up to %v)", o.SyncInterval, SyncIntervalMax)
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return nil
}

// Sink appends records to a file, one on each line. A record is done when it is synced to the disk.
// Make it with [NewSink], and close it after the stream's Run. It is a [stream.Sink].
type Sink struct {
	options SinkOptions
	metrics sinkMetrics
	file    *appended // of whoever flushes

	mu       sync.Mutex
	space    sync.Cond     // there is less to be written, or flushing has ended
	text     []byte        // to be written
	done     []func(error) // of the records in it
	flushing bool          // a goroutine writes until nothing is left
	closed   bool
	// failed is why nothing is written until the contexts of the records end that it was noticed
	// for: a record must not overtake one that the next session reads again.
	failed error
	until  context.Context
}

// NewSink opens the file, and removes half a line that a crash has left at its end.
func NewSink(o SinkOptions) (*Sink, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	file, err := openAppended(&o)
	if err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	s := &Sink{options: o, file: file}
	s.metrics.init(o.Path)
	s.space.L = &s.mu
	return s, nil
}

// Check implements [stream.Sink]: every record can be written.
func (*Sink) Check(*stream.Record) error { return nil }

var errClosed = errors.New("the file is closed")

// Write implements [stream.Sink].
func (s *Sink) Write(ctx context.Context, r *stream.Record, done func(error)) {
	if err := s.write(ctx, r, done); err != nil {
		done(err)
	}
}

func (s *Sink) write(ctx context.Context, r *stream.Record, done func(error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.text) >= pendingMax {
		s.wait(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return context.Canceled
	case s.closed:
		return errClosed
	case s.failed != nil && s.until.Err() == nil:
		return s.failed
	}
	s.failed, s.until = nil, ctx
	s.text = s.options.Form.append(s.text, r)
	s.done = append(s.done, done)
	if !s.flushing {
		s.flushing = true
		go s.flush()
	}
	return nil
}

// wait waits for space, or until ctx ends. The caller has the lock.
func (s *Sink) wait(ctx context.Context) {
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.space.Broadcast()
	})()
	for len(s.text) >= pendingMax && ctx.Err() == nil {
		s.space.Wait()
	}
}

// flush writes what waits, in groups, until nothing is left.
func (s *Sink) flush() {
	var text []byte
	var done []func(error)
	for {
		time.Sleep(s.options.SyncInterval) // others come
		s.mu.Lock()
		if len(s.done) == 0 {
			s.flushing = false
			s.space.Broadcast()
			s.mu.Unlock()
			return
		}
		s.text, text = text[:0], s.text
		s.done, done = done[:0], s.done
		s.mu.Unlock()
		err := s.file.append(text)
		if err != nil {
			s.metrics.errors.Inc()
			err = fmt.Errorf("%s can't be written: %w", s.options.Path, err)
		} else {
			s.metrics.records.Add(float64(len(done)))
			s.metrics.bytes.Add(float64(len(text)))
		}
		s.mu.Lock()
		if err != nil { // what has come in the meantime would overtake
			s.failed = err
			done = append(done, s.done...)
			s.text, s.done = s.text[:0], s.done[:0]
		}
		s.space.Broadcast()
		s.mu.Unlock()
		for _, d := range done {
			d(err)
		}
		clear(done)
		if cap(text) > pendingMax {
			text = nil
		}
	}
}

// Close waits for what is being written, and closes the file.
func (s *Sink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	for s.flushing {
		s.space.Wait()
	}
	return s.file.close()
}
