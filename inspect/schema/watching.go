package schema

import "github.com/rtbwire/rtbwire/wire"

// watching says which decoders watch keys; see [wire.WatchKeys]. It takes a fifth of the time of
// decoding requests, which have an ext in each impression. Without it the text layer looks at each
// document with an unknown key. That costs more for responses and native payloads: they have few
// ext, and unknown keys are common there.
type watching struct {
	requests bool
	others   bool // responses and native payloads
}

// watches says which decoders have to watch keys, or had better. It comes after notes.
func (e *Engine) watches() watching {
	if e.insideExt() { // only watching tells
		return watching{requests: true, others: true}
	}
	about := e.on(ruleAnyDuplicateKey) || e.on(ruleAnyKeyCase)
	return watching{others: about && e.notes&wire.NoteUnknownKey == 0}
}

// more makes further decoders watch keys, and reports whether there are any. A decoder goes on
// watching, for a checker that two engines use in turns.
func (w *watching) more(wanted watching) bool {
	before := *w
	w.requests = w.requests || wanted.requests
	w.others = w.others || wanted.others
	return *w != before
}

// watch is the options of a decoder.
func watch(keys bool) []wire.Option {
	if keys {
		return []wire.Option{wire.WatchKeys()}
	}
	return nil
}
