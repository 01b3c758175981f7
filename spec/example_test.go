package spec_test

import (
	"fmt"

	"github.com/rtbwire/rtbwire/spec"
)

// The fields that a complete bid response has to have, with the sections that say so.
func Example() {
	for _, name := range []string{"BidResponse", "SeatBid", "Bid"} {
		o := spec.OpenRTB().Object(name)
		for _, f := range o.Fields {
			if f.Required {
				fmt.Printf("%s.%s (section %s)\n", o.Name, f.JSON, o.Section)
			}
		}
	}
	// Output:
	// BidResponse.id (section 4.2.1)
	// SeatBid.bid (section 4.2.2)
	// Bid.id (section 4.2.3)
	// Bid.impid (section 4.2.3)
	// Bid.price (section 4.2.3)
}

// Which codes does a field take?
func ExampleSpec_List() {
	s := spec.OpenRTB()
	f := s.Object("BidRequest").Field("at")
	for _, v := range s.List(f.List).Values {
		fmt.Println(v.Value, v.Label)
	}
	// Output:
	// 1 first price
	// 2 second price plus
}
