// Command ff is the lab's worker for pquerna/ffjson: a program of its own, because ffjson generates
// methods that every other library in a binary calls too.
package main

import (
	"github.com/pquerna/ffjson/ffjson"

	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/ff/types"
	"github.com/rtbwire/rtbwire/lab/solo"
)

func main() { solo.Main(Engines()) }

// Engines is ffjson.
func Engines() []engine.Engine {
	return []engine.Engine{{
		Name: "ffjson", Module: "github.com/pquerna/ffjson",
		Config:  "ffjson.UnmarshalFast(data, v); ffjson.MarshalFast(v), ffjson.Pool(b); generated on a copy of the types",
		Note:    "a program of its own; no release since 2019",
		Safety:  engine.Safety{Copies: engine.Yes, UTF8: engine.No, CaseSensitive: engine.No},
		Request: codec[types.BidRequest](), Response: codec[types.BidResponse](),
	}}
}

func codec[T any]() engine.Codec {
	var last []byte // goes back to the pool when the next is asked for
	return engine.Codec{
		Decode: func(text []byte) (any, error) {
			v := new(T)
			return v, ffjson.UnmarshalFast(text, v)
		},
		Encode: func(_ []byte, v any) (out []byte, err error) {
			ffjson.Pool(last)
			last, err = ffjson.MarshalFast(v)
			return last, err
		},
	}
}
