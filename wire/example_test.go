package wire_test

import (
	"errors"
	"fmt"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// A request is changed without being written again: what no edit is about stays byte for byte.
func ExampleSplice() {
	request := []byte(`{"id":"1", "imp":[{"id":"a","bidfloor":0.50}], "unknown":[1e3]}`)
	out, err := wire.Splice(nil, request,
		wire.Set("/imp/0/bidfloor", []byte("0.75")),
		wire.Set("/ext/rtbwire/score", []byte("12")),
		wire.Remove("/unknown"))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", out)
	// Output: {"id":"1", "imp":[{"id":"a","bidfloor":0.75}],"ext":{"rtbwire":{"score":12}}}
}

func ExampleSplice_refused() {
	_, err := wire.Splice(nil, []byte(`{"id":"1"}`), wire.Set("/id/x", []byte("true")))
	fmt.Println(errors.Is(err, wire.CodePath), err)
	// Output: true wire: the path can't be followed at byte 6 in "/id"
}

// Find reads a few values of a document that nobody wants to decode as a whole.
func ExampleFind() {
	found, err := wire.Find([]byte(`{"id":"1","imp":[{"id":"a"},{"id":"b","secure":1}]}`), "/imp/*/id", "/imp/*/secure")
	if err != nil {
		panic(err)
	}
	for _, f := range found {
		fmt.Printf("%s %s\n", f.Path, f.Value)
	}
	// Output:
	// /imp/0/id "a"
	// /imp/1/id "b"
	// /imp/1/secure 1
}

// An error says what is wrong and where, for programs and for people.
func ExampleError() {
	_, err := openrtb.Parse([]byte(`{"imp":[{"banner":{"w":"300"}}]}`))
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		fmt.Println(e.Code.String(), e.Offset, e.Path)
	}
	fmt.Println(err)
	// Output:
	// type 23 /imp/0/banner/w
	// wire: a value of another type is expected at byte 23 in "/imp/0/banner/w"
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
