package wire_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// An error says what is wrong and where, for programs and for people.
func ExampleError() {
	_, err := openrtb.Parse([]byte(`{"imp":[{"banner":{"w":"300"}}]}`))
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		fmt.Println(e.Code, e.Offset, e.Path)
	}
	fmt.Println(err)
	// A package that does not import wire finds the place by an interface.
	if e := (interface{ ByteOffset() int })(nil); errors.As(err, &e) {
		fmt.Println(e.ByteOffset())
	}
	// Output:
	// type 23 /imp/0/banner/w
	// /imp/0/banner/w (byte 23): expected integer, found string
	// 23
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

// Strict refuses what two parsers could read differently.
func ExampleStrict() {
	_, err := openrtb.NewDecoder(wire.Strict()).Decode([]byte(`{"id":"1","id":"2"}`))
	fmt.Println(err)
	// Output: document (byte 10): duplicate key
}

// Every limit is an option and has a code.
func ExampleMaxSize() {
	for _, limit := range []wire.Option{
		wire.MaxSize(20), wire.MaxDepth(2), wire.MaxElements(1), wire.MaxMemory(0, 0),
	} {
		_, err := openrtb.NewPool(limit).Parse([]byte(`{"imp":[{"id":"a"},{"id":"b"}]}`))
		fmt.Println(err)
	}
	// Output:
	// /imp/1 (byte 20): document too long (want at most 20 bytes)
	// /imp/0 (byte 8): nested too deep (want at most 2 levels)
	// /imp (byte 7): array too long (want at most 1 element)
	// document (byte 0): value needs too much memory (want at most 0 bytes per byte of the document, plus 0)
}

// Edits are applied by package splice, and by the Splice methods of messages.
func ExampleEdit() {
	out, err := splice.Apply(nil, []byte(`{"id":"1","tmax":100,"user":{"id":"u"}}`),
		wire.Set("/tmax", []byte("80")), wire.Remove("/user/id"))
	fmt.Println(string(out), err)
	// Output: {"id":"1","tmax":80,"user":{}} <nil>
}

// A server reads bodies into buffers that it uses again.
func ExampleReadAll() {
	buf := make([]byte, 0, 8<<10)
	for _, body := range []string{`{"id":"1"}`, `{"id":"2"}`, `{"id":"much longer"}`} {
		var err error
		if buf, err = wire.ReadAll(buf[:0], strings.NewReader(body), 15); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s\n", buf)
	}
	// Output:
	// {"id":"1"}
	// {"id":"2"}
	// document (byte 15): document too long (want at most 15 bytes)
}
