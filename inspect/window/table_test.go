package window

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

func TestBucketsAreCacheLines(t *testing.T) {
	if n := unsafe.Sizeof(countBucket{}); n != cacheLine {
		t.Errorf("a bucket of counts has %d bytes", n)
	}
	if n := unsafe.Sizeof(idBucket{}); n != cacheLine {
		t.Errorf("a bucket of ids has %d bytes", n)
	}
	w := open(t, Options{})
	p := w.partner0(t)
	for name, at := range map[string]unsafe.Pointer{
		"counts": unsafe.Pointer(&p.ifas.shards[0].buckets[0]), "ids": unsafe.Pointer(&p.ids.shards[0].buckets[0]),
	} {
		if uintptr(at)%cacheLine != 0 {
			t.Errorf("buckets of %s begin at %p", name, at)
		}
	}
}

func TestLayout(t *testing.T) {
	for entries := 1; entries < 50_000_000; entries += entries/3 + 1 {
		for _, ways := range []int{countWays, idWays} {
			shards, buckets := layout(entries, ways)
			slots := shards * buckets * int64(ways)
			need := int64(entries) * loadSlots / loadUsed
			if slots < need || slots > need+shards*int64(ways)+int64(ways) {
				t.Errorf("%d entries: %d slots, want %d", entries, slots, need)
			}
			if shards > 1 && buckets < shardBuckets || shards > shardsMax || shardsMax%shards != 0 {
				t.Errorf("%d entries: %d shards of %d buckets", entries, shards, buckets)
			}
		}
	}
}

// TestPlaces spreads hashes over all shards and buckets.
func TestPlaces(t *testing.T) {
	table := newIDTable(testkit.Scale(t, 20_000, 200_000, 2_000_000))
	random := testkit.Rand(testkit.Seed(t))
	n := map[*idBucket]int{}
	const perBucket = 60
	for range len(table.shards) * len(table.shards[0].buckets) * perBucket / 2 {
		_, a, b := table.place(random.Uint64())
		n[a]++
		n[b]++
	}
	for i := range table.shards {
		for j := range table.shards[i].buckets {
			if got := n[&table.shards[i].buckets[j]]; got < perBucket/4 || got > perBucket*3 {
				t.Errorf("bucket %d of shard %d has %d hashes, want about %d", j, i, got, perBucket)
			}
		}
	}
}

// TestRoom sends new keys for four windows, in each as many as tables were made for, or more. It
// prints how many are forgotten too early.
func TestRoom(t *testing.T) {
	entries := testkit.Scale(t, 5000, 20_000, 1_000_000)
	for _, load := range []float64{0.5, 1, 1.25, 1.5, 2} {
		w := open(t, Options{EventTime: true, IDWindow: 2 * WindowDefault, Shared: Limits{entries, entries, 2 * entries}})
		n := int(4 * load * float64(entries))
		r := request("", "", "")
		for i := range n {
			r.ID, r.Device.IFA, r.Device.IP = uuid(i), uuid(i), ip(i)
			w.Observe("", r, start.Add(4*WindowDefault*time.Duration(i)/time.Duration(n)), Delivery{})
		}
		f := w.Stats("").Forgotten
		percent := func(forgotten uint64) float64 { return 100 * float64(forgotten) / float64(n) }
		t.Logf("%.0f%% of the entries: %.3f%% ifas, %.3f%% addresses, %.3f%% ids forgotten",
			100*load, percent(f.IFAs), percent(f.Addresses), percent(f.IDs))
		for _, got := range []uint64{f.IFAs, f.Addresses, f.IDs} {
			if p := percent(got); load <= 1 && p > 0.2 || load == 2 && p < 10 {
				t.Errorf("%.3f%% of the keys are forgotten with %.0f%% of the entries", p, 100*load)
			}
		}
	}
}

