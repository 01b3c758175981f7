package literals

// WindowSize is how many bytes a Table looks at from each position on.
const WindowSize = 4

// BucketCount is how many sets of windows a Table has.
const BucketCount = 8

// blockSize is how many positions a Block describes.
const blockSize = 64

// Table says at which positions of a text one of up to eight sets of windows may be. It looks at
// the nibbles of each byte apart, so a set may hold more windows than were added to it.
//
// Kernels read its first 130 bytes.
type Table struct {
	low, high [WindowSize][16]byte // bit b: bucket b has a window with this nibble there
	mark      byte                 // what Find may stop at,
	pass      byte                 // unless this byte follows
	bytes     [WindowSize][256]byte
}

// Block has the positions found among 64: bit i stands for position At+i.
type Block struct {
	At   uint64
	Bits uint64
}

// nibbles are the low and high nibbles, as bits, that the bytes of some windows have.
type nibbles struct{ low, high [WindowSize]uint16 }

// anyNibble has every nibble.
const anyNibble = 1<<16 - 1

// add adds to place i of the windows all bytes that have one of the low nibbles and one of the high
// ones.
func (n *nibbles) add(i int, low, high uint16) {
	n.low[i] |= low
	n.high[i] |= high
}

// addByte adds a byte, and the other case of a letter.
func (n *nibbles) addByte(i int, c byte) {
	n.add(i, 1<<(c&15), 1<<(c>>4))
	if 'a' <= c && c <= 'z' {
		n.high[i] |= 1 << (c>>4 ^ 2)
	}
}

// union returns the nibbles of both.
func (n nibbles) union(o nibbles) nibbles {
	for i := range WindowSize {
		n.add(i, o.low[i], o.high[i])
	}
	return n
}

// put makes n the windows of a bucket.
func (t *Table) put(bucket int, n nibbles) {
	bit := byte(1) << bucket
	for i := range WindowSize {
		for x := range 16 {
			t.low[i][x] &^= bit
			t.high[i][x] &^= bit
			if n.low[i]>>x&1 != 0 {
				t.low[i][x] |= bit
			}
			if n.high[i]>>x&1 != 0 {
				t.high[i][x] |= bit
			}
		}
		for c := range 256 {
			t.bytes[i][c] = t.low[i][c&15] & t.high[i][c>>4]
		}
	}
}

// Window is a set of byte strings: one of the bytes at each place. A place without bytes, and the
// places after the last, may hold any byte.
type Window [WindowSize]string

// NewTable returns a table with one bucket for each window. There may be up to BucketCount.
func NewTable(windows ...Window) *Table {
	t := &Table{}
	for bucket, w := range windows {
		var n nibbles
		for i, bytes := range w {
			if bytes == "" {
				n.add(i, anyNibble, anyNibble)
			}
			for k := range len(bytes) {
				n.add(i, 1<<(bytes[k]&15), 1<<(bytes[k]>>4))
			}
		}
		t.put(bucket, n)
	}
	return t
}

// Find fills dst with the blocks of text, from the position from on, that have a position at which
// a window may be, in ascending order, and returns how many it has filled. next is where to
// continue: len(text) once all positions with a whole window have been looked at; the last
// WindowSize-1 positions have none, so callers look at them by themselves. If dst is full, next
// is less.
//
// With stop, Find also ends at a block of 64 bytes that holds the table's mark, unless the byte
// that it passes follows: marked is true then. It must be called again without stop to find the
// rest.
func (t *Table) Find(dst []Block, text []byte, from int, stop bool) (count, next int, marked bool) {
	whole := len(text) - (WindowSize - 1) // positions
	if whole <= from {
		return 0, len(text), stop && t.marked(text, from, len(text))
	}
	if len(dst) == 0 {
		return 0, from, false
	}
	count, next, marked = t.find(dst, text, from, whole, stop)
	if next < whole || marked {
		return count, next, marked
	}
	return count, len(text), stop && t.marked(text, whole, len(text))
}

// marked reports whether Find stops at one of the bytes of text from `from` to before to.
func (t *Table) marked(text []byte, from, to int) bool {
	for i := from; i < to; i++ {
		if text[i] == t.mark && (i+1 == len(text) || text[i+1] != t.pass) {
			return true
		}
	}
	return false
}
