package literals

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Set is a set of literals, compiled. It does not change, so all goroutines may share it.
type Set struct {
	table    *Table
	literals []literal

	// The literals of slot s are those from slots[s] to slots[s+1]. Those shorter than a window
	// come last and have no slot. Those with a quote come a second time, escaped; see MayHold.
	slots      [slotCount + 2]uint16
	windowLast int // the largest offset of a window in its literal
	count      int // of the caller's list

	automaton func() *automaton // made when it is needed first
}

// literal is one literal, in lower case.
type literal struct {
	text   string
	head   uint64 // its first eight bytes, zeros after the last
	mask   uint64 // which of them it has
	index  int    // in the caller's list
	window int    // the offset of its window
	quote  bool   // it has a quote

	escaped bool // its quotes follow backslashes; it is not what Search looks for
}

// slotCount is the number of slots that windows are hashed to.
const (
	slotBits  = 10
	slotCount = 1 << slotBits
)

// slotOf returns the slot of a window, given as a word in little-endian order.
func slotOf(window uint32) int { return int(window * 0x9e3779b1 >> (32 - slotBits)) }

// slot returns the slot of a literal, slotCount for one without a whole window.
func (l *literal) slot() int {
	if len(l.text) < WindowSize {
		return slotCount
	}
	return slotOf(binary.LittleEndian.Uint32([]byte(l.text[l.window:][:WindowSize])))
}

// Compile compiles a list of literals. Letters may be in either case. Equal literals are allowed.
func Compile(list []string) (*Set, error) {
	if len(list) == 0 || len(list) > CountMax {
		return nil, fmt.Errorf("literals: %d literals (want 1 to %d)", len(list), CountMax)
	}
	s := &Set{literals: make([]literal, len(list)), count: len(list)}
	size := 0
	for i, text := range list {
		if err := Check(text); err != nil {
			return nil, fmt.Errorf("literals: literal %d %w", i, err)
		}
		if size += len(text); size > BytesMax {
			return nil, fmt.Errorf("literals: more than %d bytes of literals", BytesMax)
		}
		s.literals[i] = newLiteral(strings.ToLower(text), i)
	}
	for i := range list {
		if l := &s.literals[i]; l.quote && !strings.Contains(l.text, `\`) {
			escaped := newLiteral(strings.ReplaceAll(l.text, `"`, `\"`), i)
			escaped.escaped = true
			s.literals = append(s.literals, escaped)
		}
	}
	s.table = chooseWindows(s.literals)
	// Equal literals become neighbours, because equal texts are next to each other in a slot. They
	// need one window for that.
	first := map[string]int{}
	for i := range s.literals {
		l := &s.literals[i]
		if window, known := first[l.text]; known {
			l.window = window
		}
		first[l.text] = l.window
	}
	slices.SortFunc(s.literals, func(a, b literal) int {
		return cmp.Or(cmp.Compare(a.slot(), b.slot()), cmp.Compare(a.text, b.text), cmp.Compare(a.index, b.index))
	})
	s.fillSlots()
	s.automaton = sync.OnceValue(func() *automaton { return newAutomaton(s.literals) })
	return s, nil
}

// Check says what is wrong with a literal: "has 0 bytes".
func Check(text string) error {
	if text == "" || len(text) > LengthMax {
		return fmt.Errorf("has %d bytes (want 1 to %d)", len(text), LengthMax)
	}
	if at := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }); at >= 0 {
		return fmt.Errorf("has a byte at %d that is not ASCII", at)
	}
	return nil
}

func newLiteral(text string, index int) literal {
	l := literal{text: text, index: index, quote: strings.IndexByte(text, '"') >= 0}
	for i := range min(len(text), 8) {
		l.head |= uint64(text[i]) << (8 * i)
		l.mask |= 0xff << (8 * i)
	}
	return l
}

func (s *Set) fillSlots() {
	next := 0
	for slot := range slotCount + 1 {
		s.slots[slot] = uint16(next)
		for next < len(s.literals) && s.literals[next].slot() == slot {
			next++
		}
	}
	s.slots[slotCount+1] = uint16(next)
	for i := range s.literals {
		s.windowLast = max(s.windowLast, s.literals[i].window)
	}
}

// Len returns the number of literals.
func (s *Set) Len() int { return s.count }

// Words returns how long a list of bits with one for each literal is; see Search.
func (s *Set) Words() int { return (s.count + 63) / 64 }
