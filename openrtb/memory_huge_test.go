package openrtb_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// keptMax is the limit on the memory that stays in use after huge requests.
const keptMax = 16 << 20

// hugeCases make requests of any size, each of which needs another kind of memory.
var hugeCases = []struct {
	name string
	make func(size int) string
}{
	{"text", func(n int) string { return `{"id":"` + strings.Repeat("a", n) + `"}` }},
	{"escapes", func(n int) string { return `{"id":"` + strings.Repeat(`\n`, n/2) + `"}` }},
	{"many escapes", func(n int) string {
		return `{"bcat":[` + strings.Repeat(`"\n`+strings.Repeat("a", 30)+`",`, n/35) + `""]}`
	}},
	{"ext", func(n int) string { return `{"ext":[` + strings.Repeat("0,", n/2) + `0]}` }},
	{"impressions", func(n int) string { return string(testkit.TaggedRequest(1, n/300)) }},
	{"integers", func(n int) string {
		one := `{"banner":{"api":[` + strings.Repeat("1,", 100_000) + `0]}},`
		return `{"imp":[` + strings.Repeat(one, n/len(one)) + `{}]}`
	}},
}

// heapAfterOneGC returns the size of the live heap. Pools survive one collection.
func heapAfterOneGC() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestHugeRequestsAreNotKept decodes huge requests in every way, one after the other and at once,
// and measures what stays in use. Ten of 1 MB at once are as much, in arenas that are not large.
func TestHugeRequestsAreNotKept(t *testing.T) {
	if testkit.Race || testkit.Poisoned {
		t.Skip("the race detector changes memory, and a poisoned arena stays until its finalizer has run")
	}
	huge := testkit.Scale(t, 3<<20, 4<<20, 10<<20)
	d, rd := openrtb.NewDecoder(), openrtb.NewResponseDecoder()
	small := []byte(`{"id":"1"}`)
	for _, c := range hugeCases {
		for _, n := range []struct{ size, atOnce int }{{huge, 3}, {1 << 20, 10}} {
			data := []byte(c.make(n.size))
			heapAfterOneGC()
			before := heapAfterOneGC() // the second one has emptied the pools
			if _, err := openrtb.ParseFast(data); err != nil {
				t.Error(err)
			}
			if _, err := d.Decode(data); err != nil {
				t.Error(err)
			}
			if _, err := d.Decode(small); err != nil {
				t.Error(err)
			}
			if _, err := rd.Decode(small); err != nil {
				t.Error(err)
			}
			atOnce(t, data, n.atOnce)
			kept := heapAfterOneGC() - before
			for i := 0; testkit.Poisoned && kept > keptMax && i < 10; i++ {
				// Arenas are not used again, and wait for their finalizers.
				kept = heapAfterOneGC() - before
			}
			if kept > keptMax {
				t.Errorf("%s, %d MB, %d at once: %d KB stay in use", c.name, n.size>>20, n.atOnce, kept>>10)
			}
			t.Logf("%s, %d MB, %d at once: %d KB", c.name, n.size>>20, n.atOnce, kept>>10)
			runtime.KeepAlive(data)
		}
	}
	runtime.KeepAlive(d)
	runtime.KeepAlive(rd)
}

// atOnce decodes a document in several arenas that are all in use at the same time.
func atOnce(t *testing.T, data []byte, count int) {
	t.Helper()
	var all []*openrtb.BidRequest
	for range count {
		v, err := openrtb.ParseFastArena(data)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	for _, v := range all {
		openrtb.ReleaseArena(v)
	}
}

// TestHugeRequestLeavesRoomForSmallOnes decodes small requests after an arena has dropped its
// memory.
func TestHugeRequestLeavesRoomForSmallOnes(t *testing.T) {
	huge := []byte(hugeCases[4].make(1 << 20))
	d := openrtb.NewDecoder()
	for round := range 3 {
		for _, parse := range []func([]byte) (*openrtb.BidRequest, error){openrtb.ParseFastArena, d.Decode} {
			v, err := parse(huge)
			if err != nil {
				t.Fatal(err)
			}
			if s := testkit.CheckTagged(v, 1, -1); s != "" {
				t.Fatal(s)
			}
			if testkit.PanicOf(func() { openrtb.ReleaseArena(v) }) != "" {
				d.Reset()
			}
			v, err = parse(bytes.Clone(testkit.TaggedRequest(100+round, 3)))
			if err != nil {
				t.Fatal(err)
			}
			if s := testkit.CheckTagged(v, 100+round, testkit.TaggedLeaves(3)); s != "" {
				t.Fatal(s)
			}
		}
	}
}