// TestOldestAreForgotten sends many more keys than the capacity, and asks for all.
func TestOldestAreForgotten(t *testing.T) {
	entries := testkit.Scale(t, 10_000, 30_000, 300_000)
	n := 5 * entries
	w := open(t, Options{EventTime: true, Shared: Limits{entries, 1, entries}})
	at := func(i int) time.Time { return start.Add(WindowDefault * 3 / 4 * time.Duration(i) / time.Duration(n)) }
	for i := range n {
		w.Observe("", request(fmt.Sprint(i), fmt.Sprint(i), ""), at(i), Delivery{})
	}
	_, salt := w.partner("")
	known := func(i int) (counted, seen bool) {
		k := w.keys(request(fmt.Sprint(i), fmt.Sprint(i), ""), Delivery{}, salt)
		p := w.partner0(t)
		_, a, b := p.ifas.place(k.ifa)
		_, c, d := p.ids.place(k.id)
		e := newIDEntry(k.id, 0, 0)
		return a.find(uint32(k.ifa)) >= 0 || b.find(uint32(k.ifa)) >= 0, c.find(e) >= 0 || d.find(e) >= 0
	}
	count := func(from, to int) (counted, seen int) {
		for i := from; i < to; i++ {
			c, s := known(i)
			if c {
				counted++
			}
			if s {
				seen++
			}
		}
		return counted, seen
	}
	if counted, seen := count(n-entries/2, n); counted < entries/2*99/100 || seen < entries/2*99/100 {
		t.Errorf("of the newest %d, %d are counted, %d ids known", entries/2, counted, seen)
	}
	if counted, seen := count(n-entries, n); counted < entries*95/100 || seen < entries*95/100 {
		t.Errorf("of the newest %d, %d are counted, %d ids known", entries, counted, seen)
	}
	if counted, seen := count(0, n-3*entries); counted > entries/100 || seen > entries/100 {
		t.Errorf("of the oldest %d, %d are counted, %d ids known", n-3*entries, counted, seen)
	}
}

// TestEvictionOrder fills one bucket: the entry that was used least recently gives way.
func TestEvictionOrder(t *testing.T) {
	w := open(t, Options{EventTime: true, Shared: Limits{1, 1, 1}})
	p := w.partner0(t)
	if n := len(p.ifas.shards) * len(p.ifas.shards[0].buckets) * len(p.ids.shards[0].buckets); n != 1 {
		t.Fatalf("%d buckets", n)
	}
	ifa := func(n int) int {
		return w.Observe("", request("", fmt.Sprint("ifa-", n), ""), start, Delivery{}).Counts.IFA
	}
	id := func(n int) bool { return w.Observe("", request(fmt.Sprint(n), "", ""), start, Delivery{}).Seen }
	for n := range countWays {
		ifa(n)
	}
	ifa(0)
	ifa(countWays) // in place of 1
	for _, n := range []int{0, 2, 3, 4, 5} {
		if got := ifa(n); got < 2 {
			t.Errorf("ifa %d was forgotten", n)
		}
	}
	if got := ifa(1); got != 1 {
		t.Errorf("ifa 1 has %d requests", got)
	}
	for n := range idWays {
		id(n)
	}
	id(0)
	id(idWays) // in place of 1
	for _, n := range []int{0, 2, 3, 4, 5, 6, 7} {
		if !id(n) {
			t.Errorf("id %d was forgotten", n)
		}
	}
	if id(1) {
		t.Error("id 1 was not forgotten")
	}
	if f := w.Stats("").Forgotten; f.IFAs != 2 || f.IDs != 2 || f.Addresses != 0 {
		t.Errorf("forgotten: %+v", f)
	}
}

