package adcom_test

import (
	"encoding/json"
	"fmt"

	"github.com/rtbwire/rtbwire/adcom"
)

func Example() {
	for _, t := range []adcom.AuctionType{adcom.AuctionTypeFirstPrice, 501, 7, -1} {
		fmt.Printf("%d %v, valid: %t\n", int(t), t, t.Valid())
	}
	// Output:
	// 1 first price, valid: true
	// 501 AuctionType(501), valid: true
	// 7 AuctionType(7), valid: false
	// -1 AuctionType(-1), valid: false
}

// Codes are numbers in JSON, whether the list has them or not.
func Example_json() {
	type device struct {
		Type *adcom.DeviceType `json:"devicetype,omitempty"`
	}
	var d device
	if err := json.Unmarshal([]byte(`{"devicetype":42}`), &d); err != nil {
		panic(err)
	}
	fmt.Println(*d.Type)

	d.Type = new(adcom.DeviceTypeConnectedTV)
	text, err := json.Marshal(d)
	fmt.Println(string(text), err)
	// Output:
	// DeviceType(42)
	// {"devicetype":3} <nil>
}

// The positive values of StartDelayMode are seconds.
func ExampleStartDelayMode() {
	delay := adcom.StartDelayMode(90)
	switch {
	case delay > 0:
		fmt.Println("mid-roll after", int(delay), "seconds")
	default:
		fmt.Println(delay)
	}
	// Output:
	// mid-roll after 90 seconds
}
