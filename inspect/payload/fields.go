package payload

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/simd/literals"
)

// Field is a field in which some patterns are harmless: markup is what the adm of a bid is for.
//
//	payload.Field{Pointer: "/seatbid/*/bid/*/adm", Harmless: []string{"xss.*"}}
//
// It applies to the field's value if that is a string, and only in valid documents: a malformed one
// has no reliable fields.
type Field struct {
	// Pointer is a JSON Pointer. An element * is any element.
	Pointer string

	// Harmless are ids of patterns, as path.Match has them.
	Harmless []string
}

// field is a Field, compiled.
type field struct {
	elements []string // unescaped; anyElement for any
	except   []uint64 // a bit for each pattern that is harmless
}

// anyElement can't be the name of an element: it is not UTF-8.
const anyElement = "\xff"

// fieldSpan is the value of a field in a document.
type fieldSpan struct {
	literals.Span
	field int
}

func (s *Scanner) compileFields(fields []Field) ([]field, error) {
	var compiled []field
	for _, f := range fields {
		c := field{except: make([]uint64, s.set.Words())}
		elements := strings.Split(f.Pointer, "/")
		if len(elements) < 2 || elements[0] != "" {
			return nil, fmt.Errorf("payload: field %q: the pointer does not begin with /", f.Pointer)
		}
		for _, e := range elements[1:] {
			name, ok := grammar.UnescapePointer(e)
			if !ok {
				return nil, fmt.Errorf("payload: field %q: an element has an escape other than ~0 and ~1", f.Pointer)
			}
			if e == "*" {
				name = anyElement
			}
			c.elements = append(c.elements, name)
		}
		for _, id := range f.Harmless {
			if err := s.except(c.except, id); err != nil {
				return nil, fmt.Errorf("payload: field %q: %w", f.Pointer, err)
			}
		}
		compiled = append(compiled, c)
	}
	return compiled, nil
}

// except sets the bits of the patterns whose id matches.
func (s *Scanner) except(bits []uint64, id string) error {
	some := false
	for i, p := range s.patterns {
		match, err := path.Match(id, p.ID)
		if err != nil {
			return fmt.Errorf("harmless %q: %w", id, err)
		}
		if match {
			bits[i/64] |= 1 << (i % 64)
			some = true
		}
	}
	if !some {
		return fmt.Errorf("no pattern has the id %q", id)
	}
	return nil
}

// findFields fills spans with the values of fields in a valid document, in the order of the text.
func (w *work) findFields(body []byte) {
	w.spans = w.spans[:0]
	if len(w.fields) == 0 {
		return
	}
	w.walk.Scanner = grammar.Scanner{Data: body, Depth: depthMax}
	if !w.walk.Document() {
		w.spans = w.spans[:0]
	}
	w.walk.Data = nil
}

// visitField notes the string that the walk has come to if it is a field's value.
func (w *work) visitField(begin, end int, key bool) bool {
	for i := range w.fields {
		if !key && w.fields[i].is(w.walk.Path) {
			w.spans = append(w.spans, fieldSpan{literals.Span{From: begin, To: end}, i})
			break
		}
	}
	return true
}

// is reports whether a path leads to the field.
func (f *field) is(path []grammar.Element) bool {
	if len(path) != len(f.elements) {
		return false
	}
	for i := range path {
		if want := f.elements[i]; want != anyElement && !path[i].Is(want) {
			return false
		}
	}
	return true
}

// spanAt returns the span of the field whose value begins at a position, or nil.
func (w *work) spanAt(begin int) *fieldSpan {
	i := sort.Search(len(w.spans), func(i int) bool { return w.spans[i].From >= begin })
	if i == len(w.spans) || w.spans[i].From != begin {
		return nil
	}
	return &w.spans[i]
}

// exceptAt returns the patterns that are harmless in the string that begins at a position.
func (w *work) exceptAt(begin int) []uint64 {
	if s := w.spanAt(begin); s != nil {
		return w.fields[s.field].except
	}
	return nil
}

// besidesFields searches a valid document: first all but the values of fields, then each of these
// without the patterns that are harmless there. all says that nothing is searched in raw itself.
func (w *work) besidesFields(raw []byte, l *layer, all bool) {
	w.rest = append(w.rest[:0], l.segments...)
	l.segments, l.text = l.segments[:0], l.text[:0]
	for _, s := range w.rest {
		if w.spanAt(s.raw) == nil {
			l.addSegment(raw, s.raw)
		}
	}
	if !all {
		for i := range w.spans {
			l.skip = append(l.skip, w.spans[i].Span)
		}
		slices.SortFunc(l.skip, func(a, b literals.Span) int { return a.From - b.From })
	}
	w.search(raw, l, nil)
	l.skip = append(l.skip[:0], literals.Span{From: 0, To: len(raw)})
	for i := range w.fields {
		l.segments, l.text = l.segments[:0], l.text[:0]
		for _, f := range w.spans {
			if f.field == i {
				l.addSegment(raw, f.From)
			}
		}
		if len(l.segments) > 0 {
			w.search(raw, l, w.fields[i].except)
		}
	}
}
