package payload

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/simd/literals"
)

// depthMax is how deep a document may be nested to count as valid; it is the default of the C++
// scanner. Of a document that is not valid all bytes are searched.
const depthMax = 256

// retainedMax is the size of the largest buffers that are kept for the next scan.
const retainedMax = 1 << 20

// hit is an occurrence while its place is worked out.
type hit struct {
	pattern int
	at      int // in the text that is searched, and then step by step in those it was made from
	text    int // where it was in the text of the layer
	stage   int // 0 in the document and its text, then the stage that it was found in
	nested  int
}

// layer is the memory for one level of JSON in JSON.
type layer struct {
	segments []segment
	skip     []literals.Span
	text     []byte // of the segments
	stage    []byte // the text of a stage
	base     []byte // the text that the stages of Squeeze start from
	fold     bool   // write text in lower case
}

// work is the memory of one scan.
type work struct {
	*Scanner
	seen   []uint64 // patterns that need not be looked for any more
	now    []uint64 // the same while one text is searched
	found  []literals.Hit
	hits   []hit // of all levels, those of the innermost last
	spans  []fieldSpan
	rest   []segment
	walk   grammar.Walk
	levels [NestedMax + 1]layer
	left   int  // of the budget
	spent  bool // more was needed
}

// Scan looks for the patterns in body, which it only reads during the call, and appends a match for
// each pattern that occurs, at its first occurrence: first what is found without layers, in the
// order of the text, then with each stage of them, then what is found in strings of JSON. No
// pattern comes twice. If the verdict is Exhausted, more may occur.
//
// Scan does not allocate if dst has the capacity, except for memory that the next scans use again.
func (s *Scanner) Scan(dst []Match, body []byte) ([]Match, Verdict) {
	if len(body) > s.work {
		return dst, Exhausted
	}
	if !s.set.MayHold(body) && (s.tables.leads == nil || !s.beginsIn(body)) {
		return dst, Clean
	}
	w := s.pool.Get().(*work)
	verdict := w.scan(body)
	for _, h := range w.hits {
		dst = append(dst, Match{h.pattern, h.at, h.stage > 0, h.nested})
	}
	w.trim()
	s.pool.Put(w)
	return dst, verdict
}

// scan fills hits.
func (w *work) scan(body []byte) Verdict {
	w.left, w.spent, w.hits = w.Scanner.work, false, w.hits[:0]
	clear(w.seen)
	w.findFields(body)
	w.document(body, 0, nil)
	switch {
	case w.spent:
		return Exhausted
	case len(w.hits) > 0:
		return Found
	}
	return Clean
}

// trim drops buffers that one large document has left.
func (w *work) trim() {
	const segmentSize, spanSize = 24, 16
	for i := range w.levels {
		l := &w.levels[i]
		if cap(l.text)+cap(l.stage)+cap(l.base)+segmentSize*cap(l.segments)+spanSize*cap(l.skip) > retainedMax {
			*l = layer{}
		}
	}
}

// spend takes n bytes of the budget, or notes that there is not enough left.
func (w *work) spend(n int) bool {
	if w.spent = w.spent || n > w.left; !w.spent {
		w.left -= n
	}
	return !w.spent
}

// document searches a document, at a level of JSON in JSON, for all patterns that are neither in
// seen nor in except. It appends hits, with positions in raw, in order.
func (w *work) document(raw []byte, level int, except []uint64) {
	from := len(w.hits)
	w.everywhere(raw, level, except, false)
	if w.bare && len(w.hits) > from {
		// Text outside strings counts only in a malformed document.
		if fault, _ := grammar.Check(raw, depthMax, false); fault == 0 {
			w.hits = w.hits[:from]
			w.everywhere(raw, level, except, true)
		}
	}
	w.settle(from)
	if level < w.nested {
		w.strings(raw, level, except)
	}
}

