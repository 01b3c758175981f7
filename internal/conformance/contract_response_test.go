package conformance

import (
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// TestContractResponse repeats rows of the contract with fields that only responses have.
func TestContractResponse(t *testing.T) {
	bid := func(b openrtb.Bid) *openrtb.BidResponse {
		return &openrtb.BidResponse{SeatBid: []openrtb.SeatBid{{Bid: []openrtb.Bid{b}}}}
	}
	list := entries()
	for _, c := range []struct {
		name caseName
		in   string
		want *openrtb.BidResponse // nil: refused
		code wire.Code
		path string
	}{
		{name: name("empty"), in: `{}`, want: &openrtb.BidResponse{}},
		{name: name("a bid"), in: `{"id":"1","cur":"USD","seatbid":[{"seat":"s","group":0,"bid":[{"id":"1","impid":"1","price":1.25,"mtype":1,"cat":["IAB1"],"attr":[3]}]}]}`,
			want: &openrtb.BidResponse{ID: "1", Cur: "USD", SeatBid: []openrtb.SeatBid{{Seat: "s", Group: new(adcom.SeatBidGrouping(0)), Bid: []openrtb.Bid{{ID: "1", ImpID: "1", Price: new(1.25),
				MType: new(adcom.MarkupTypeBanner), Cat: []string{"IAB1"}, Attr: []adcom.CreativeAttribute{3}}}}}}},
		{name: name("markup with escapes"), in: `{"seatbid":[{"bid":[{"adm":"<a href=\"x\">\u00e9<\/a>"}]}]}`, want: bid(openrtb.Bid{AdM: `<a href="x">é</a>`})},
		{name: name("a price of zero"), in: `{"seatbid":[{"bid":[{"price":0}]}]}`, want: bid(openrtb.Bid{Price: new(0.0)})},
		{name: name("null"), in: `{"seatbid":[{"bid":[{"price":null,"ext":null}]}],"nbr":null,"ext":null}`, want: bid(openrtb.Bid{})},
		{name: name("a quoted price"), in: `{"seatbid":[{"bid":[{"price":‸"1"}]}]}`, code: wire.CodeType, path: "/seatbid/0/bid/0/price"},
		{name: name("one bare bid"), in: `{"seatbid":[{"bid":‸{"price":1}}]}`, code: wire.CodeType, path: "/seatbid/0/bid"},
		{name: name("cut off"), in: `{"seatbid":[{"bid":[{"price":1}‸`, code: wire.CodeTruncated, path: "/seatbid/0/bid"},
	} {
		data, marks := unmark(c.in)
		want := oracle.Outcome{Value: c.want}
		if c.want == nil {
			want.Fault = new(fault(c.code, marks[0], c.path))
		}
		for _, e := range list {
			if !e.response || e.mode == oracle.Lenient {
				continue
			}
			if s := e.differs(data, want); s != "" {
				t.Errorf("%v: %s of %s: %s", c.name, e.name, data, s)
			}
		}
		everywhere(t, list, data)
	}
}
