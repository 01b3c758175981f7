package files

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/rtbwire/rtbwire/internal/wholefile"
	"github.com/rtbwire/rtbwire/stream"
)

// openMax is how many files are open at the same time. Others wait until one is read to its end.
const openMax = 256

// session is one use of the folder. It is a [stream.Session].
type session struct {
	s    *Source
	o    *Options
	f    *stream.Flow
	log  *slog.Logger
	lock *wholefile.Lock

	records []stream.Record // of the last read; reused
	skipped []byte          // what is read of a long line; reused
	open    int             // files
	waiting bool            // a file waits to be opened
	fresh   bool            // the positions lack files

	saving sync.Mutex // while positions are written

	mu       sync.Mutex // below; Commit runs while Read does
	files    []*file    // those in the folder, and those that are gone and open
	lost     []*entry   // of files that are not in the folder
	lanes    map[*stream.Lane]*file
	numbers  map[string]int32 // the last number of each name of a lane
	retiring []retired
}

// retired is a lane that gets no more records.
type retired struct {
	lane *stream.Lane
	end  int64 // of what was added; -1 if nothing was
}

// over reports whether all that was added is delivered and committed.
func (r *retired) over() bool {
	at, moved := r.lane.Position()
	return !moved && (r.end < 0 || at >= r.end)
}

func newSession(s *Source, f *stream.Flow, lock *wholefile.Lock) *session {
	return &session{
		s: s, o: &s.options, f: f, log: f.Options().Log, lock: lock,
		lanes: map[*stream.Lane]*file{}, numbers: map[string]int32{},
	}
}

// Read follows the folder until ctx ends.
func (n *session) Read(ctx context.Context) {
	poll := time.NewTicker(n.o.PollInterval)
	defer poll.Stop()
	for ctx.Err() == nil {
		if err := n.scan(time.Now(), false); err != nil {
			n.f.NotReady("the folder can't be read; the log has the error")
			n.f.Warn("folder", "the folder can't be read; it is tried again", "folder", n.o.Folder, "error", err)
		} else if n.f.Ready() {
			n.log.Info("following", "folder", n.o.Folder, "pattern", n.o.Pattern, "files", len(n.files))
		}
		if n.fresh { // so that they are known by whatever name they get
			if err := n.save(); err != nil {
				n.f.Warn("save", "new files are not noted yet", "error", err)
			}
		}
		for n.readEach(ctx) && len(poll.C) == 0 {
		}
		n.closeIdle(ctx, time.Now())
		select {
		case <-poll.C:
		case <-ctx.Done():
		}
	}
	if n.readGone() {
		n.f.Settle(ctx) // a stop drops what is not sent yet, to read it again
	}
}

// goneMax is how much of a deleted file is read at the stop.
const goneMax = 64 << 10

// readGone reads what little is left of files that were deleted, with half a line at the end:
// nobody can read it after the stop. It reports whether there was some.
func (n *session) readGone() (some bool) {
	if err := n.scan(time.Now(), false); err != nil {
		n.f.Warn("folder", "the folder can't be read", "folder", n.o.Folder, "error", err)
	}
	for _, f := range n.files {
		if !f.gone || f.file == nil || f.refused != "" {
			continue
		}
		for f.size > f.at && (f.half >= 0 || f.size-f.at-f.long <= goneMax) {
			f.last, some = true, true
			if err := n.read(f); err != nil {
				n.log.Warn("a deleted file can't be read", "file", n.path(f), "error", err)
				break
			}
		}
		if left := f.size - f.at; left > 0 {
			n.log.Warn("a deleted file was not read to its end: the rest is lost", "file", n.path(f), "bytes", left)
		}
	}
	return some
}

// readEach reads some of each file, and reports whether there is more.
func (n *session) readEach(ctx context.Context) (more bool) {
	n.waiting = false
	for _, f := range slices.Clone(n.files) {
		if !f.unread() {
			continue
		}
		n.f.Wait(ctx)
		if ctx.Err() != nil {
			return false
		}
		if err := n.read(f); err != nil {
			n.s.metrics.readErrors.Inc()
			n.f.Warn("read", "a file can't be read; it is tried again", "file", n.path(f), "error", err)
			continue
		}
		more = more || f.unread() && f.file != nil
	}
	return more
}

// closeIdle closes files that are read to their end, and forgets lanes that get no more records.
func (n *session) closeIdle(ctx context.Context, now time.Time) {
	var gone []*stream.Lane
	n.mu.Lock()
	for _, f := range n.files {
		idle := n.waiting || now.Sub(f.changed) >= n.o.IdleAfter
		if half := f.half >= 0 && (!n.waiting || f.gone); f.file == nil || f.unread() || !idle || half {
			continue // what is left may get its newline, or become the last line
		}
		r := f.retired()
		if f.lane != nil && !r.over() {
			continue
		}
		n.close(f)
		if f.lane != nil {
			gone = append(gone, f.lane)
			delete(n.lanes, f.lane)
			f.lane, f.added = nil, false
		}
	}
	n.retiring = slices.DeleteFunc(n.retiring, func(r retired) bool {
		if r.over() {
			gone = append(gone, r.lane)
			return true
		}
		return false
	})
	n.mu.Unlock()
	if len(gone) > 0 {
		n.f.Drop(ctx, gone)
	}
}

// Commit keeps positions.
func (n *session) Commit(_ context.Context, at []stream.Position) error {
	n.mu.Lock()
	for _, p := range at {
		if f := n.lanes[p.Lane]; f != nil { // otherwise it is about what a truncated file had
			f.entry.at(p.At, f.head)
		}
	}
	n.mu.Unlock()
	if err := n.save(); err != nil {
		return err
	}
	for i := range at {
		at[i].Stored = true
	}
	return nil
}

// save writes the positions.
func (n *session) save() error {
	n.saving.Lock()
	defer n.saving.Unlock()
	n.mu.Lock()
	all := slices.Clone(n.lost)
	for _, f := range n.files {
		if f.refused == "" {
			all = append(all, f.entry)
		}
	}
	slices.SortFunc(all, func(a, b *entry) int { return cmp.Or(cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Number, b.Number)) })
	text, err := textOf(all)
	n.mu.Unlock()
	if err == nil {
		err = writePositions(n.o.Positions, text)
	}
	if err != nil {
		return fmt.Errorf("the positions %s can't be written: %w", n.o.Positions, err)
	}
	return nil
}

// Close closes the files and gives the positions free. The source keeps the session until the next
// one begins: its lag is that of the meantime.
func (n *session) Close(context.Context) { n.release() }

func (n *session) release() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, f := range n.files {
		n.close(f)
	}
	n.lock.Release()
}
