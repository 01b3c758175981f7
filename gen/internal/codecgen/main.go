// Command codecgen writes the codecs of packages openrtb and openrtb/native with package gen. go
// generate ./openrtb runs it. For their own types users run "rtbwire-gen".
package main

import (
	"log"

	"github.com/rtbwire/rtbwire/gen"
)

func main() {
	log.SetFlags(0)
	for _, config := range []gen.Config{{
		Dir:   ".",
		Types: []string{"BidRequest", "BidResponse"},
		Names: map[string]gen.Name{
			"BidRequest":  {Noun: "bid request"},
			"BidResponse": {Word: "Response", Noun: "bid response"},
		},
		Command:   "go generate ./openrtb",
		KeepEmpty: true,
		// Enough for a banner request and a small response, so that each takes one allocation.
		Bundle: map[string][]gen.BundleSlot{
			"BidRequest": {
				{Type: "Imp", Count: 1}, {Type: "Banner", Count: 1}, {Type: "Site", Count: 1}, {Type: "Publisher", Count: 1},
				{Type: "Device", Count: 1}, {Type: "User", Count: 1}, {Type: "int", Count: 18}, {Type: "float64", Count: 2}, {Type: "string", Count: 10},
			},
			"BidResponse": {
				{Type: "SeatBid", Count: 1}, {Type: "Bid", Count: 1}, {Type: "int", Count: 4}, {Type: "float64", Count: 1}, {Type: "string", Count: 4},
			},
		},
	}, {
		Dir:      "native",
		Types:    []string{"requestDocument", "responseDocument"},
		Command:  "go generate ./openrtb",
		Internal: true, KeepEmpty: true, KeepBytes: 64 << 10,
		// About enough for the examples of the specification.
		Bundle: map[string][]gen.BundleSlot{
			"requestDocument": {
				{Type: "AssetRequest", Count: 5}, {Type: "TitleRequest", Count: 1}, {Type: "ImageRequest", Count: 2},
				{Type: "DataRequest", Count: 2}, {Type: "int", Count: 24},
			},
			"responseDocument": {
				{Type: "AssetResponse", Count: 5}, {Type: "TitleResponse", Count: 1}, {Type: "ImageResponse", Count: 2},
				{Type: "DataResponse", Count: 2}, {Type: "Link", Count: 1}, {Type: "int", Count: 12}, {Type: "string", Count: 4},
			},
		},
	}} {
		if err := gen.Write(config); err != nil {
			log.Fatal(err)
		}
	}
}
