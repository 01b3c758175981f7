package openrtb_test

import (
	"fmt"
	"os"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// AppendJSON appends to a buffer that can be reused.
func ExampleBidResponse_AppendJSON() {
	price := 1.25
	r := openrtb.BidResponse{ID: "1", Cur: "USD", SeatBid: []openrtb.SeatBid{{Bid: []openrtb.Bid{{ID: "b", ImpID: "a", Price: &price}}}}}
	buf := make([]byte, 0, 4096)
	buf, err := r.AppendJSON(buf[:0])
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", buf)
	// Output: {"id":"1","seatbid":[{"bid":[{"id":"b","impid":"a","price":1.25}]}],"cur":"USD"}
}

func ExampleBidRequest_AppendJSONWith() {
	r := openrtb.BidRequest{Site: &openrtb.Site{Name: "<News> & more"}}
	out, err := r.AppendJSONWith(nil, wire.EncodeOptions{EscapeHTML: true})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", out)
	// Output: {"site":{"name":"\u003cNews\u003e \u0026 more"}}
}

func ExampleBidRequest_WriteTo() {
	r := openrtb.BidRequest{ID: "1", Test: new(1)}
	if _, err := r.WriteTo(os.Stdout); err != nil {
		panic(err)
	}
	// Output: {"id":"1","test":1}
}

// A gateway adds a score to a request and forwards all other bytes unchanged.
func ExampleBidRequest_Splice() {
	body := []byte(`{"id":"1","imp":[{"id":"a"}],"vendor_field":1.0,"ext":{"a":1}}`)
	r, err := openrtb.ParseFast(body)
	if err != nil {
		panic(err)
	}
	out, err := r.Splice(nil, body, wire.Set("/ext/rtbwire", []byte(`{"score":12}`)))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", out)
	// Output: {"id":"1","imp":[{"id":"a"}],"vendor_field":1.0,"ext":{"a":1,"rtbwire":{"score":12}}}
}

func ExampleConvertTo26() {
	out, err := openrtb.ConvertTo26(nil, []byte(`{"id":"1","regs":{"coppa":0,"ext":{"gdpr":1}}}`))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", out)
	// Output: {"id":"1","regs":{"coppa":0,"gdpr":1}}
}

func ExampleConvertTo25() {
	out, err := openrtb.ConvertTo25(nil, []byte(`{"id":"1","regs":{"coppa":0,"gdpr":1}}`))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", out)
	// Output: {"id":"1","regs":{"coppa":0,"ext":{"gdpr":1}}}
}
