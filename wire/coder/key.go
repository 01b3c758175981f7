package coder

import "github.com/rtbwire/rtbwire/wire"

// This file finds out which field a key names. Generated code first guesses: it compares the
// text with the key it expects, `"name":`, as constants, 8 bytes at a time, if the document is
// long enough for the loads. A guess that fails says nothing: the key may be another one, or
// written with escapes or with white space before the colon. FindKey then decides.

// keyReach is how long a pattern may be to be guessed.
const keyReach = 40

// Word returns the 8 bytes from p on, the first one lowest. p+8 is at most Len.
func (r *Reader) Word(p int) uint64 { return r.t.Word(p) }

// GuessWords returns how generated code compares a key in place: the words of the pattern
// `"name":` and the distances of their loads from the quote. The first word, if the pattern
// has fewer than 8 bytes, is compared after shifting out what follows: shift says by how many
// bits. ok is false for names that are too long.
func GuessWords(name string) (words []uint64, at []int, shift, length int, ok bool) {
	pattern := `"` + name + `":`
	n := len(pattern)
	if n > keyReach {
		return nil, nil, 0, n, false
	}
	word := func(i int) (w uint64) {
		for j := 0; j < 8 && i+j < n; j++ {
			w |= uint64(pattern[i+j]) << (8 * j)
		}
		return w
	}
	if n < 8 {
		shift = 64 - 8*n
		return []uint64{word(0) << shift}, []int{0}, shift, n, true
	}
	for i := 0; i+8 < n; i += 8 {
		words, at = append(words, word(i)), append(at, i)
	}
	return append(words, word(n-8)), append(at, n-8), 0, n, true
}

// KeyMax is the longest name of a field in bytes.
const KeyMax = 200

// KeySet finds a field by its key. It is a perfect hash over the length, the first and the
// last 8 bytes of the name; the generator has searched for the multiplier.
type KeySet struct {
	names []string
	slots []keySlot
	next  []uint8 // field number to the next one whose name the hash can't tell from its own
	mul   uint64
	shift uint8
}

// keySlot is what a key is compared with: for names of up to 16 bytes that is all of it.
type keySlot struct {
	first, last uint64 // see keyWords
	n           int    // the name's length, 0 in an empty slot: no key has the words of one
	field       uint8
	folded      bool // the slot is also that of names with other words that fold to the same
}

// NewKeySet makes a set of fields. The names are in the order of the fields' numbers, which
// begin at 1. It panics when two names collide under mul, which the generator has ruled out.
// Names that differ only between their first and their last 8 bytes collide under any, and so do
// those whose words fold to the same; they are tried one after the other.
func NewKeySet(mul uint64, bits uint8, names ...string) *KeySet {
	s := &KeySet{names: names, slots: make([]keySlot, 1<<bits), next: make([]uint8, len(names)+1), mul: mul, shift: 64 - bits}
	for i := range s.slots {
		s.slots[i].n = -1
	}
	for i, name := range names {
		first, last := keyWords(name)
		slot := &s.slots[s.hash(hashWords(name))]
		same := slot.first == first && slot.last == last && slot.n == len(name)
		if slot.field != 0 && hashWords(name) != hashWords(names[slot.field-1]) {
			panic("wire: keys " + name + " and " + names[slot.field-1] + " collide; generate the code again")
		}
		s.next[i+1] = slot.field
		*slot = keySlot{first, last, len(name), uint8(i + 1), slot.folded || slot.field != 0 && !same}
	}
	return s
}

// keyWords are the first and the last 8 bytes of a name, or all of it and 0.
func keyWords(name string) (first, last uint64) {
	n := len(name)
	for i := range min(n, 8) {
		first |= uint64(name[i]) << (8 * i)
	}
	if n > 8 {
		for i := range 8 {
			last |= uint64(name[n-8+i]) << (8 * i)
		}
	}
	return first, last
}

