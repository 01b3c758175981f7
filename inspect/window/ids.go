package window

import "sync/atomic"

// idTable remembers ids, and which delivery each came with first.
type idTable struct{ table[idBucket] }

const (
	idWays  = 7
	idSlots = 64 // of a window

	stampBits    = 8
	stampMax     = 1<<stampBits - 1
	deliveryBits = 20
	deliveryMax  = 1<<deliveryBits - 1
	tagShift     = stampBits + deliveryBits
)

// idBucket is a cache line with the ids that came last, in that order. From the lowest bit on, an
// entry has 8 bits of the slot of its last request, 20 bits of its first delivery, and 36 bits of
// its hash. A slot identifies an entry as long as no entry is older than 2 windows: see advance. An
// entry of 0 is free.
type idBucket struct {
	now     atomic.Uint32 // the current slot, its lower bits
	_       uint32
	entries [idWays]idEntry
}

func newIDTable(entries int) idTable { return idTable{newTable[idBucket](entries, idWays)} }

// deliveryTag returns what an entry has of a delivery's hash. It is 0 only for no delivery.
func deliveryTag(hash uint64) uint32 {
	if hash == 0 {
		return 0
	}
	return max(uint32(hash&deliveryMax), 1)
}

// prefetch reads from the buckets of a hash.
func (t *idTable) prefetch(hash uint64) {
	if hash != 0 {
		_, a, b := t.place(hash)
		a.now.Load()
		b.now.Load()
	}
}

// observe reports whether the hash is known, and whether the first delivery with it was the same.
// Otherwise it is remembered from the slot on, or from now on if that is earlier.
func (t *idTable) observe(c *clock, slot int64, hash uint64, delivery uint32) (seen, same bool) {
	s, a, b := t.place(hash)
	s.mu.Lock()
	now := c.now.Load() // while locked: a bucket never sees an older time after a newer one
	slot = min(slot, now)
	if now-slot < idSlots {
		var forgot bool
		seen, same, forgot = newIDEntry(hash, delivery, slot).observe(a, b, uint32(now))
		if forgot {
			s.forgotten++
		}
	}
	s.mu.Unlock()
	return seen, same
}

// idEntry is an entry of a bucket.
type idEntry uint64

func newIDEntry(hash uint64, delivery uint32, slot int64) idEntry {
	tag := max(hash<<tagShift, 1<<tagShift) // not a free entry
	return idEntry(tag | uint64(delivery)<<stampBits | uint64(uint8(slot)))
}

func (e idEntry) tag() uint64      { return uint64(e) >> tagShift }
func (e idEntry) delivery() uint32 { return uint32(e >> stampBits & deliveryMax) }

// age returns how many slots ago the entry's last request was, up to 255.
func (e idEntry) age(now uint32) uint8 { return uint8(now) - uint8(e) }

// observe is the table's observe, for the two buckets of an entry. It reports whether an entry gave
// way.
func (e idEntry) observe(a, b *idBucket, now uint32) (seen, same, forgot bool) {
	a.advance(now)
	if i := a.find(e); i >= 0 {
		return true, a.touch(i, e, now), false
	}
	b.advance(now)
	if i := b.find(e); i >= 0 {
		return true, b.touch(i, e, now), false
	}
	to, freeA, freeB := a, a.free(), b.free()
	const oldest = idWays - 1
	switch {
	case freeA == 0 && freeB == 0:
		forgot = true
		if b.entries[oldest].age(now) > a.entries[oldest].age(now) {
			to = b
		}
	case freeB > freeA:
		to = b
	}
	to.toFront(to.slot(), e)
	return false, false, forgot
}

// advance removes the entries that are older than the window at a later slot, and all of a time
// that is after now: the clock was moved back. Entries were in the window when the bucket was
// advanced before, so none is older than two windows, and 8 bits tell its age.
func (b *idBucket) advance(now uint32) {
	passed := now - b.now.Load()
	if passed == 0 {
		return
	}
	b.now.Store(now)
	for i, e := range b.entries {
		if passed >= idSlots || e.age(now) >= idSlots {
			b.entries[i] = 0
		}
	}
}

// find returns the index of the entry with the tag of e, or -1.
func (b *idBucket) find(e idEntry) int {
	for i, other := range b.entries {
		if other.tag() == e.tag() {
			return i
		}
	}
	return -1
}

// free returns how many entries are free.
func (b *idBucket) free() (n int) {
	for _, e := range b.entries {
		if e == 0 {
			n++
		}
	}
	return n
}

// slot returns the index of a free entry, or else of the oldest.
func (b *idBucket) slot() int {
	for i, e := range b.entries {
		if e == 0 {
			return i
		}
	}
	return idWays - 1
}

// touch reports whether the entry at the index is of the same delivery as e, which has its tag. If
// not, the entry gets the time of e, if that is later, and becomes the newest.
func (b *idBucket) touch(i int, e idEntry, now uint32) (same bool) {
	old := b.entries[i]
	if old.delivery() == e.delivery() && e.delivery() != 0 {
		return true
	}
	if e.age(now) < old.age(now) {
		old = old&^stampMax | e&stampMax
	}
	b.toFront(i, old)
	return false
}

// toFront puts an entry to the front, in place of the one at the index.
func (b *idBucket) toFront(i int, e idEntry) {
	for ; i > 0; i-- {
		b.entries[i] = b.entries[i-1]
	}
	b.entries[0] = e
}
