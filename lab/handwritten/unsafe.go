package handwritten

import (
	"unsafe"

	"github.com/rtbwire/rtbwire/openrtb"
)

// arenaOf returns the arena whose first field is r.
func arenaOf(r *openrtb.BidRequest) *arena { return (*arena)(unsafe.Pointer(r)) }
