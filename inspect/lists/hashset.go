package lists

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// A hashSet is an immutable set of strings for sets of millions. Its entries lie one after the
// other in an arena, each after its length; a hash table has their offsets. Nothing holds a
// pointer, so the collector has nothing to look at.
//
// The table consists of buckets of one cache line, and an entry that finds its bucket full is in
// the next one with room. Of each entry a bucket has the offset and a tag: 8 bits of the hash.
// A string that is not in the set costs one cache line in most cases: a tag is equal by chance in
// one lookup of 28. The hash is seeded anew for each table, so that nobody can choose strings that
// collide.
type hashSet struct {
	seed    maphash.Seed
	buckets []bucket
	chunks  [][]byte
	entries int
	tail    int // bytes after each entry that are no part of the key
}

const (
	bucketSlots = 12
	// bucketLoad is how many slots are in use on average.
	bucketLoad = 9
	// chunkSize is the size of the arena's pieces: an arena in one piece would be copied while it
	// grows.
	chunkBits = 20
	chunkSize = 1 << chunkBits
	// arenaMax is what offsets of 32 bits reach.
	arenaMax = 1 << (32 - chunkBits) // chunks
)

// bucket has the size of a cache line. Slots are filled in order; a tag of 0 is an empty one.
type bucket struct {
	tags    [bucketSlots]uint8
	_       [4]uint8
	offsets [bucketSlots]uint32
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// matches returns a mask with the high bit of each of the 8 bytes set that is equal to the tag, and
// perhaps of others above such a byte.
func matches(tags uint64, tag uint8) uint64 {
	x := tags ^ ones*uint64(tag)
	return (x - ones) &^ x & highs
}

// place returns the bucket in which a hash is looked for first, and its tag. The bucket comes from
// the upper bits, the tag from the lower ones.
func (s *hashSet) place(hash uint64) (at uint, tag uint8) {
	hi, _ := bits.Mul64(hash, uint64(len(s.buckets)))
	return uint(hi), max(uint8(hash), 1)
}

// has reports whether the set has the key.
func (s *hashSet) has(key string) bool {
	_, found := s.find(key)
	return found
}

// find returns what follows the key in the arena.
func (s *hashSet) find(key string) (tail []byte, found bool) {
	if len(s.buckets) == 0 {
		return nil, false
	}
	at, tag := s.place(maphash.String(s.seed, key))
	for {
		b := &s.buckets[at]
		for m := matches(binary.LittleEndian.Uint64(b.tags[:]), tag); m != 0; m &= m - 1 {
			if tail, same := s.compare(b.offsets[bits.TrailingZeros64(m)/8], key); same {
				return tail, true
			}
		}
		const rest = bucketSlots - 8
		for m := matches(uint64(binary.LittleEndian.Uint32(b.tags[8:])), tag) & (1<<(8*rest) - 1); m != 0; m &= m - 1 {
			if tail, same := s.compare(b.offsets[8+bits.TrailingZeros64(m)/8], key); same {
				return tail, true
			}
		}
		if b.tags[bucketSlots-1] == 0 {
			return nil, false
		}
		if at++; at == uint(len(s.buckets)) {
			at = 0
		}
	}
}

// compare compares the entry at the offset with the key.
func (s *hashSet) compare(offset uint32, key string) (tail []byte, same bool) {
	entry := s.chunks[offset>>chunkBits][offset&(chunkSize-1):]
	n, w := entryLen(entry)
	if n != len(key) || string(entry[w:w+n]) != key {
		return nil, false
	}
	return entry[w+n : w+n+s.tail], true
}

// entryLen returns the length of the entry's key, and the length of that number.
func entryLen(entry []byte) (n, width int) {
	if c := entry[0]; c < 0x80 {
		return int(c), 1
	}
	v, w := binary.Uvarint(entry)
	return int(v), w
}

// setBuilder collects the entries of a hashSet.
type setBuilder struct {
	chunks [][]byte
	n      int
	tail   int
}

// add appends an entry to the arena. It fails when the arena is full.
func (b *setBuilder) add(key string, tail ...byte) error {
	need := binary.MaxVarintLen32 + len(key) + len(tail)
	last := len(b.chunks) - 1
	if last < 0 || len(b.chunks[last])+need > chunkSize {
		if len(b.chunks) == arenaMax {
			return errArena
		}
		size := 0 // the first chunk grows: most lists are short
		if last >= 0 {
			size = chunkSize
		}
		b.chunks = append(b.chunks, make([]byte, 0, size))
		last++
	}
	c := binary.AppendUvarint(b.chunks[last], uint64(len(key)))
	c = append(c, key...)
	b.chunks[last] = append(c, tail...)
	b.n++
	return nil
}

// finish returns the set. Of equal entries one is kept; merge is called with its tail and those of
// the others.
func (b *setBuilder) finish(merge func(into, tail []byte)) *hashSet {
	if last := len(b.chunks) - 1; last >= 0 {
		b.chunks[last] = slices.Clip(append([]byte(nil), b.chunks[last]...))
	}
	s := &hashSet{seed: maphash.MakeSeed(), chunks: b.chunks, tail: b.tail}
	s.buckets = make([]bucket, (b.n+bucketLoad-1)/bucketLoad)
	for i, chunk := range s.chunks {
		for at := 0; at < len(chunk); {
			n, w := entryLen(chunk[at:])
			key := mem.String(chunk[at+w : at+w+n])
			end := at + w + n + s.tail
			if tail, found := s.find(key); !found {
				s.insert(key, uint32(i<<chunkBits|at))
				s.entries++
			} else if s.tail > 0 {
				merge(tail, chunk[end-s.tail:end])
			}
			at = end
		}
	}
	return s
}

// insert adds an entry that the set does not have.
func (s *hashSet) insert(key string, offset uint32) {
	at, tag := s.place(maphash.String(s.seed, key))
	for {
		b := &s.buckets[at]
		for i := range b.tags {
			if b.tags[i] == 0 {
				b.tags[i], b.offsets[i] = tag, offset
				return
			}
		}
		if at++; at == uint(len(s.buckets)) {
			at = 0
		}
	}
}
