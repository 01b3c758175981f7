package classic

import (
	"sync"
	"unsafe"

	"github.com/rtbwire/rtbwire/lab/published/openrtb"
)

// arena is the memory that is used again, as published: the request, what it points to, and room
// for eight impressions. Everything below those is allocated.
type arena struct {
	request openrtb.BidRequest // the first field, see Release
	site    openrtb.Site
	app     openrtb.App
	device  openrtb.Device
	user    openrtb.User
	imps    [8]openrtb.Imp
}

var arenas = sync.Pool{New: func() any { return new(arena) }}

// ParseFast decodes a request. Its strings point into data.
func ParseFast(data []byte) (*openrtb.BidRequest, error) {
	r := new(openrtb.BidRequest)
	if err := readBidRequest(&lexer{text: data}, r); err != nil {
		return nil, err
	}
	return r, nil
}

// ParseFastArena decodes a request into pooled memory, which Release returns. Its strings point
// into data.
func ParseFastArena(data []byte) (*openrtb.BidRequest, error) {
	a := arenas.Get().(*arena)
	a.request, a.site, a.app, a.device, a.user = openrtb.BidRequest{}, openrtb.Site{}, openrtb.App{}, openrtb.Device{}, openrtb.User{}
	if err := readBidRequestArena(&lexer{text: data}, a); err != nil {
		arenas.Put(a)
		return nil, err
	}
	return &a.request, nil
}

// Release returns the memory of a request of ParseFastArena.
func Release(r *openrtb.BidRequest) { arenas.Put((*arena)(unsafe.Pointer(r))) }
