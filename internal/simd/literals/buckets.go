package literals

import "math/bits"

// weight returns roughly how often a byte occurs in the text of bid requests. A wrong guess only
// costs time.
func weight(c byte) uint64 {
	switch {
	case 'a' <= c && c <= 'z', c == '"':
		return 6
	case '0' <= c && c <= '9', c == ' ':
		return 4
	case c == '.', c == '/', c == '-', c == '_', c == ',', c == ':':
		return 3
	}
	return 1
}

// weights has weight for every byte. Letters in upper case are rarer than in lower case.
var weights = func() (w [256]uint64) {
	for c := range w {
		w[c] = weight(byte(c))
		if 'A' <= c && c <= 'Z' {
			w[c] = 3
		}
	}
	return
}()

// chooseWindow returns the offset of the window that is the rarest in text: many words have "aler",
// hardly any has "rt(1".
func chooseWindow(text string) int {
	best, least := 0, ^uint64(0)
	for w := 0; w+WindowSize <= len(text); w++ {
		product := uint64(1)
		for i := range WindowSize {
			product *= weight(text[w+i])
		}
		if product < least {
			best, least = w, product
		}
	}
	return best
}

// nibbles returns those of a literal's window.
func (l *literal) nibbles() (n nibbles) {
	for i := range WindowSize {
		if i >= len(l.text) {
			n.add(i, anyNibble, anyNibble)
		} else {
			n.addByte(i, l.text[l.window+i])
		}
	}
	return n
}

// cost is proportional to the number of candidates that a bucket with these nibbles has in text.
func (n *nibbles) cost() uint64 {
	product := uint64(1)
	for i := range WindowSize {
		sum := uint64(0)
		for h := n.high[i]; h != 0; h &= h - 1 {
			row := weights[16*bits.TrailingZeros16(h):]
			for l := n.low[i]; l != 0; l &= l - 1 {
				sum += row[bits.TrailingZeros16(l)]
			}
		}
		product *= sum
	}
	return product
}

// group is the nibbles of all literals in a slot, and the bucket that they were given.
type group struct {
	nibbles
	bucket int
}

// buildTable gives each slot to the bucket in which it adds the fewest candidates. The first slots
// choose among buckets that are still empty, so all choose again, some times.
func (s *Set) buildTable() *Table {
	const rounds = 8
	var groups []group
	for slot := range slotCount + 1 {
		g := group{bucket: -1}
		for i := s.slots[slot]; i < s.slots[slot+1]; i++ {
			g.nibbles = g.union(s.literals[i].nibbles())
			g.bucket = BucketCount // none yet
		}
		if g.bucket >= 0 {
			groups = append(groups, g)
		}
	}
	// all returns the nibbles of a bucket without those of one group.
	all := func(bucket, without int) (n nibbles) {
		for i := range groups {
			if groups[i].bucket == bucket && i != without {
				n = n.union(groups[i].nibbles)
			}
		}
		return n
	}
	for range rounds {
		for i := range groups {
			groups[i].bucket = BucketCount
			best, least := 0, ^uint64(0)
			for bucket := range BucketCount {
				before := all(bucket, i)
				after := before.union(groups[i].nibbles)
				if more := after.cost() - before.cost(); more < least {
					best, least = bucket, more
				}
			}
			groups[i].bucket = best
		}
	}
	t := &Table{mark: '\\'}
	for bucket := range BucketCount {
		t.put(bucket, all(bucket, -1))
	}
	return t
}
