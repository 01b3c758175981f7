package openrtb_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// TestArenasOfManyGoroutines decodes and releases in many goroutines at once. Each document is
// tagged, so a byte of another one shows. The text is overwritten after each release, as servers
// with pooled buffers do. Run it with -race.
func TestArenasOfManyGoroutines(t *testing.T) {
	goroutines, rounds := 16, testkit.Scale(t, 50, 150, 1500)
	if testkit.Race {
		rounds = 50
	}
	var wg sync.WaitGroup
	released := make(chan *openrtb.BidRequest, goroutines) // released by another goroutine
	var releaser sync.WaitGroup
	releaser.Go(func() {
		for v := range released {
			openrtb.ReleaseArena(v)
		}
	})
	for g := range goroutines {
		wg.Go(func() {
			r := testkit.Rand(uint64(g))
			for round := range rounds {
				tag := 100_000*(g+1) + round
				if s := oneConcurrent(r, tag, released); s != "" {
					t.Errorf("goroutine %d, round %d: %s", g, round, s)
					return
				}
			}
		})
	}
	wg.Wait()
	close(released)
	releaser.Wait()
}

// oneConcurrent decodes a request and a response, checks them twice with a pause between, and
// releases them in one of several ways.
func oneConcurrent(r *rand.Rand, tag int, released chan<- *openrtb.BidRequest) string {
	imps := r.IntN(6)
	if r.IntN(20) == 0 {
		imps = 60 // the arena has to grow
	}
	data := testkit.TaggedRequest(tag, imps)
	if r.IntN(5) == 0 { // refused halfway
		cut := r.IntN(len(data) - 1)
		if v, err := openrtb.ParseFastArena(data[:cut]); err == nil {
			return "accepted a document that was cut off: " + v.ID
		}
	}
	v, err := openrtb.ParseFastArena(data)
	if err != nil {
		return err.Error()
	}
	response := testkit.TaggedResponse(tag, imps)
	w, err := openrtb.ParseResponseFastArena(response)
	if err != nil {
		return err.Error()
	}
	for range 2 {
		if s := testkit.CheckTagged(v, tag, testkit.TaggedLeaves(imps)); s != "" {
			return s
		}
		if s := testkit.CheckTagged(w, tag, -1); s != "" {
			return s
		}
		runtime.Gosched()
	}
	openrtb.ReleaseResponseArena(w)
	clear(response)
	switch r.IntN(4) {
	case 0:
		released <- v
	case 1: // never released: garbage
	default:
		openrtb.ReleaseArena(v)
		clear(data)
	}
	return ""
}

// TestDecodersOfManyGoroutines decodes with one decoder for each goroutine, and with Parse, whose
// results own their memory.
func TestDecodersOfManyGoroutines(t *testing.T) {
	rounds := testkit.Scale(t, 50, 200, 2000)
	if testkit.Race {
		rounds = 50
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			d := openrtb.NewDecoder()
			var kept []*openrtb.BidRequest
			for round := range rounds {
				tag, imps := 100_000*(g+1)+round, round%7
				data := testkit.TaggedRequest(tag, imps)
				v, err := d.Decode(data)
				if err != nil {
					t.Error(err)
					return
				}
				owned, err := openrtb.Parse(data)
				if err != nil {
					t.Error(err)
					return
				}
				for _, v := range []*openrtb.BidRequest{v, owned} {
					if s := testkit.CheckTagged(v, tag, testkit.TaggedLeaves(imps)); s != "" {
						t.Errorf("goroutine %d, round %d: %s", g, round, s)
						return
					}
				}
				d.Reset()
				clear(data)
				kept = append(kept, owned)
			}
			for round, v := range kept {
				if s := testkit.CheckTagged(v, 100_000*(g+1)+round, testkit.TaggedLeaves(round%7)); s != "" {
					t.Errorf("goroutine %d, round %d, at the end: %s", g, round, s)
				}
			}
		})
	}
	wg.Wait()
}
