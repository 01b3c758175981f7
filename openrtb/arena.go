package openrtb

import (
	"sync"
	"sync/atomic"
)

// arena is a codec with the memory for one decoded document, in a pool when nobody uses it.
//
// The documents take turns in several roots. A pointer that somebody keeps after its release is
// then not that of the document which has the arena next, so that a late second release is
// seen for what it is, instead of ending the life of somebody else's document.
type arena struct {
	c         codec
	turn      uint8
	requests  [rootCount]BidRequest
	responses [rootCount]BidResponse
	request   atomic.Pointer[BidRequest] // the one in use, or nil
	response  atomic.Pointer[BidResponse]
}

// rootCount is after how many documents an arena gives out the same pointer again: more than
// a second release lags behind in practice, few enough to stay in the cache. A power of two.
const rootCount = 8

var arenas = sync.Pool{New: func() any { return new(arena) }}

// keepBytes is how much memory an arena or a decoder keeps for the next document: enough for
// requests of some 100 KB. One that a rare huge document has made larger is let go. As many
// arenas stay in the pool as there were documents at once, and the limit is for each.
const keepBytes = 1 << 20

// ParseFastArena is [ParseFast] with every object in a pooled arena: once warm it allocates
// nothing.
//
// The result and everything in it is valid until [ReleaseArena], or until data is changed.
// After the release another request gets the memory. The caller therefore
//
//   - calls ReleaseArena exactly once, when nobody uses the request any more, in whatever
//     goroutine; a request that is never released is collected like any other value;
//   - clones what has to live longer: [BidRequest.Clone], [strings.Clone];
//   - releases a request, not a copy of the struct.
//
// A second release, and the release of a request that is not from an arena, panic. Built with
// the tag rtbwiredebug, arenas are poisoned and never used again, so that every use after the
// release shows. docs/lifetimes.md has the details.
func ParseFastArena(data []byte) (*BidRequest, error) {
	a := arenas.Get().(*arena)
	a.turn++
	v := &a.requests[a.turn%rootCount]
	if err := a.c.parseBidRequest(v, data); err != nil {
		*v = BidRequest{}
		a.recycle()
		return nil, err
	}
	v.arena = a
	a.request.Store(v)
	return v, nil
}

// ReleaseArena gives the memory of a request from [ParseFastArena] back. It panics when the
// request was released before, is a copy, or is not from an arena. nil is ignored.
func ReleaseArena(r *BidRequest) {
	if r == nil {
		return
	}
	a := r.arena
	if a == nil || !a.request.CompareAndSwap(r, nil) {
		panic("openrtb: ReleaseArena of a request that no arena owns: it was released before, is a copy, or is not from ParseFastArena")
	}
	if !poison(&a.c, r) {
		*r = BidRequest{}
		a.recycle()
	}
}

// ParseResponseFastArena is [ParseFastArena] for a bid response.
func ParseResponseFastArena(data []byte) (*BidResponse, error) {
	a := arenas.Get().(*arena)
	a.turn++
	v := &a.responses[a.turn%rootCount]
	if err := a.c.parseBidResponse(v, data); err != nil {
		*v = BidResponse{}
		a.recycle()
		return nil, err
	}
	v.arena = a
	a.response.Store(v)
	return v, nil
}

// ReleaseResponseArena is [ReleaseArena] for a response from [ParseResponseFastArena].
func ReleaseResponseArena(r *BidResponse) {
	if r == nil {
		return
	}
	a := r.arena
	if a == nil || !a.response.CompareAndSwap(r, nil) {
		panic("openrtb: ReleaseResponseArena of a response that no arena owns: it was released before, is a copy, or is not from ParseResponseFastArena")
	}
	if !poison(&a.c, r) {
		*r = BidResponse{}
		a.recycle()
	}
}

// recycle puts an arena whose root is zero into the pool.
func (a *arena) recycle() {
	a.c.recycle()
	arenas.Put(a)
}

// recycle makes the memory of the last document free, or lets go of it if it is too much.
func (c *codec) recycle() {
	if c.r.Retained() > keepBytes {
		c.drop()
	} else {
		c.reset()
	}
	c.r.Reset()
}
