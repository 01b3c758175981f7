package openrtb_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

func ExampleParse() {
	request, err := openrtb.Parse([]byte(`{
		"id": "80ce30c53c16e6ede735f123ef6e32361bfc7b22",
		"at": 1,
		"imp": [{"id": "1", "bidfloor": 0.03, "banner": {"format": [{"w": 300, "h": 250}]}}],
		"site": {"domain": "www.foobar.example", "ext": {"amp": 1}}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, imp := range request.Imp {
		for _, size := range imp.Banner.Format {
			fmt.Printf("imp %s: %dx%d from %v\n", imp.ID, *size.W, *size.H, *imp.BidFloor)
		}
	}
	fmt.Println(*request.At, string(request.Site.Ext))
	fmt.Println("app:", request.App != nil, "tmax:", request.TMax != nil)
	// Output:
	// imp 1: 300x250 from 0.03
	// first price {"amp": 1}
	// app: false tmax: false
}

// An error says what is wrong, where in the text, and in which field.
func ExampleParse_error() {
	_, err := openrtb.Parse([]byte(`{"id":"1","imp":[{"id":"1","banner":{"w":"300"}}]}`))
	fmt.Println(errors.Is(err, wire.CodeType))
	if e, ok := errors.AsType[*wire.Error](err); ok {
		fmt.Println(e.Offset, e.Path)
	}
	// Output:
	// true
	// 41 /imp/0/banner/w
}

func ExampleParseResponse() {
	response, err := openrtb.ParseResponse([]byte(`{
		"id": "1234567890", "cur": "USD",
		"seatbid": [{"seat": "512", "bid": [{"id": "1", "impid": "102", "price": 9.43, "mtype": 1}]}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, seat := range response.SeatBid {
		for _, bid := range seat.Bid {
			if bid.Price == nil {
				continue // absent is not 0
			}
			fmt.Println(seat.Seat, bid.ImpID, *bid.Price, *bid.MType)
		}
	}
	// Output:
	// 512 102 9.43 banner
}

// A bidder that does not bid may give a reason.
func ExampleParseResponse_noBid() {
	response, err := openrtb.ParseResponse([]byte(`{"id":"1234567890","nbr":2}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(response.SeatBid), *response.NBR)
	// Output:
	// 0 invalid request
}

// Use new for the pointers of optional fields.
func Example_pointers() {
	bid := openrtb.Bid{
		ID:    "1",
		ImpID: "102",
		Price: new(1.25),
		W:     new(320),
		H:     new(50),
		MType: new(adcom.MarkupTypeBanner),
		Exp:   new(0), // 0 seconds, unlike an unknown duration
	}
	text, err := json.Marshal(bid)
	fmt.Println(string(text), err)
	// Output:
	// {"id":"1","impid":"102","price":1.25,"w":320,"h":50,"exp":0,"mtype":1} <nil>
}

// Decode an ext into a type for the extension.
func ExampleExtAs() {
	request, err := openrtb.Parse([]byte(`{"id":"1","imp":[{"id":"1","ext":{"gpid":"/1111/home#top","tid":"t"}},{"id":"2"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	type vendor struct {
		GPID string `json:"gpid"`
	}
	for i := range request.Imp {
		ext, err := openrtb.ExtAs[vendor](request.Imp[i].Ext) // an absent ext is the zero value
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q\n", ext.GPID)
	}
	_, err = openrtb.ExtAs[vendor]([]byte(`{"gpid":7}`))
	fmt.Println(err)
	// Output:
	// "/1111/home#top"
	// ""
	// openrtb: decoding ext as openrtb_test.vendor: member gpid: expected string, found number
}

func ExampleSetExt() {
	var bid openrtb.Bid
	if err := openrtb.SetExt(&bid.Ext, map[string]string{"origin": "a&b"}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", bid.Ext)
	// Output: {"origin":"a&b"}
}

// Set one vendor's member and keep those of the others, byte for byte.
func ExampleSetExtMember() {
	request, err := openrtb.Parse([]byte(`{"id":"1","ext":{"schain_node":1.0, "prebid":{"debug":1}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := openrtb.SetExtMember(&request.Ext, "prebid", map[string]bool{"debug": false}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", request.Ext)
	// Output: {"schain_node":1.0, "prebid":{"debug":false}}
}

// A loop over many requests allocates nothing. No value may be used after its release.
func ExampleParseFastArena() {
	for _, text := range []string{`{"id":"1","imp":[{"id":"a"}]}`, `{"id":"2","imp":[{"id":"b"},{"id":"c"}]}`} {
		request, err := openrtb.ParseFastArena([]byte(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(request.ID, len(request.Imp))
		request.Release()
	}
	// Output:
	// 1 1
	// 2 2
}

// Lenient mode reads what exchanges send, and lists its repairs.
func ExampleNewDecoder() {
	decoder := openrtb.NewDecoder(wire.Lenient())
	request, err := decoder.Decode([]byte(`{"id":7,"imp":[{"id":"1","secure":true,"bidfloor":"0.5"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(request.ID, *request.Imp[0].Secure, *request.Imp[0].BidFloor)
	for _, saved := range decoder.Saved() {
		fmt.Println(saved.Code, saved.Path)
	}
	// Output:
	// 7 1 0.5
	// type /id
	// type /imp/0/secure
	// type /imp/0/bidfloor
}
