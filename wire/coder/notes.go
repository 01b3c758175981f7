package coder

import (
	"slices"

	"github.com/rtbwire/rtbwire/wire"
)

// This file takes notes of what a document has that somebody may want to look at again: see
// [wire.Notes]. Notes about duplicates compare hashes, so that they may be false alarms.

// Notes returns the notes of the last document, which was accepted.
//
// Generated code notes a duplicate where a member was set before. A null and an empty string leave
// no trace, so that a document with one of them may have duplicates too.
func (r *Reader) Notes() wire.Notes {
	notes := r.notes
	if r.emptyString() {
		notes |= wire.NoteEmptyString
	}
	if notes&(wire.NoteNull|wire.NoteEmptyString) != 0 {
		notes |= wire.NoteDuplicateKey
	}
	return notes
}

// emptyString reports whether a quote comes right after another.
func (r *Reader) emptyString() bool {
	last := uint64(0)
	for i := range (r.n + 63) >> 6 {
		quotes := r.blocks.At(uint(i)).Quote
		if quotes&(quotes<<1|last) != 0 {
			return true
		}
		last = quotes >> 63
	}
	return false
}

// Repeated notes that a member may have come before. It is called in one document of many, and not
// inlined, so that the compiler keeps the call out of the way of the others.
//
//go:noinline
func (r *Reader) Repeated() { r.notes |= wire.NoteDuplicateKey }

// Unknown reads over the value of a member that the type does not have. key and value are their
// positions; object tells objects apart.
func (r *Reader) Unknown(key, value, depth int, object uintptr) int {
	r.notes |= wire.NoteUnknownKey
	if r.options.WatchKeys {
		r.watchUnknown(key, object)
	}
	return r.Skip(value, depth)
}

// unknownMax is how many unknown keys of a document are compared with each other. If there are
// more, some may be the same.
const unknownMax = 32

// watchUnknown notes what can be wrong with an unknown key at p.
func (r *Reader) watchUnknown(p int, object uintptr) {
	hash, plain := r.hashKey(p)
	if !plain || len(r.unknown) == unknownMax {
		r.notes |= wire.NoteDuplicateKey | wire.NoteKeyCase
		return
	}
	for i := p + 1; r.t.At(i) != '"'; i++ {
		if c := r.t.At(i); c-'A' < 26 || c >= 0x80 {
			r.notes |= wire.NoteKeyCase
			break
		}
	}
	hash ^= uint64(object) * oddMultiplier
	if slices.Contains(r.unknown, hash) {
		r.notes |= wire.NoteDuplicateKey
	}
	r.unknown = append(r.unknown, hash)
}

const oddMultiplier = 0x9e3779b97f4a7c15

// hashKey hashes the key at p by its length and its first and last 8 bytes, in one letter case.
// plain is false for a key with escapes, and for one with bytes there that are not ASCII, which may
// stand for letters that are.
func (r *Reader) hashKey(p int) (hash uint64, plain bool) {
	start := p + 1
	end := r.stop(start)
	if r.t.At(end) != '"' {
		return 0, false
	}
	n := end - start
	if start+8 > r.n { // at the end of the document
		for i := range n {
			hash |= uint64(r.t.At(start+i)) << (8 * i)
		}
		return hashWordsFolded(hash, 0, n)
	}
	first, last := r.keyWords(start, n)
	return hashWordsFolded(first, last, n)
}

func hashWordsFolded(first, last uint64, n int) (hash uint64, ascii bool) {
	const (
		ones  = 0x0101_0101_0101_0101
		lower = 0x20 * ones
		high  = 0x80 * ones
	)
	return foldKey(first|lower, last|lower, n), (first|last)&high == 0
}

// Escaped reports whether the string at p has an escape.
func (r *Reader) Escaped(p int) bool { return r.t.At(r.stop(p+1)) == '\\' }

// watchedMax is how many keys of the objects that are open at one time are compared. It bounds
// the memory for them.
const watchedMax = 1 << 12

// skipWatching is skipNested, and notes if an object may have a key twice.
func (r *Reader) skipWatching(p, depth int) int {
	end := r.skipNested(p, depth)
	if end == 0 || r.notes&wire.NoteDuplicateKey != 0 {
		return end
	}
	r.watched = r.watched[:0]
	from := 0 // the innermost object's first key in watched; the entry before it is the outer one's from
	for p < end {
		quote := r.nextQuote(p)
		for ; p < min(quote, end); p++ {
			switch r.t.At(p) {
			case '{':
				r.watched = append(r.watched, uint64(from))
				from = len(r.watched)
			case '}':
				if repeated(r.watched[from:]) {
					r.notes |= wire.NoteDuplicateKey
					return end
				}
				outer := int(r.watched[from-1])
				r.watched = r.watched[:from-1]
				from = outer
			}
		}
		if quote >= end {
			break
		}
		if p = r.nextQuote(quote+1) + 1; r.t.At(p) <= ' ' {
			p = r.space(p)
		}
		if r.t.At(p) == ':' {
			hash, plain := r.hashKey(quote)
			if !plain || len(r.watched) >= watchedMax {
				r.notes |= wire.NoteDuplicateKey
				return end
			}
			r.watched = append(r.watched, hash)
		}
	}
	return end
}

// nextQuote returns the position of the first quote from p on that is not escaped, or the length
// of the document.
func (r *Reader) nextQuote(p int) int {
	for p < r.n {
		if w := r.blocks.At(uint(p)>>6).Quote >> (uint(p) & 63); w != 0 {
			return p + trailingZeros(w)
		}
		p = (p | 63) + 1
	}
	return r.n
}

// repeated reports whether a hash occurs twice. It sorts long lists.
func repeated(hashes []uint64) bool {
	const sorted = 16 // from so many on
	if len(hashes) < sorted {
		for i, h := range hashes {
			if slices.Contains(hashes[:i], h) {
				return true
			}
		}
		return false
	}
	slices.Sort(hashes)
	for i := 1; i < len(hashes); i++ {
		if hashes[i] == hashes[i-1] {
			return true
		}
	}
	return false
}
