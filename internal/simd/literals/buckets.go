package literals

import (
	_ "embed"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// This file chooses the window of each literal and the bucket that it goes to. A bucket that holds
// many windows holds all their mixtures too, so windows that share a rare byte at the same place
// belong together: "ert(" and "eep(". The choice is made by counting candidates in a sample of what
// will be searched. A bad choice costs time, nothing else.

// sample is text as in bid requests: whole ones, and pieces of those in testdata/corpus.
//
//go:embed sample.json
var sample []byte

// rareMax is the largest set for which more than one window of each literal is tried.
const rareMax = 512

// choiceRounds is how often each literal chooses. The first ones choose among buckets that are
// still empty.
const choiceRounds = 4

// enough is how many more candidates are not worth looking for a better choice.
const enough = 1.0 / 64

// positions is a set of positions in the sample, a bit for each.
type positions []uint64

// sampleNibbles has the positions whose byte, at each place of a window from there on, has a
// nibble.
type sampleNibbles struct {
	low, high [WindowSize]byNibble
	count     int

	room, other positions // of the goroutine that chooses
}

// nibblesOfSample is the same for all sets.
var nibblesOfSample = sync.OnceValue(func() *sampleNibbles { return newSampleNibbles(sample) })

// byNibble has positions for each nibble.
type byNibble [16]positions

func newSampleNibbles(text []byte) *sampleNibbles {
	count := len(text) - (WindowSize - 1)
	words := (count + 63) / 64
	n := &sampleNibbles{count: count}
	for place := range WindowSize {
		for x := range 16 {
			n.low[place][x], n.high[place][x] = make(positions, words), make(positions, words)
		}
		for i := range n.count {
			c := text[i+place]
			n.low[place][c&15][i/64] |= 1 << (i % 64)
			n.high[place][c>>4][i/64] |= 1 << (i % 64)
		}
	}
	return n
}

// bucket is the windows of some literals.
type bucket struct {
	nibbles
	members   []int // literals
	low, high [WindowSize]positions
	both      [WindowSize]positions // the positions that low and high have
	hits      int                   // in the sample
	cost      float64
}

// reset makes b the windows of its members.
func (b *bucket) reset(s *sampleNibbles, list []literal) {
	b.nibbles, b.hits, b.cost = nibbles{}, 0, 0
	for i := range WindowSize {
		for _, p := range []*positions{&b.low[i], &b.high[i], &b.both[i]} {
			*p = append((*p)[:0], make(positions, len(s.low[0][0]))...)
		}
	}
	for _, i := range b.members {
		b.add(s, list[i].nibbles(list[i].window))
	}
	if len(b.members) > 0 {
		b.count(s)
	}
}

// count sets what the members cost.
func (b *bucket) count(s *sampleNibbles) { b.cost, b.hits = b.costWith(s, nibbles{}, math.Inf(1)) }

// add adds a window.
func (b *bucket) add(s *sampleNibbles, n nibbles) {
	for i := range WindowSize {
		b.low[i].union(&s.low[i], n.low[i]&^b.nibbles.low[i])
		b.high[i].union(&s.high[i], n.high[i]&^b.nibbles.high[i])
		copy(b.both[i], b.low[i])
		b.both[i].intersect(b.high[i])
	}
	b.nibbles = b.union(n)
}

// union adds the positions of some nibbles.
func (p positions) union(of *byNibble, nibbles uint16) {
	for ; nibbles != 0; nibbles &= nibbles - 1 {
		for i, word := range of[bits.TrailingZeros16(nibbles)] {
			p[i] |= word
		}
	}
}

// costWith returns about how many candidates b has in a text as long as the sample if a window is
// added: those in the sample, which it also returns, and those in random bytes, which tell windows
// apart that the sample does not have. If these alone show that it is limit or more, the cost is
// infinite: most windows are bad choices for most buckets, and a window can only add candidates.
func (b *bucket) costWith(s *sampleNibbles, n nibbles, limit float64) (cost float64, hits int) {
	random := float64(s.count)
	both := b.union(n)
	for i := range WindowSize {
		random *= float64(bits.OnesCount16(both.low[i])*bits.OnesCount16(both.high[i])) / 256
	}
	if float64(b.hits)+random >= limit {
		return math.Inf(1), b.hits
	}
	for w := range s.room {
		s.room[w] = ^uint64(0)
	}
	for i := range WindowSize {
		low, high := n.low[i]&^b.nibbles.low[i], n.high[i]&^b.nibbles.high[i]
		if low|high == 0 {
			s.room.intersect(b.both[i])
			continue
		}
		copy(s.other, b.low[i])
		s.other.union(&s.low[i], low)
		s.room.intersect(s.other)
		copy(s.other, b.high[i])
		s.other.union(&s.high[i], high)
		s.room.intersect(s.other)
	}
	for _, word := range s.room {
		hits += bits.OnesCount64(word)
	}
	return float64(hits) + random, hits
}

// intersect removes the positions that q does not have.
func (p positions) intersect(q positions) {
	q = q[:len(p)]
	for i := range p {
		p[i] &= q[i]
	}
}

// nibbles returns those of a literal's window at an offset.
func (l *literal) nibbles(window int) (n nibbles) {
	for i := range WindowSize {
		if i >= len(l.text) {
			n.add(i, anyNibble, anyNibble)
		} else {
			n.addByte(i, l.text[window+i])
		}
	}
	return n
}

// weights says roughly how rare a byte is in the text of bid requests: for sets that are too large
// to try every window.
var weights = func() (w [256]uint64) {
	for c := range w {
		switch {
		case 'a' <= c && c <= 'z', c == '"':
			w[c] = 6
		case '0' <= c && c <= '9', c == ' ':
			w[c] = 4
		case c == '.', c == '/', c == '-', c == '_', c == ',', c == ':':
			w[c] = 3
		default:
			w[c] = 1
		}
	}
	return
}()

// rareWindow returns the offset of the window with the rarest bytes.
func rareWindow(text string) int {
	best, least := 0, ^uint64(0)
	for w := 0; w+WindowSize <= len(text); w++ {
		product := uint64(1)
		for i := range WindowSize {
			product *= weights[text[w+i]]
		}
		if product < least {
			best, least = w, product
		}
	}
	return best
}

// chooseWindows sets the window of each literal, and returns a table of all windows.
func chooseWindows(list []literal) *Table {
	s := *nibblesOfSample()
	s.room, s.other = make(positions, len(s.low[0][0])), make(positions, len(s.low[0][0]))
	var buckets [BucketCount]bucket
	for b := range buckets {
		buckets[b].reset(&s, list)
	}
	of := make([]int, len(list)) // the bucket of each literal
	rounds := choiceRounds
	if len(list) > rareMax {
		rounds = 1
	}
	for round := range rounds {
		for i := range list {
			l := &list[i]
			if round > 0 {
				buckets[of[i]].leave(&s, list, i)
			}
			least := 0.0
			first, last := 0, max(0, len(l.text)-WindowSize)
			if len(list) > rareMax {
				first = rareWindow(l.text)
				last = first
			}
			chosen := -1
		windows:
			for window := first; window <= last; window++ {
				n := l.nibbles(window)
				for b := range buckets {
					limit := math.Inf(1)
					if chosen >= 0 {
						limit = least + buckets[b].cost
					}
					cost, _ := buckets[b].costWith(&s, n, limit)
					if more := cost - buckets[b].cost; chosen < 0 || more < least {
						least, chosen, l.window = more, b, window
					}
					if least < enough {
						break windows
					}
				}
			}
			of[i] = chosen
			b := &buckets[chosen]
			b.members = append(b.members, i)
			b.add(&s, l.nibbles(l.window))
			b.count(&s)
		}
	}
	t := &Table{mark: '\\', pass: '"'}
	for b := range buckets {
		t.put(b, buckets[b].nibbles)
	}
	return t
}

// leave removes a literal.
func (b *bucket) leave(s *sampleNibbles, list []literal, i int) {
	b.members = slices.DeleteFunc(b.members, func(k int) bool { return k == i })
	b.reset(s, list)
}
