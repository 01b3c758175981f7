package openrtb_test

import (
	"errors"
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

func ExampleReleaseResponseArena() {
	r, err := openrtb.ParseResponseFastArena([]byte(`{"id":"1"}`))
	if err != nil {
		panic(err)
	}
	openrtb.ReleaseResponseArena(r)
	func() {
		defer func() { fmt.Println(recover() != nil) }()
		r.Release() // a second release panics
	}()
	// Output: true
}

func ExampleParseResponseFastArena() {
	r, err := openrtb.ParseResponseFastArena([]byte(`{"id":"1","nbr":2}`))
	if err != nil {
		panic(err)
	}
	defer r.Release() // or openrtb.ReleaseResponseArena(r)
	fmt.Println(r.ID, *r.NBR)
	// Output: 1 invalid request
}

func ExampleNewResponseDecoder() {
	d := openrtb.NewResponseDecoder(wire.Strict())
	_, err := d.Decode([]byte(`{"id":"1","id":"2"}`))
	fmt.Println(err)
	// Output: document (byte 10): duplicate key
}

// A reader is read to its end, but not beyond the limit.
func ExampleParseReader() {
	body := strings.NewReader(`{"id":"1","imp":[{"id":"a"}]}`) // the body of an HTTP request
	r, err := openrtb.ParseReader(body, 64<<10)
	if err != nil {
		panic(err)
	}
	fmt.Println(r.ID)
	_, err = openrtb.ParseReader(strings.NewReader(`{"id":"12345"}`), 10)
	fmt.Println(errors.Is(err, wire.CodeSize), err)
	// Output:
	// 1
	// true document (byte 10): document too long (want at most 10 bytes)
}

func ExampleParseResponseReader() {
	r, err := openrtb.ParseResponseReader(strings.NewReader(`{"id":"1","nbr":8}`), 64<<10)
	if err != nil {
		panic(err)
	}
	fmt.Println(r.ID, *r.NBR)
	// Output: 1 unmatched user
}

// A pool gives options to every way of decoding, and to all goroutines.
func ExamplePool() {
	pool := openrtb.NewPool(wire.Lenient(), wire.MaxSize(64<<10)) // once, for the whole program

	r, err := pool.ParseFastArena([]byte(`{"id":"1","tmax":"120"}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(r.ID, *r.TMax)
	r.Release() // as after the function ParseFastArena

	r, err = pool.ParseReader(strings.NewReader(`{"id":2}`)) // reads at most 64 KiB
	if err != nil {
		panic(err)
	}
	fmt.Println(r.ID)
	// Output:
	// 1 120
	// 2
}

// ParseSaved returns what lenient mode repaired.
func ExamplePool_ParseSaved() {
	pool := openrtb.NewPool(wire.Lenient())
	r, saved, err := pool.ParseSaved([]byte(`{"id":7}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(r.ID, saved[0].Code.String(), saved[0].Path)
	// Output: 7 type /id
}

// Get lends a decoder: its results cost no allocation, and it lists the repairs.
func ExamplePool_Get() {
	pool := openrtb.NewPool(wire.Lenient())
	d := pool.Get()
	defer pool.Put(d) // ends the validity of what d has returned
	r, err := d.Decode([]byte(`{"id":"1","tmax":"120"}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(*r.TMax, d.Saved()[0].Path)
	// Output: 120 /tmax
}

func ExampleResponsePool() {
	pool := openrtb.NewResponsePool(wire.Strict())
	_, err := pool.Parse([]byte(`{"id":"1","id":"2"}`))
	fmt.Println(errors.Is(err, wire.CodeDuplicate))
	// Output: true
}

// Reset drops the last document before the decoder waits for the next one.
func ExampleDecoder_Reset() {
	d := openrtb.NewDecoder()
	r, err := d.Decode([]byte(`{"id":"1"}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(r.ID)
	d.Reset() // r is not valid any more
	// Output: 1
}
