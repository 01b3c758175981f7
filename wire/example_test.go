package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
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

// A code is a word in JSON and in logs.
func ExampleCode() {
	text, err := json.Marshal(map[string]wire.Code{"refused": wire.CodeType}) // by MarshalText
	fmt.Println(string(text), err)
	var codes map[string]wire.Code
	err = json.Unmarshal(text, &codes) // by UnmarshalText
	fmt.Println(codes["refused"] == wire.CodeType, err)
	fmt.Println(json.Unmarshal([]byte(`{"refused":"typo"}`), &codes))
	word, err := wire.CodeDepth.MarshalText()
	fmt.Println(string(word), err)
	var code wire.Code
	fmt.Println(code.UnmarshalText(word), code)
	// Output:
	// {"refused":"type"} <nil>
	// true <nil>
	// wire: unknown code "typo"
	// depth <nil>
	// <nil> depth
}

// Notes about keys inside ext are taken when they are asked for.
func ExampleWatchKeys() {
	for _, d := range []*openrtb.Decoder{openrtb.NewDecoder(), openrtb.NewDecoder(wire.WatchKeys())} {
		if _, err := d.Decode([]byte(`{"id":"1","ext":{"a":1,"a":2}}`)); err != nil {
			panic(err)
		}
		fmt.Println(d.Notes())
	}
	// Output:
	// none
	// duplicate key
}

// Without its place, for tables that have the place in columns of their own.
func ExampleError_Reason() {
	_, err := openrtb.Parse([]byte(`{"tmax":"100"}`))
	var e *wire.Error
	fmt.Println(errors.As(err, &e), e.Reason())
	// Output: true expected integer, found string
}

// Package log/slog logs the fields of an error; so it does those of a repair.
func ExampleError_LogValue() {
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	_, err := openrtb.Parse([]byte(`{"tmax":"100"}`))
	log.Warn("refused", "error", err)
	d := openrtb.NewDecoder(wire.Lenient())
	if _, err := d.Decode([]byte(`{"tmax":"100"}`)); err != nil {
		panic(err)
	}
	log.Info("repaired", "what", d.Saved()[0])
	fmt.Println(d.Saved()[0].LogValue())
	// Output:
	// level=WARN msg=refused error.code=type error.offset=8 error.path=/tmax error.expected=integer error.found=string
	// level=INFO msg=repaired what.code=type what.offset=8 what.path=/tmax
	// [code=type offset=8 path=/tmax]
}