// everywhere searches a document: first all but the fields that are exceptions, then each of those.
func (w *work) everywhere(raw []byte, level int, except []uint64, onlyStrings bool) {
	l := &w.levels[level]
	l.begin()
	l.fold = w.layers != NoLayers
	if onlyStrings {
		l.collectStrings(raw)
		l.skip = append(l.skip, literals.Span{From: 0, To: len(raw)})
	} else {
		l.collect(raw, w.tables.leads, w.bare)
		for _, s := range l.segments {
			l.skip = append(l.skip, literals.Span{From: s.raw, To: s.rawEnd})
		}
	}
	if level == 0 && len(w.spans) > 0 {
		w.besidesFields(raw, l, onlyStrings)
		return
	}
	w.search(raw, l, except)
}

// begin forgets the document before.
func (l *layer) begin() {
	l.segments, l.skip, l.text = l.segments[:0], l.skip[:0], l.text[:0]
}

// search searches raw without what is to be skipped, and the text of the segments.
func (w *work) search(raw []byte, l *layer, except []uint64) {
	from := len(w.hits)
	if !w.spend(len(raw)) {
		return
	}
	w.find(&literals.Query{Text: raw, Quoted: true, Skip: l.skip}, except, from, 0)
	if len(l.text) == 0 || !w.spend(2*len(l.text)) {
		return
	}
	plain := len(w.hits)
	w.find(&literals.Query{Text: l.text}, except, plain, 0)
	l.toRaw(raw, byPosition(w.hits[plain:]))
	if w.layers != NoLayers {
		w.stages(raw, l, except, from)
	}
}

// find appends the hits in one text. Patterns that are in seen, in except, or among the hits from a
// number on are not looked for.
func (w *work) find(q *literals.Query, except []uint64, from, stage int) {
	w.now = append(w.now[:0], w.seen...)
	for i, bits := range except {
		w.now[i] |= bits
	}
	for _, h := range w.hits[from:] {
		w.now[h.pattern/64] |= 1 << (h.pattern % 64)
	}
	q.Seen = w.now
	w.found = w.set.Search(w.found[:0], q)
	for _, f := range w.found {
		w.hits = append(w.hits, hit{pattern: f.Literal, at: f.At, stage: stage})
	}
}

// byPosition sorts hits by position.
func byPosition(hits []hit) []hit {
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(a.at, b.at) })
	return hits
}

// settle sorts the hits from a number on, and keeps the first of each pattern.
func (w *work) settle(from int) {
	hits := w.hits[from:]
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.stage, b.stage), cmp.Compare(a.at, b.at), cmp.Compare(a.pattern, b.pattern))
	})
	kept := w.hits[:from]
	for _, h := range hits {
		word, bit := &w.seen[h.pattern/64], uint64(1)<<(h.pattern%64)
		if *word&bit == 0 {
			*word |= bit
			kept = append(kept, h)
		}
	}
	w.hits = kept
}

// strings searches the strings of a document that look like JSON with strings of its own. Such a
// string has a backslash, so that its text is at hand.
func (w *work) strings(raw []byte, level int, except []uint64) {
	l := &w.levels[level]
	if level == 0 && len(w.spans) > 0 {
		l.begin()
		l.collect(raw, nil, w.bare)
	}
	for i := range l.segments {
		s := &l.segments[i]
		text := l.text[s.text:]
		text = text[:bytes.IndexByte(text, mark)]
		if !looksLikeJSON(text) {
			continue
		}
		skip := except
		if level == 0 {
			skip = w.exceptAt(s.raw)
		}
		from := len(w.hits)
		w.document(text, level+1, skip)
		hits := w.hits[from:]
		for k := range hits {
			hits[k].at += s.text
			hits[k].nested = max(hits[k].nested, level+1)
		}
		l.toRaw(raw, byPosition(hits))
	}
}

// looksLikeJSON reports whether a text begins like a JSON value and has a quote.
func looksLikeJSON(text []byte) bool {
	at := 0
	for at < len(text) && grammar.IsSpace(text[at]) {
		at++
	}
	return at < len(text) && (text[at] == '{' || text[at] == '[' || text[at] == '"') && bytes.IndexByte(text[at:], '"') >= 0
}
