package openrtb_test

import (
	"fmt"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// A decoder takes notes of what an accepted document has besides what was decoded. One that is
// missing is certain, so that clean documents need no second look.
func ExampleDecoder_Notes() {
	d := openrtb.NewDecoder(wire.WatchKeys())
	for _, text := range []string{
		`{"id":"1","ext":{"a":1}}`,
		`{"id":"1","user":null,"ext":7,"Imp":[]}`,
		`{"id":"1","ext":{"a":1,"a":2}}`,
	} {
		if _, err := d.Decode([]byte(text)); err != nil {
			panic(err)
		}
		fmt.Println(d.Notes())
	}
	fmt.Println(d.Notes()&wire.NoteDuplicateKey != 0)
	// Output:
	// none
	// unknown key, key case, duplicate key, null, raw value
	// duplicate key
	// true
}

func ExampleResponseDecoder_Notes() {
	d := openrtb.NewResponseDecoder()
	if _, err := d.Decode([]byte(`{"id":"1","seatbid":[]}`)); err != nil {
		panic(err)
	}
	fmt.Println(d.Notes())
	// Output: empty array
}