// TestOlderOfTwoBuckets: a new key takes the place of the older of the two oldest entries, and is
// in the emptier bucket while there is room.
func TestOlderOfTwoBuckets(t *testing.T) {
	for _, older := range []int{0, 1} {
		var counts [2]countBucket
		var ids [2]idBucket
		for i := range countWays {
			for n := range counts {
				age := uint(1)
				if n == older {
					age = 3
				}
				counts[n].toFront(i, uint32(100+i), 1<<(laneBits*age))
			}
		}
		for i := range idWays {
			for n := range ids {
				slot := int64(7)
				if n == older {
					slot = 3
				}
				ids[n].toFront(i, newIDEntry(uint64(100+i), 0, slot))
			}
		}
		for n := range counts {
			counts[n].now.Store(10)
			ids[n].now.Store(10)
		}
		if n, forgot := count(&counts[0], &counts[1], 1, 10, 0, true); n != 1 || !forgot || counts[older].tags[0] != 1 || counts[older].find(100) >= 0 {
			t.Errorf("bucket %d of counts is older: %d %v %v", older, n, forgot, &counts)
		}
		e := newIDEntry(1, 0, 10)
		if _, _, forgot := e.observe(&ids[0], &ids[1], 10); !forgot || ids[older].entries[0] != e || ids[older].find(newIDEntry(100, 0, 0)) >= 0 {
			t.Errorf("bucket %d of ids is older: %v", older, &ids)
		}
	}
	var counts [2]countBucket
	var ids [2]idBucket
	for i := range uint32(2 * countWays) {
		count(&counts[0], &counts[1], i, 0, 0, true)
	}
	for i := range uint64(2 * idWays) {
		newIDEntry(i+1, 0, 0).observe(&ids[0], &ids[1], 0)
	}
	if counts[0].free()+counts[1].free()+ids[0].free()+ids[1].free() != 0 {
		t.Errorf("not full: %v %v", &counts, &ids)
	}
}

// TestFlood: whatever a partner sends, the counts of another stay.
func TestFlood(t *testing.T) {
	limits := Limits{2000, 2000, 2000}
	w := open(t, Options{Shared: limits, Partners: map[string]Partner{"quiet": {Limits: limits}, "loud": {Limits: limits}}})
	now := time.Now()
	const keys = 1000
	observe := func(n int) Answers {
		return w.Observe("quiet", request(fmt.Sprint(n), fmt.Sprint("ifa-", n), fmt.Sprintf("198.51.%d.%d", n>>8, n&255)), now, Delivery{})
	}
	for n := range keys {
		observe(n)
	}
	before := w.Stats("quiet").Forgotten
	for n := range testkit.Scale(t, 20_000, 100_000, 2_000_000) {
		ip := fmt.Sprintf("10.%d.%d.%d", n>>16, n>>8&255, n&255)
		w.Observe("loud", request(fmt.Sprint(n), fmt.Sprint("ifa-", n), ip), now, Delivery{})
		w.Observe("unknown", request(fmt.Sprint(n), fmt.Sprint("ifa-", n), ip), now, Delivery{})
	}
	after := w.Stats("quiet").Forgotten
	if after != before {
		t.Errorf("forgotten: %+v, before the flood %+v", after, before)
	}
	lost := 0
	for n := range keys {
		if got := observe(n); !got.Seen || got.Counts.IFA != 2 || got.Counts.Address != 2 {
			lost++
		}
	}
	if lost > int(before.IFAs+before.Addresses+before.IDs) {
		t.Errorf("%d of %d keys were lost", lost, keys)
	}
	if w.Stats("loud").Forgotten.IDs == 0 || w.Stats("unknown").Forgotten.IDs == 0 {
		t.Error("the flood is too small")
	}
}

// collisions returns ids that all lie in the first of the buckets.
func collisions(w *Windows, n int) (ids []string) {
	p, salt := w.partner("")
	s := &p.ids.shards[0]
	few := uintptr(unsafe.Pointer(&s.buckets[len(s.buckets)/8]))
	in := func(b *idBucket) bool {
		return uintptr(unsafe.Pointer(b)) < few && uintptr(unsafe.Pointer(b)) >= uintptr(unsafe.Pointer(&s.buckets[0]))
	}
	for i := 0; len(ids) < n; i++ {
		id := fmt.Sprint(i)
		k := w.keys(request(id, "", ""), Delivery{}, salt)
		if _, a, b := p.ids.place(k.id); in(a) && in(b) {
			ids = append(ids, id)
		}
	}
	return ids
}

