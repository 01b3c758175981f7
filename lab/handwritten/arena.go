package handwritten

import (
	"slices"
	"sync"

	"github.com/rtbwire/rtbwire/openrtb"
)

// arena is the memory of one request: one struct with room for what most requests have. The rest
// comes from the heap.
type arena struct {
	request   openrtb.BidRequest
	site      openrtb.Site
	app       openrtb.App
	publisher openrtb.Publisher
	device    openrtb.Device
	geo       openrtb.Geo
	user      openrtb.User
	source    openrtb.Source
	regs      openrtb.Regs
	imps      [8]openrtb.Imp
	banners   [8]openrtb.Banner
	ints      [160]int
	floats    [32]float64
	texts     [48]string

	banner, int, float, text int // how many are taken
	geoTaken, publisherTaken bool
}

var arenas = sync.Pool{New: func() any { return new(arena) }}

// Parse decodes a request. Its strings point into data and its objects into an arena. Neither may
// be used after Release.
func Parse(data []byte) (*openrtb.BidRequest, error) {
	a := arenas.Get().(*arena)
	if err := parse(data, &a.request, a); err != nil {
		Release(&a.request)
		return nil, err
	}
	return &a.request, nil
}

// ParseFast decodes a request without an arena: each object, optional number and slice is an
// allocation of its own. Its strings point into data.
func ParseFast(data []byte) (*openrtb.BidRequest, error) {
	r := new(openrtb.BidRequest)
	if err := parse(data, r, nil); err != nil {
		return nil, err
	}
	return r, nil
}

func parse(data []byte, r *openrtb.BidRequest, a *arena) error {
	d := decoder{b: data, arena: a}
	readBidRequest(&d, r)
	d.peek()
	if d.failed || d.p != len(data) {
		return errSyntax
	}
	return nil
}

// Release returns the memory of a request to the pool. request is the first field of arena.
func Release(r *openrtb.BidRequest) {
	a := arenaOf(r)
	a.reset()
	arenas.Put(a)
}

func (a *arena) reset() {
	// Only what was used is cleared, which is much less than the whole arena. Numbers need no
	// clearing: they are written before they are read.
	if n := len(a.request.Imp); n > 0 {
		clear(a.imps[:min(n, len(a.imps))])
	} else {
		clear(a.imps[:]) // the request was refused, perhaps within imp
	}
	clear(a.banners[:a.banner])
	clear(a.texts[:])
	a.request, a.site, a.app, a.publisher = openrtb.BidRequest{}, openrtb.Site{}, openrtb.App{}, openrtb.Publisher{}
	a.device, a.geo, a.user = openrtb.Device{}, openrtb.Geo{}, openrtb.User{}
	a.source, a.regs = openrtb.Source{}, openrtb.Regs{}
	a.banner, a.int, a.float, a.text, a.geoTaken, a.publisherTaken = 0, 0, 0, 0, false, false
}

// Methods of a nil arena take memory from the heap, and so do others where there is no room.

func (a *arena) newSite() *openrtb.Site {
	if a == nil {
		return new(openrtb.Site)
	}
	return &a.site
}

func (a *arena) newApp() *openrtb.App {
	if a == nil {
		return new(openrtb.App)
	}
	return &a.app
}

func (a *arena) newDevice() *openrtb.Device {
	if a == nil {
		return new(openrtb.Device)
	}
	return &a.device
}

func (a *arena) newUser() *openrtb.User {
	if a == nil {
		return new(openrtb.User)
	}
	return &a.user
}

func (a *arena) newSource() *openrtb.Source {
	if a == nil {
		return new(openrtb.Source)
	}
	return &a.source
}

func (a *arena) newRegs() *openrtb.Regs {
	if a == nil {
		return new(openrtb.Regs)
	}
	return &a.regs
}

func (a *arena) newImps() []openrtb.Imp {
	if a == nil {
		return []openrtb.Imp{}
	}
	return a.imps[:0]
}

func (a *arena) newBanner() *openrtb.Banner {
	if a == nil || a.banner == len(a.banners) {
		return new(openrtb.Banner)
	}
	a.banner++
	return &a.banners[a.banner-1]
}

func (a *arena) newGeo() *openrtb.Geo {
	if a == nil || a.geoTaken {
		return new(openrtb.Geo)
	}
	a.geoTaken = true
	return &a.geo
}

func (a *arena) newPublisher() *openrtb.Publisher {
	if a == nil || a.publisherTaken {
		return new(openrtb.Publisher)
	}
	a.publisherTaken = true
	return &a.publisher
}

func (a *arena) newInt() *int {
	if a == nil || a.int == len(a.ints) {
		return new(int)
	}
	a.int++
	return &a.ints[a.int-1]
}

func (a *arena) newFloat() *float64 {
	if a == nil || a.float == len(a.floats) {
		return new(float64)
	}
	a.float++
	return &a.floats[a.float-1]
}

// A slice grows in the rest of the slab, and on the heap when that is full.
func (a *arena) stringSlab() []string {
	if a == nil {
		return nil
	}
	return a.texts[a.text:a.text]
}

func (a *arena) keepStrings(s []string) []string {
	if a != nil && a.text+len(s) <= len(a.texts) {
		a.text += len(s)
	}
	return slices.Clip(s)
}

func (a *arena) intSlab() []int {
	if a == nil {
		return nil
	}
	return a.ints[a.int:a.int]
}

func (a *arena) keepInts(s []int) []int {
	if a != nil && a.int+len(s) <= len(a.ints) {
		a.int += len(s)
	}
	return slices.Clip(s)
}
