package lookup_test

import (
	"fmt"
	"net/netip"

	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/openrtb"
)

// A data source needs one method. This one is a netip.Prefix.
func ExampleAddresses() {
	var clouds lookup.Addresses = netip.MustParsePrefix("203.0.113.0/24")
	fmt.Println(clouds.Contains(netip.MustParseAddr("203.0.113.9")))
	// Output: true
}

// offices is a database that knows one network.
type offices struct{ netip.Prefix }

func (o offices) Lookup(a netip.Addr) (lookup.AddressInfo, bool) {
	return lookup.AddressInfo{Country: lookup.Country{'F', 'R'}, Traits: lookup.VPN}, o.Contains(a)
}

// An own database of addresses feeds the fraud score.
func ExampleGeo() {
	model, err := fraud.New(fraud.Config{Data: fraud.Data{Geo: offices{netip.MustParsePrefix("8.8.8.0/24")}}})
	if err != nil {
		panic(err)
	}
	r, err := openrtb.Parse([]byte(`{"id":"1","imp":[{"id":"1"}],"device":{"ip":"8.8.8.8","ua":"Roku/DVP-12.5"}}`))
	if err != nil {
		panic(err)
	}
	var scratch fraud.Scratch
	_, hits := model.Score(fraud.Input{Request: r}, &scratch, nil)
	for _, hit := range hits {
		fmt.Println(fraud.Signals()[hit.Signal].ID, hit.Path)
	}
	// Output: address.proxy /device/ip
}

func ExampleParseCountry() {
	for _, code := range []string{"DEU", "deu", "DE", "ABC"} {
		country, ok := lookup.ParseCountry(code)
		fmt.Printf("%q %v\n", country.String(), ok)
	}
	// Output:
	// "DE" true
	// "DE" true
	// "DE" true
	// "" false
}
