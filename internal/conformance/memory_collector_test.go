package conformance

import (
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// TestCollectorSeesEverything decodes growing documents while the collector runs all the time, and
// checks every value afterwards. Memory that only a hidden pointer refers to (in memory that the
// collector does not scan, or in an integer) is collected, and the next allocation overwrites it.
func TestCollectorSeesEverything(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	stop := make(chan struct{})
	var background sync.WaitGroup
	background.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	defer background.Wait()
	defer close(stop)

	most := testkit.Scale(t, 40, 120, 120)
	if testkit.Race {
		most = 40
	}
	var kept []*openrtb.BidRequest
	for imps := 0; imps <= most; imps += 1 + imps/8 {
		// The memory of a new decoder grows during the document. Only the value keeps the text
		// alive.
		d := openrtb.NewDecoder()
		v, err := d.Decode(testkit.TaggedRequest(imps, imps))
		if err != nil {
			t.Fatal(err)
		}
		arena, err := openrtb.ParseFastArena(testkit.TaggedRequest(imps, imps))
		if err != nil {
			t.Fatal(err)
		}
		own, err := openrtb.Parse(testkit.TaggedRequest(imps, imps))
		if err != nil {
			t.Fatal(err)
		}
		fast, err := openrtb.ParseFast(testkit.TaggedRequest(imps, imps))
		if err != nil {
			t.Fatal(err)
		}
		litter()
		for i, v := range []*openrtb.BidRequest{v, arena, own, fast} {
			if s := testkit.CheckTagged(v, imps, testkit.TaggedLeaves(imps)); s != "" {
				t.Fatalf("%d impressions, value %d: %s", imps, i, s)
			}
		}
		openrtb.ReleaseArena(arena)
		kept = append(kept, own, fast)
		runtime.KeepAlive(d)
	}
	litter()
	for i, v := range kept {
		tag := len(v.Imp)
		if s := testkit.CheckTagged(v, tag, testkit.TaggedLeaves(tag)); s != "" {
			t.Errorf("value %d, at the end: %s", i, s)
		}
	}
}

// TestPiecesOutliveTheWhole keeps only parts of a value: each keeps alive what it refers to.
func TestPiecesOutliveTheWhole(t *testing.T) {
	const tag = 77
	var pieces []any
	for _, parse := range []func([]byte) (*openrtb.BidRequest, error){openrtb.Parse, openrtb.ParseFast} {
		v, err := parse(testkit.TaggedRequest(tag, 9))
		if err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, v.Site, &v.Imp[8], v.Imp[3].Banner.Format, v.Imp[1].Pmp, v.BCat, v.User.EIDs, v.Device, new(v.Imp[2].Ext))
		w, err := openrtb.ParseResponse(testkit.TaggedResponse(tag, 9))
		if err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, &w.SeatBid[0].Bid[5], w.SeatBid[0].Bid[2].ADomain)
	}
	for range 3 {
		runtime.GC()
		litter()
	}
	for i, p := range pieces {
		if s := testkit.CheckTagged(p, tag, -1); s != "" {
			t.Errorf("piece %d (%T): %s", i, p, s)
		}
	}
}

// litter allocates and fills memory of every small size, with and without pointers. So it
// overwrites what was collected by mistake.
func litter() {
	for size := 8; size <= 32<<10; size += size/4&^7 + 8 {
		for range 4 {
			b := make([]byte, size)
			for i := range b {
				b[i] = 0xa5
			}
			p := make([]*int, size/8)
			for i := range p {
				p[i] = &littered
			}
			sinkBytes, sinkPointers = b, p
		}
	}
}

var (
	littered     = -1
	sinkBytes    []byte
	sinkPointers []*int
)
