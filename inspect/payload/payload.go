// Package payload looks for signs of attacks in the strings of a document: markup, SQL, templates,
// commands and addresses that a bid request has no business to hold. It gives the verdicts of the
// C++ scanner in cpp/, from the same data (testdata/payload), without cgo.
//
//	scanner, err := payload.New(payload.Options{Layers: payload.AllLayers})
//	matches, verdict := scanner.Scan(matches[:0], body)
//
// Patterns are ASCII literals. They are looked for in all keys and values, known or not, after
// escapes have been decoded, without regard to the case of ASCII letters. Further decodings, called
// layers, are options. docs/payload.md explains the patterns, the layers and what they cost.
//
// A document need not be valid. In a malformed one all bytes are searched, because a lenient parser
// may take any of them for strings.
//
// The files, in the order of reading:
//
//	payload.go        what users name
//	patterns_gen.go   the default patterns; generated
//	scan.go           one document, start to end
//	blanks.go         white space between strings
//	text.go           the text of strings with escapes
//	stages.go         the texts that the layers make
//	layers.go         one step of a layer
//	encodings.go      the encodings of one character
//	fields.go         fields in which some patterns are harmless
//	place.go          where a match is
//	keys.go           what a configuration file says
package payload

//go:generate go run ../../internal/tools/payloadgen -root ../..

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rtbwire/rtbwire/internal/simd/literals"
)

// Pattern is a literal that is looked for.
type Pattern struct {
	ID      string // stable: "xss.script-tag"
	Literal string // ASCII, 1 to 64 bytes, in any case
	Why     string // what it indicates
}

// Default returns the default patterns. They are for requests: in a response, markup is the
// advertisement (see [Field]).
func Default() []Pattern { return slices.Clone(defaults[:]) }

// WorkDefault is how much work a scan does by default, in bytes that are searched or rewritten. A
// document without anything to decode costs its length, or twice that with layers. The worst
// document of 128 KiB stays below it with all layers.
const WorkDefault = 4 << 20

// NestedMax is how deep Options.Nested may be.
const NestedMax = 8

// Options are what a Scanner is made from. The zero value looks for the default patterns, without
// layers.
type Options struct {
	// Patterns are what to look for, by default Default(). Ids must differ.
	Patterns []Pattern

	// Layers are further decodings, by default none.
	Layers Layers

	// Nested is how many strings of JSON inside a string are looked into: 1 for the request in
	// native.request, 2 for JSON in that. By default, 0, such a string is text like others.
	Nested int

	// Fields are those in which some patterns are harmless, by default none.
	Fields []Field

	// Work limits the work of one scan, by default WorkDefault.
	Work int
}

// Scanner looks for patterns. It does not change, so all goroutines may share it.
type Scanner struct {
	patterns []Pattern
	set      *literals.Set
	layers   Layers
	tables   layerTables
	nested   int
	fields   []field
	work     int
	bare     bool // a pattern may match what valid JSON has outside strings
	pool     sync.Pool
}

// Verdict says what a scan has found.
type Verdict uint8

// The verdicts.
const (
	Clean     Verdict = iota // searched to the end, and nothing found
	Found                    // searched to the end, and something found
	Exhausted                // not searched to the end, because that would be more than Options.Work
)

var verdictNames = [...]string{Clean: "clean", Found: "found", Exhausted: "exhausted"}

// String returns "clean", "found" or "exhausted".
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return fmt.Sprintf("Verdict(%d)", v)
}

// Match is the first occurrence of a pattern.
type Match struct {
	Pattern int  // its number: Scanner.Pattern has the rest
	Offset  int  // of its first byte in the document; of an escape, of the backslash
	Layered bool // found only after a further decoding
	Nested  int  // how many JSON strings enclose it, besides the document itself
}

// New makes a Scanner. Patterns and fields that can't be used are errors that name them.
func New(o Options) (*Scanner, error) {
	s := &Scanner{patterns: slices.Clone(o.Patterns), layers: o.Layers, nested: o.Nested, work: o.Work}
	if o.Patterns == nil {
		s.patterns = Default()
	}
	if s.work == 0 {
		s.work = WorkDefault
	}
	switch {
	case o.Layers&^AllLayers != 0:
		return nil, fmt.Errorf("payload: unknown layers %#x", uint8(o.Layers&^AllLayers))
	case o.Nested < 0 || o.Nested > NestedMax:
		return nil, fmt.Errorf("payload: Nested is %d (want 0 to %d)", o.Nested, NestedMax)
	case o.Work < 0:
		return nil, fmt.Errorf("payload: Work is %d (want a positive number)", o.Work)
	}
	list, err := literalsOf(s.patterns)
	if err != nil {
		return nil, err
	}
	if o.Patterns == nil {
		s.set, err = defaultSet()
	} else {
		s.set, err = literals.Compile(list)
	}
	if err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	if s.fields, err = s.compileFields(o.Fields); err != nil {
		return nil, err
	}
	s.bare = slices.ContainsFunc(list, occursBare)
	s.tables = newLayerTables(s.layers)
	s.pool.New = func() any {
		w := &work{Scanner: s, seen: make([]uint64, s.set.Words())}
		w.walk.Text = w.visitField
		return w
	}
	return s, nil
}

// defaultSet has the default patterns. Compiling them takes some milliseconds.
var defaultSet = sync.OnceValues(func() (*literals.Set, error) {
	list, err := literalsOf(defaults[:])
	if err != nil {
		return nil, err
	}
	return literals.Compile(list)
})

// literalsOf returns the literals of the patterns, after checking each of them.
func literalsOf(patterns []Pattern) ([]string, error) {
	if len(patterns) == 0 {
		return nil, errors.New("payload: no pattern")
	}
	ids := make(map[string]bool, len(patterns))
	list := make([]string, len(patterns))
	for i, p := range patterns {
		switch {
		case p.ID == "":
			return nil, fmt.Errorf("payload: pattern %d has no id", i)
		case ids[p.ID]:
			return nil, fmt.Errorf("payload: two patterns have the id %q", p.ID)
		}
		if err := literals.Check(p.Literal); err != nil {
			return nil, fmt.Errorf("payload: the literal of pattern %q %w", p.ID, err)
		}
		ids[p.ID] = true
		list[i] = p.Literal
	}
	return list, nil
}

// bareBytes are those that valid JSON has outside strings: structure, white space, numbers and
// words.
const bareBytes = "{}[]:, \t\r\n+-.0123456789truefalsnTRUEFALSN"

// occursBare reports whether valid JSON may have a literal outside strings.
func occursBare(literal string) bool { return strings.Trim(literal, bareBytes) == "" }

// Pattern returns the pattern with a number.
func (s *Scanner) Pattern(number int) Pattern { return s.patterns[number] }

// Len returns the number of patterns.
func (s *Scanner) Len() int { return len(s.patterns) }
