package openrtb_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
)

// TestArenasOfManyGoroutines decodes and releases in many goroutines at once. Each document is tagged, so that a byte
// of another one shows; the text is overwritten after each release, as the pools of a server do. Run it with -race.
func TestArenasOfManyGoroutines(t *testing.T) {
	goroutines, rounds := 16, 150
	if raceEnabled || testing.Short() {
		rounds = 50
	}
	var wg sync.WaitGroup
	released := make(chan *openrtb.BidRequest, goroutines) // by a goroutine that has not decoded them
	var releaser sync.WaitGroup
	releaser.Go(func() {
		for v := range released {
			openrtb.ReleaseArena(v)
		}
	})
	for g := range goroutines {
		wg.Go(func() {
			r := newRand(uint64(g))
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

// oneConcurrent decodes one or two documents, checks them around a pause, and gives them back in one of several ways.
func oneConcurrent(r *rand.Rand, tag int, released chan<- *openrtb.BidRequest) string {
	imps := r.IntN(6)
	if r.IntN(20) == 0 {
		imps = 60 // more than the arena has room for
	}
	data := tagged(tag, imps)
	if r.IntN(5) == 0 { // refused somewhere, with memory in use
		cut := r.IntN(len(data) - 1)
		if v, err := openrtb.ParseFastArena(data[:cut]); err == nil {
			return "a document that was cut off is accepted: " + v.ID
		}
	}
	v, err := openrtb.ParseFastArena(data)
	if err != nil {
		return err.Error()
	}
	response := taggedResponse(tag, imps)
	w, err := openrtb.ParseResponseFastArena(response)
	if err != nil {
		return err.Error()
	}
	for range 2 {
		if s := checkTagged(v, tag, leaves(imps)); s != "" {
			return s
		}
		if s := checkTagged(w, tag, -1); s != "" {
			return s
		}
		runtime.Gosched()
	}
	openrtb.ReleaseResponseArena(w)
	clear(response)
	switch r.IntN(4) {
	case 0:
		released <- v
	case 1: // never released: it is garbage
	default:
		openrtb.ReleaseArena(v)
		clear(data)
	}
	return ""
}

// TestDecodersOfManyGoroutines does the same with a decoder for each goroutine, and with results that own their memory.
func TestDecodersOfManyGoroutines(t *testing.T) {
	rounds := 200
	if raceEnabled || testing.Short() {
		rounds = 50
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			d := openrtb.NewDecoder()
			var kept []*openrtb.BidRequest
			for round := range rounds {
				tag, imps := 100_000*(g+1)+round, round%7
				data := tagged(tag, imps)
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
					if s := checkTagged(v, tag, leaves(imps)); s != "" {
						t.Errorf("goroutine %d, round %d: %s", g, round, s)
						return
					}
				}
				d.Reset()
				clear(data)
				kept = append(kept, owned)
			}
			for round, v := range kept {
				if s := checkTagged(v, 100_000*(g+1)+round, leaves(round%7)); s != "" {
					t.Errorf("goroutine %d, round %d, at the end: %s", g, round, s)
				}
			}
		})
	}
	wg.Wait()
}
