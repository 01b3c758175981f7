package overrides

import (
	"cmp"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/logs"
)

// Options are what a [Store] needs.
type Options struct {
	// File is the file of state; "" keeps the entries in memory.
	File string
	// Known returns an error, see [Unknownf], for a name that the gateway does not have, and may
	// refuse a change that it can't make. Nil takes all names.
	Known func(e *Entry) error
	// Apply puts a set in use; nil if nothing is in effect. It is called by one goroutine at a
	// time.
	Apply func(s *Set)
	// Logger gets a line for every change. Default: [slog.Default].
	Logger *slog.Logger
	// Now is the clock. Default: [time.Now].
	Now func() time.Time
}

// Operator is who changes something.
type Operator struct {
	Name string // of the token or the certificate
	From string // the address
}

// Store has the entries. Make it with [Open]; all methods may be called by any goroutine.
type Store struct {
	options Options

	mu      sync.Mutex
	entries []Entry
	written []byte // what the file has
	problem error  // of the last write
	timer   *time.Timer
	closed  bool
}

// lookAgain is how long the clock is trusted: entries end by the time of the day, which can be set.
const lookAgain = time.Minute

// Open reads the file of state and puts its entries in use. A file that can't be read is an error.
// One that can't be written is a line in the log, and in [Store.Problem].
func Open(o Options) (*Store, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Store{options: o}
	if o.File != "" {
		var err error
		if s.written, s.entries, err = read(o.File); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	restored := len(s.entries)
	s.expire()
	s.save()
	if err := s.use(); err != nil {
		return nil, err
	}
	if o.File != "" {
		o.Logger.Info("operators' changes", "file", o.File, "in_effect", len(s.entries), "ended_meanwhile", restored-len(s.entries))
	}
	return s, nil
}

// Add puts an entry in effect for some time, 0 for [ForDefault]. It takes the place of one about
// the same.
func (s *Store) Add(e Entry, span time.Duration, by Operator) (Entry, error) {
	span = cmp.Or(span, ForDefault)
	if span < ForMin || span > ForMax {
		return e, Invalidf("for %v (want %v to %v)", span, ForMin, ForMax)
	}
	if err := e.complete(); err != nil {
		return e, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	at := s.index(&e)
	if at < 0 && len(s.entries) >= EntriesMax {
		return e, Conflictf("%d changes are in effect, which is the most: release some", EntriesMax)
	}
	if s.options.Known != nil {
		if err := s.options.Known(&e); err != nil {
			return e, err
		}
	}
	e.By, e.Since = by.Name, s.options.Now().UTC().Truncate(time.Second)
	e.Until = e.Since.Add(span)
	before := slices.Clone(s.entries)
	if at >= 0 {
		s.entries[at] = e
	} else {
		s.entries = append(s.entries, e)
	}
	if err := s.use(); err != nil {
		s.entries = before
		return e, err
	}
	s.save()
	s.audit("operator change", &e, by)
	return e, nil
}

// Release ends an entry before its time.
func (s *Store) Release(e Entry, by Operator) (Entry, error) {
	if err := e.complete(); err != nil {
		return e, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	at := s.index(&e)
	if at < 0 {
		return e, &problem{ErrAbsent, e.String() + " is not in effect"}
	}
	e = s.entries[at]
	before := slices.Clone(s.entries)
	s.entries = slices.Delete(s.entries, at, at+1)
	if err := s.use(); err != nil {
		s.entries = before
		return e, err
	}
	s.save()
	s.audit("operator release", &e, by)
	return e, nil
}

// List returns what is in effect, by action, kind and name.
func (s *Store) List() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	list := append([]Entry{}, s.entries...)
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Action, b.Action), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// File returns the file of state, "" if there is none.
func (s *Store) File() string { return s.options.File }

// Problem says why the file does not have the entries; nil if it has, or there is no file.
func (s *Store) Problem() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem
}

// Close stops the clock: no entry ends any more.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
}

// index returns where the entry about the same is, or -1. s.mu is held, as for all that follow.
func (s *Store) index(e *Entry) int {
	return slices.IndexFunc(s.entries, func(own Entry) bool { return own.same(e) })
}

// expire removes the entries whose time is over. It reports whether there were any.
func (s *Store) expire() bool {
	now := s.options.Now()
	var ended []Entry
	s.entries = slices.DeleteFunc(s.entries, func(e Entry) bool {
		if now.Before(e.Until) {
			return false
		}
		ended = append(ended, e)
		return true
	})
	for i := range ended {
		s.audit("operator change ended", &ended[i], Operator{Name: "time"})
	}
	return len(ended) > 0
}

// use puts the entries in use, and waits for the next one that ends.
func (s *Store) use() error {
	set, err := newSet(s.entries)
	if err != nil {
		return err
	}
	if s.options.Apply != nil {
		s.options.Apply(set)
	}
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if len(s.entries) == 0 || s.closed {
		return nil
	}
	next := slices.MinFunc(s.entries, func(a, b Entry) int { return a.Until.Compare(b.Until) })
	s.timer = time.AfterFunc(max(min(next.Until.Sub(s.options.Now()), lookAgain), 0), s.tick)
	return nil
}

// tick ends the entries whose time is over.
func (s *Store) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.expire()
	if err := s.use(); err != nil {
		s.options.Logger.Error("operators' changes can't be compiled", "error", err) // not reached: they were
	}
}

// save writes the file. A change that the file lacks is in effect all the same.
func (s *Store) save() {
	if s.options.File == "" {
		return
	}
	text := encode(s.entries)
	err := write(s.options.File, s.written, text)
	if err == nil {
		s.written = text
	} else {
		s.options.Logger.Error("operators' changes were not written: they are in effect until the process ends", "file", s.options.File, "error", err)
	}
	s.problem = err
}

// audit writes the line about a change. It is there whatever the level of the log is.
func (s *Store) audit(text string, e *Entry, by Operator) {
	attributes := []slog.Attr{
		slog.String("action", string(e.Action)), slog.String("kind", string(e.Kind)), slog.String("name", e.Name),
		slog.Time("until", e.Until), slog.String("by", by.Name),
	}
	if by.From != "" {
		attributes = append(attributes, slog.String("from", by.From))
	}
	if e.Note != "" {
		attributes = append(attributes, slog.String("note", e.Note))
	}
	logs.Always(s.options.Logger, text, attributes...)
}
