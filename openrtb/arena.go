package openrtb

import (
	"sync"
	"sync/atomic"
)

// arena is a codec with the memory for one decoded document, in a pool when nobody uses it.
type arena struct {
	c        codec
	request  BidRequest
	response BidResponse
	inUse    atomic.Bool
}

var arenas = sync.Pool{New: func() any { return new(arena) }}

// keepBytes is how much memory an arena or a decoder keeps for the next document. One that a
// rare huge document has made larger is let go.
const keepBytes = 4 << 20

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
	if err := a.c.parseBidRequest(&a.request, data); err != nil {
		a.request = BidRequest{}
		a.recycle()
		return nil, err
	}
	a.request.arena = a
	a.inUse.Store(true)
	return &a.request, nil
}

// ReleaseArena gives the memory of a request from [ParseFastArena] back. It panics when the
// request was released before, is a copy, or is not from an arena. nil is ignored.
func ReleaseArena(r *BidRequest) {
	if r == nil {
		return
	}
	a := r.arena
	if a == nil || r != &a.request || !a.inUse.CompareAndSwap(true, false) {
		panic("openrtb: ReleaseArena of a request that no arena owns: it was released before, is a copy, or is not from ParseFastArena")
	}
	if !poison(a) {
		*r = BidRequest{}
		a.recycle()
	}
}

// ParseResponseFastArena is [ParseFastArena] for a bid response.
func ParseResponseFastArena(data []byte) (*BidResponse, error) {
	a := arenas.Get().(*arena)
	if err := a.c.parseBidResponse(&a.response, data); err != nil {
		a.response = BidResponse{}
		a.recycle()
		return nil, err
	}
	a.response.arena = a
	a.inUse.Store(true)
	return &a.response, nil
}

// ReleaseResponseArena is [ReleaseArena] for a response from [ParseResponseFastArena].
func ReleaseResponseArena(r *BidResponse) {
	if r == nil {
		return
	}
	a := r.arena
	if a == nil || r != &a.response || !a.inUse.CompareAndSwap(true, false) {
		panic("openrtb: ReleaseResponseArena of a response that no arena owns: it was released before, is a copy, or is not from ParseResponseFastArena")
	}
	if !poison(a) {
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
		c.detach()
		c.r.Drop()
	} else {
		c.reset()
	}
	c.r.Forget()
}
