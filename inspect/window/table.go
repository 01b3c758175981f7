package window

import (
	"math/bits"
	"sync"
)

// A table is a hash table of fixed size for entries that get old. It consists of buckets of one
// cache line. A key has two buckets. A new key goes into the emptier one; where both are full, it
// takes the place of the older of the two oldest entries. So each lookup reads two lines at most,
// whatever the keys are, and both can be read at once.
//
// Keys themselves are not kept, only tags: bits of their hashes.
type table[bucket any] struct {
	shards []shard[bucket]
	shift  uint   // what leaves of a hash the number of its shard
	length uint64 // of each shard's buckets
}

// shard is a part of a table with a lock of its own. It has the size of a cache line, or less where
// pointers have 32 bits.
type shard[bucket any] struct {
	mu        sync.Mutex
	forgotten uint64
	buckets   []bucket
	_         [24]byte
}

const (
	cacheLine = 64

	// Of all slots 3 in 5 are in use when a table has the entries that it was made for. With two
	// buckets for each key, fewer than 1 in 500 entries then find their buckets full.
	loadUsed, loadSlots = 3, 5

	shardsMax = 64
	// shardBuckets is how many buckets a shard has at least, if there is another one: shards of few
	// buckets fill unevenly.
	shardBuckets = 1024
)

// layout returns how many shards and buckets a table has that is made for so many entries.
func layout(entries, ways int) (shards, buckets int64) {
	slots := (int64(entries)*loadSlots + loadUsed - 1) / loadUsed
	all := (slots + int64(ways) - 1) / int64(ways)
	shards = 1
	for shards < shardsMax && all/(shards*2) >= shardBuckets {
		shards *= 2
	}
	return shards, (all + shards - 1) / shards
}

func tableBytes(entries, ways int) int64 {
	shards, buckets := layout(entries, ways)
	return shards * (buckets + 1) * cacheLine
}

func newTable[bucket any](entries, ways int) table[bucket] {
	shards, buckets := layout(entries, ways)
	t := table[bucket]{
		shards: make([]shard[bucket], shards),
		shift:  uint(64 - bits.TrailingZeros64(uint64(shards))),
		length: uint64(buckets),
	}
	all := make([]bucket, shards*buckets)
	for i := range t.shards {
		t.shards[i].buckets, all = all[:buckets:buckets], all[buckets:]
	}
	return t
}

// place returns the shard and the two buckets of a hash, which may be the same. The first comes
// from the upper bits, the second from all; tags come from the lower ones.
func (t *table[bucket]) place(hash uint64) (s *shard[bucket], a, b *bucket) {
	s = &t.shards[hash>>t.shift]
	first, _ := bits.Mul64(hash<<(64-t.shift), t.length)
	second, _ := bits.Mul64(hash*mixer, t.length)
	return s, &s.buckets[first], &s.buckets[second]
}

// mixer is an odd number without a pattern: the golden ratio.
const mixer = 0x9e3779b97f4a7c15

// forgotten returns how many entries gave way before their time.
func (t *table[bucket]) forgotten() (sum uint64) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		sum += s.forgotten
		s.mu.Unlock()
	}
	return sum
}
