package schema

import "slices"

// This file makes a text with findings decodable: edits replace what the decoder would refuse.

// edit replaces data[start:end].
type edit struct {
	start, end int
	text       string
	forgotten  bool // the whole value of a repeated key, with all edits inside it
}

// decodable returns the text with the edits applied. It keeps the edits that it applied.
func (d *docText) decodable() []byte {
	if len(d.edits) == 0 {
		return d.data
	}
	// Later edits are about values further out, so of two at the same place the later counts.
	slices.Reverse(d.edits)
	slices.SortStableFunc(d.edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		if a.rank() != b.rank() {
			return a.rank() - b.rank()
		}
		return b.end - a.end // the outer one first
	})
	out, done := d.patch[:0], 0
	applied, forgotten := d.edits[:0], -1
	for _, e := range d.edits {
		if e.start < done || e.start == e.end && e.start == forgotten {
			continue // inside what another edit has replaced, or the bracket that ends it
		}
		out = append(out, d.data[done:e.start]...)
		out = append(out, e.text...)
		done = e.end
		if e.forgotten {
			forgotten = e.end
		}
		applied = append(applied, e)
	}
	d.edits = applied
	d.patch = append(out, d.data[done:]...)
	return d.patch
}

// rank orders edits that start at the same byte: forgotten values, which make the others
// pointless, then brackets put around a value, then replacements.
func (e *edit) rank() int {
	switch {
	case e.forgotten:
		return 0
	case e.start == e.end:
		return 1
	}
	return 2
}

// original converts an offset in the decodable text to one in the document.
func (d *docText) original(offset int) int {
	shift := 0
	for _, e := range d.edits {
		if offset < e.start+shift {
			break
		}
		if offset < e.start+shift+len(e.text) {
			return e.start
		}
		shift += len(e.text) - (e.end - e.start)
	}
	return min(offset-shift, len(d.data))
}