// used returns how many buckets of a table have entries.
func (t *idTable) used() (n int) {
	for i := range t.shards {
		for j := range t.shards[i].buckets {
			if t.shards[i].buckets[j].free() < idWays {
				n++
			}
		}
	}
	return n
}

// TestChosenKeys: with the seed, keys that collide can be found. They cost no more memory than
// others, and only push out each other, in the few buckets that each of them may be in. Without the
// seed they are keys like others.
func TestChosenKeys(t *testing.T) {
	o := Options{EventTime: true, Shared: Limits{IFAs: 1, Addresses: 1, IDs: 1000}}
	known, other := open(t, o), open(t, o)
	table, otherTable := &known.partner0(t).ids, &other.partner0(t).ids
	buckets := len(table.shards[0].buckets)
	ids := collisions(known, testkit.Scale(t, 1000, 4000, 4000))
	observe := func(w *Windows, ids []string) {
		r := request("", "", "")
		for _, id := range ids {
			r.ID = id
			w.Observe("", r, start, Delivery{})
		}
	}
	before := heap()
	for range 20 {
		observe(known, ids)
	}
	if n := table.used(); n > buckets/8 {
		t.Errorf("chosen keys are in %d of %d buckets: the test does not find collisions", n, buckets)
	}
	if grown := heap() - before; grown > 64<<10 {
		t.Errorf("%d bytes more", grown)
	}
	observe(other, ids)
	if n := otherTable.used(); n < buckets*9/10 {
		t.Errorf("without the seed, chosen keys are in %d of %d buckets", n, buckets)
	}
}

// TestHashesNeedTheSeed: two windows hash alike only by chance.
func TestHashesNeedTheSeed(t *testing.T) {
	r, d := request("1", someIFA, "198.51.100.7"), Delivery{"requests", 1, 2}
	a, b := open(t, Options{}).keys(r, d, 0), open(t, Options{}).keys(r, d, 0)
	for i, pair := range [][2]uint64{{a.id, b.id}, {a.ifa, b.ifa}, {a.address, b.address}, {a.delivery, b.delivery}} {
		if pair[0] == pair[1] || pair[0] == 0 {
			t.Errorf("hash %d is the same for every seed", i)
		}
	}
}

// TestConcurrent counts with many goroutines, each key exactly.
func TestConcurrent(t *testing.T) {
	for _, eventTime := range []bool{false, true} {
		w := open(t, Options{EventTime: eventTime, Partners: map[string]Partner{"a": {Limits: Limits{10_000, 10_000, 100_000}}}})
		now := time.Now()
		const goroutines, rounds, ifas = 8, 300, 10
		var seen atomic.Int64
		var group sync.WaitGroup
		for g := range goroutines {
			group.Go(func() {
				for n := range rounds {
					// Each id twice, each ifa as often as others.
					r := request(fmt.Sprint(g/2, " ", n), fmt.Sprint("ifa-", n%ifas), "198.51.100.7")
					at := now.Add(time.Duration(n) * time.Millisecond)
					if w.Observe("a", r, at, Delivery{}).Seen {
						seen.Add(1)
					}
					w.Observe("b", r, at, Delivery{"requests", int32(g), int64(n)})
					w.Stats("a")
				}
			})
		}
		group.Wait()
		if n := seen.Load(); n != goroutines/2*rounds {
			t.Errorf("%d ids were seen before, want %d", n, goroutines/2*rounds)
		}
		var counts []int
		for n := range ifas {
			got := w.Observe("a", request("", fmt.Sprint("ifa-", n), ""), now.Add(rounds*time.Millisecond), Delivery{})
			counts = append(counts, got.Counts.IFA)
		}
		if want := slices.Repeat([]int{goroutines*rounds/ifas + 1}, ifas); !slices.Equal(counts, want) {
			t.Errorf("counts %v, want %v", counts, want)
		}
	}
}
