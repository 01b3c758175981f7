package wire

// This file finds out which field a key names. Generated code first guesses: it compares the
// text with the key it expects, `"name":`, as constants, 8 bytes at a time, if the document is
// long enough for the loads. A guess that fails says nothing: the key may be another one, or
// written with escapes or with white space before the colon. FindKey then decides.

// keyReach is how long a pattern may be to be guessed.
const keyReach = 40

// Word returns the 8 bytes from p on, the first one lowest. p+8 is at most Len.
func (r *Reader) Word(p int) uint64 { return r.t.word(p) }

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
	table []uint8 // hash to field number, 0 for none
	mul   uint64
	shift uint8
}

// NewKeySet makes a set of fields. The names are in the order of the fields' numbers, which
// begin at 1. It panics when two names collide under mul, which the generator has ruled out.
func NewKeySet(mul uint64, bits uint8, names ...string) *KeySet {
	s := &KeySet{names: names, table: make([]uint8, 1<<bits), mul: mul, shift: 64 - bits}
	for i, name := range names {
		slot := &s.table[s.hash(hashWords(name))]
		if *slot != 0 {
			panic("wire: keys " + name + " and " + names[*slot-1] + " collide; generate the code again")
		}
		*slot = uint8(i + 1)
	}
	return s
}

func (s *KeySet) hash(w uint64) uint64 { return w * s.mul >> s.shift }

// hashWords folds a name into one word: its first 8 bytes, its last 8 bytes if there are
// more, and its length.
func hashWords(name string) (w uint64) {
	n := len(name)
	for i := 0; i < min(n, 8); i++ {
		w |= uint64(name[i]) << (8 * i)
	}
	if n > 8 {
		var last uint64
		for i := range 8 {
			last |= uint64(name[n-8+i]) << (8 * i)
		}
		w ^= last<<9 | last>>55
	}
	return w ^ uint64(n)<<56
}

// HashCollides reports whether two of the names collide under the multiplier; the generator
// uses it to search for one.
func HashCollides(mul uint64, bits uint8, names []string) bool {
	taken := make([]bool, 1<<bits)
	for _, name := range names {
		h := hashWords(name) * mul >> (64 - bits)
		if taken[h] {
			return true
		}
		taken[h] = true
	}
	return false
}

// FindKey reads the key at p, the colon and the white space around it. It returns the number
// of the field in the set, 0 for a key that is not in it, and the position of the value, or
// position 0 if the document is refused.
func (r *Reader) FindKey(p int, s *KeySet) (f uint8, value int) {
	if p >= r.n {
		return 0, r.cutOff()
	}
	if r.t.at(p) != '"' {
		return 0, r.Refuse(CodeSyntax, p)
	}
	start := p + 1
	end := r.stop(start)
	if end < r.n && r.t.at(end) == '"' {
		f = r.find(start, end, s)
	} else {
		name, next := r.escaped(start, end)
		if next == 0 {
			return 0, 0
		}
		end = next - 1
		for i := range s.names {
			if s.names[i] == name {
				f = uint8(i + 1)
			}
		}
	}
	p = end + 1
	if r.t.at(p) <= ' ' {
		p = r.space(p)
	}
	if r.t.at(p) != ':' {
		return 0, r.Refuse(CodeSyntax, p)
	}
	p++
	if r.t.at(p) <= ' ' {
		p = r.space(p)
	}
	return f, p
}

// find looks for the field whose name stands at [start, end).
func (r *Reader) find(start, end int, s *KeySet) uint8 {
	n := end - start
	if n > KeyMax {
		return 0
	}
	var w uint64
	if n >= 8 {
		w = r.t.word(start)
		if n > 8 {
			last := r.t.word(end - 8)
			w ^= last<<9 | last>>55
		}
	} else if start+8 <= r.n {
		w = r.t.word(start) & (1<<(8*uint(n)) - 1)
	} else {
		for i := range n {
			w |= uint64(r.t.at(start+i)) << (8 * i)
		}
	}
	f := s.table[s.hash(w^uint64(n)<<56)]
	if f != 0 && s.names[f-1] != r.t.str(start, end) {
		return 0
	}
	return f
}
