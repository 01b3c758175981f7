package splice_test

import (
	"errors"
	"fmt"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/coder"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// Apply changes a request without encoding it again: all other bytes stay the same.
func ExampleApply() {
	request := []byte(`{"id":"1", "imp":[{"id":"a","bidfloor":0.50}], "unknown":[1e3]}`)
	out, err := splice.Apply(nil, request,
		wire.Set("/imp/0/bidfloor", []byte("0.75")),
		wire.Set("/ext/rtbwire/score", []byte("12")),
		wire.Remove("/unknown"))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", out)
	// Output: {"id":"1", "imp":[{"id":"a","bidfloor":0.75}],"ext":{"rtbwire":{"score":12}}}
}

func ExampleApply_refused() {
	_, err := splice.Apply(nil, []byte(`{"id":"1"}`), wire.Set("/id/x", []byte("true")))
	fmt.Println(errors.Is(err, wire.CodePath), err)
	// Output: true /id (byte 6): path leads through a string
}

// Find reads a few values of a document without decoding all of it.
func ExampleFind() {
	found, err := splice.Find([]byte(`{"id":"1","imp":[{"id":"a"},{"id":"b","secure":1}]}`), "/imp/*/id", "/imp/*/secure")
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

// What a decoder knows saves a walk through the text. Generated Splice methods pass it on.
func ExampleDecoded() {
	text := []byte(`{"id":"1","ext":{"a":1}}`)
	r, err := openrtb.ParseFast(text)
	if err != nil {
		panic(err)
	}
	out, err := splice.Decoded(nil, text, r.Ext, coder.Place{}, wire.Set("/ext/b", []byte("2")))
	fmt.Printf("%s %v\n", out, err)
	// Output: {"id":"1","ext":{"a":1,"b":2}} <nil>
}
