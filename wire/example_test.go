package wire_test

import (
	"errors"
	"fmt"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// An error says what is wrong and where, for programs and for people.
func ExampleError() {
	_, err := openrtb.Parse([]byte(`{"imp":[{"banner":{"w":"300"}}]}`))
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		fmt.Println(e.Code, e.Offset, e.Path)
	}
	fmt.Println(err)
	// Output:
	// type 23 /imp/0/banner/w
	// /imp/0/banner/w (byte 23): expected integer, found string
}

// Options set the mode and the limits of a decoder.
func ExampleOption() {
	d := openrtb.NewDecoder(wire.Lenient(), wire.MaxSize(64<<10))
	r, err := d.Decode([]byte(`{"tmax":"120"}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(*r.TMax, d.Saved()[0].Path)
	// Output: 120 /tmax
}
