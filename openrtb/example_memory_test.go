package openrtb_test

import (
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// ParseFast does not copy: the request is valid as long as its text. Clone a string that must live
// longer.
func ExampleParseFast() {
	body := []byte(`{"id":"1","site":{"domain":"example.com"}}`)
	r, err := openrtb.ParseFast(body)
	if err != nil {
		panic(err)
	}
	domain := strings.Clone(r.Site.Domain)
	copy(body, `{"id":"2","site":{"domain":"elsewhere.x"}}`) // the buffer is reused for the next request
	fmt.Println(domain)
	// Output: example.com
}

func ExampleReleaseArena() {
	r, err := openrtb.ParseFastArena([]byte(`{"id":"1"}`))
	if err != nil {
		panic(err)
	}
	kept := r.Clone() // for a goroutine that outlives this one
	openrtb.ReleaseArena(r)
	fmt.Println(kept.ID)
	// Output: 1
}

func ExampleBidRequest_Clone() {
	d := openrtb.NewDecoder()
	first, err := d.Decode([]byte(`{"id":"first"}`))
	if err != nil {
		panic(err)
	}
	kept := first.Clone()
	if _, err := d.Decode([]byte(`{"id":"second"}`)); err != nil { // ends the validity of the first
		panic(err)
	}
	fmt.Println(kept.ID)
	// Output: first
}

func ExampleParseResponseFast() {
	r, err := openrtb.ParseResponseFast([]byte(`{"id":"1","seatbid":[{"seat":"s","bid":[{"id":"b","impid":"1","price":2.5}]}]}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(*r.SeatBid[0].Bid[0].Price)
	// Output: 2.5
}

func ExampleParseResponseFastArena() {
	r, err := openrtb.ParseResponseFastArena([]byte(`{"id":"1","nbr":2}`))
	if err != nil {
		panic(err)
	}
	defer openrtb.ReleaseResponseArena(r)
	fmt.Println(r.ID, *r.NBR)
	// Output: 1 invalid request
}

func ExampleNewResponseDecoder() {
	d := openrtb.NewResponseDecoder(wire.Strict())
	_, err := d.Decode([]byte(`{"id":"1","id":"2"}`))
	fmt.Println(err)
	// Output: document (byte 10): duplicate key
}
