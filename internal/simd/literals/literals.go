// Package literals finds which of many short ASCII literals occur in a text, and where first,
// without regard to ASCII case.
//
// A literal is looked for by its window, the four of its bytes that are the rarest in the text of
// bid requests. One pass over the text, 64 positions at a time, looks up the nibbles of four bytes
// in eight tables and so finds the positions at which a window may be (the algorithm is known as
// Teddy). They are rare: the corpus has one in some thousands of bytes. Candidates are looked up in
// a table of windows and then compared. A text made of near-misses would need a comparison at every
// byte, so comparisons have a budget; when it is used up, an Aho-Corasick automaton continues, at
// one step per byte of any text.
//
//	literals.go       the contract, and the choice of a level
//	compile.go        literals to tables
//	buckets.go        which windows share a bucket of the tables
//	search.go         candidates to hits
//	automaton.go      the automaton
//	table.go          the tables and what kernels do with them
//	literals_*.go .s  the kernels
//
// [Table] is also of use on its own, for other bytes that need a closer look.
package literals

import (
	"slices"

	"github.com/rtbwire/rtbwire/internal/simd"
)

// The limits of a Set match the C++ scanner's.
const (
	LengthMax = 64    // bytes of one literal; at least one
	CountMax  = 4096  // literals
	BytesMax  = 65534 // bytes of all literals together
)

// Hit is the first occurrence of a literal.
type Hit struct {
	Literal int // its place in the list that the Set was compiled from
	At      int // where it begins in the text
}

// Span is a part of a text, from From to before To.
type Span struct{ From, To int }

// Level is what SetLevel chooses from.
type Level = simd.Level

// level is the one that Table.Find runs. At start it is the highest one available.
var level = levels[len(levels)-1]

// Levels returns the levels that this CPU and this build have, lowest first. The last one is in use
// unless SetLevel has chosen another.
func Levels() []Level {
	return slices.Clone(levels)
}

// SetLevel makes Table.Find and Set.Search use l, which must be one of Levels, and returns the
// level used before. It is for tests and benchmarks: it must not run at the same time as a search
// or another SetLevel.
func SetLevel(l Level) Level { return simd.Set(&level, levels, l) }
