package stream

import "sync"

// Why a stream does not read. These are answers of /readyz, which everybody may ask: what exactly
// has failed is in the log.
const (
	notBegun = "the source is not read yet"
	begins   = "it begins again after a failure; the log has the error"
	stopping = "stopping"
)

// readiness is whether the session in use reads, and why not. Others that end late change nothing.
type readiness struct {
	mu  sync.Mutex
	f   *Flow
	why string // "" if it reads
}

// use notes the session in use, nil for none, and why nothing is read until it says otherwise.
func (r *readiness) use(f *Flow, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.f, r.why = f, why
}

// say notes what a session says. It returns what was so before.
func (r *readiness) say(f *Flow, why string) (before string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before = r.why
	if r.f == f {
		r.why = why
	}
	return before
}

// NotReady says why the stream does not read, "" if it does: from the moment when its source says
// so, while the source can be read, until the context of Run ends.
func (s *Stream) NotReady() (why string) {
	s.ready.mu.Lock()
	defer s.ready.mu.Unlock()
	return s.ready.why
}

// Ready reports whether the stream reads, see [Stream.NotReady].
func (s *Stream) Ready() bool { return s.NotReady() == "" }

// Ready says that the session reads. It reports whether it did not before: it has begun, or can
// read again.
func (f *Flow) Ready() (first bool) { return f.s.ready.say(f, "") != "" }

// NotReady says that the session can't read its source now, and tries again until it says
// [Flow.Ready]. Why is a sentence without what is secret.
func (f *Flow) NotReady(why string) { f.s.ready.say(f, why) }
