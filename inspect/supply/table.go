package supply

import (
	"cmp"
	"errors"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// Accounts are compared by hashes of 64 bits, with seeds that are new in each process: a file takes
// 8 bytes for an account of 30. An account that is listed is always found. One that is not listed
// is taken for one of a million that are with a probability below 2^-42; the seeds are secret, so
// it can't be chosen.
var systemSeed, sellerSeed = maphash.MakeSeed(), maphash.MakeSeed()

// accountKey returns the hash of a seller's account in an advertising system.
func accountKey(system, seller string) uint64 {
	return maphash.String(systemSeed, system) ^ sellerKey(seller)
}

// sellerKey returns the hash of a seller's id, or of another name.
func sellerKey(seller string) uint64 { return maphash.String(sellerSeed, seller) }

// search returns the index of the first of the sorted keys that is not below the key. Hashes are
// spread evenly, so it begins near the place, and doubles its steps away from there.
func search(keys []uint64, key uint64) int {
	n := len(keys)
	if n == 0 {
		return 0
	}
	hi, _ := bits.Mul64(key, uint64(n))
	from, to := int(hi), int(hi) //nolint:gosec // below n
	const stepMin = 4
	if keys[from] < key {
		for step := stepMin; to < n && keys[to] < key; step *= 2 {
			from, to = to+1, to+step
		}
		to = min(to, n)
	} else {
		for step := stepMin; from > 0 && keys[from-1] >= key; step *= 2 {
			from, to = max(from-step, 0), from-1
		}
	}
	for from < to {
		if mid := int(uint(from+to) / 2); keys[mid] < key { //nolint:gosec // not negative
			from = mid + 1
		} else {
			to = mid
		}
	}
	return from
}

// table has a short text for each of many names. It is immutable.
type table struct {
	keys []uint64 // sorted
	ends []uint32 // of the values in text
	text string   // the values, in the order of the keys
}

// find returns the value of the name with the key.
func (t *table) find(key uint64) (value string, found bool) {
	i := search(t.keys, key)
	if i == len(t.keys) || t.keys[i] != key {
		return "", false
	}
	start := uint32(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.text[start:t.ends[i]], true
}

// tableBuilder makes a table.
type tableBuilder struct {
	entries []tableEntry
	text    []byte
}

type tableEntry struct {
	key uint64
	at  uint32 // of the value in text
	n   uint16
}

var errTable = errors.New("the file is too large: expected less than 4 GiB of names")

// add adds the value that was appended to the text since start. A value has at least one byte.
func (b *tableBuilder) add(key uint64, start int) error {
	if uint64(len(b.text)) > math.MaxUint32 {
		return errTable
	}
	b.entries = append(b.entries, tableEntry{key, uint32(start), uint16(len(b.text) - start)}) //nolint:gosec // names are short
	return nil
}

// finish returns the table. Of the values of one name the first one counts.
func (b *tableBuilder) finish() table {
	slices.SortFunc(b.entries, func(x, y tableEntry) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.at, y.at))
	})
	entries := slices.CompactFunc(b.entries, func(x, y tableEntry) bool { return x.key == y.key })
	size := 0
	for _, e := range entries {
		size += int(e.n)
	}
	t := table{keys: make([]uint64, len(entries)), ends: make([]uint32, len(entries))}
	var text strings.Builder
	text.Grow(size)
	for i, e := range entries {
		text.Write(b.text[e.at : e.at+uint32(e.n)])
		t.keys[i], t.ends[i] = e.key, uint32(text.Len()) //nolint:gosec // checked by add
	}
	t.text = text.String()
	return t
}