func (s *KeySet) hash(w uint64) uint64 { return w * s.mul >> (s.shift & 63) }

// hashWords folds a name into one word: its first 8 bytes, its last 8 bytes if there are
// more, and its length.
func hashWords(name string) uint64 {
	first, last := keyWords(name)
	return foldKey(first, last, len(name))
}

func foldKey(first, last uint64, n int) uint64 { return first ^ (last<<9 | last>>55) ^ uint64(n)<<56 }

// HashCollides reports whether two of the names collide under the multiplier, unless they do
// under any; the generator uses it to search for one.
func HashCollides(mul uint64, bits uint8, names []string) bool {
	taken := make([]int, 1<<bits) // by a name, counted from 1
	for i, name := range names {
		w := hashWords(name)
		slot := &taken[w*mul>>(64-bits)]
		if *slot != 0 && w != hashWords(names[*slot-1]) {
			return true
		}
		*slot = i + 1
	}
	return false
}

// FindKey reads the key at p, the colon and the white space around it. It returns the number
// of the field in the set, 0 for a key that is not in it, and the position of the value, or
// position 0 if the document is refused.
func (r *Reader) FindKey(p int, s *KeySet) (f uint8, value int) {
	start := p + 1
	if start+8 >= r.n || r.t.At(p) != '"' {
		return r.findSlow(p, s)
	}
	w := r.stops(start)
	if w == 0 {
		return r.findSlow(p, s)
	}
	n := trailingZeros(w)
	end := start + n
	if r.t.At(end) != '"' || r.t.At(end+1) != ':' || r.t.At(end+2) <= ' ' {
		return r.findSlow(p, s)
	}
	first, last := r.keyWords(start, n)
	slot := &s.slots[s.hash(foldKey(first, last, n))]
	if slot.first != first || slot.last != last || slot.n != n {
		if slot.folded {
			return r.findSlow(p, s)
		}
		return 0, end + 2
	}
	f = slot.field
	if n > 16 {
		f = s.match(f, r.t.String(start, end))
	}
	return f, end + 2
}

// keyWords returns the key words of the n bytes from start on. start+8 is at most Len.
func (r *Reader) keyWords(start, n int) (first, last uint64) {
	first = r.t.Word(start)
	switch {
	case n < 8:
		first &= 1<<(8*uint(n)&63) - 1
	case n > 8:
		last = r.t.Word(start + n - 8)
	}
	return first, last
}

// match returns the field among f and those that the hash can't tell from it which has the
// name, 0 if none has.
func (s *KeySet) match(f uint8, name string) uint8 {
	for f != 0 && s.names[f-1] != name {
		f = s.next[f]
	}
	return f
}

// findSlow is FindKey for every key, however it is written.
func (r *Reader) findSlow(p int, s *KeySet) (f uint8, value int) {
	name, value := r.Key(p)
	if value != 0 && len(name) <= KeyMax {
		f = s.match(s.slots[s.hash(hashWords(name))].field, name)
	}
	return f, value
}

// Key reads any key at p, the colon and the white space around it. It returns the key without
// its escapes and the position of the value, or position 0 if the document is refused.
func (r *Reader) Key(p int) (name string, value int) {
	if p >= r.n {
		return "", r.cutOff()
	}
	if r.t.At(p) != '"' {
		return "", r.Refuse(wire.CodeSyntax, p)
	}
	start := p + 1
	end := r.stop(start)
	if end < r.n && r.t.At(end) == '"' {
		name, p = r.t.String(start, end), end+1
	} else {
		r.notes |= wire.NoteKeyEscape
		if name, p = r.escaped(start, end); p == 0 {
			return "", 0
		}
	}
	if r.t.At(p) <= ' ' {
		p = r.space(p)
	}
	if r.t.At(p) != ':' {
		return "", r.Refuse(wire.CodeSyntax, p)
	}
	p++
	if r.t.At(p) <= ' ' {
		p = r.space(p)
	}
	return name, p
}
