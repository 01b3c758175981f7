// Command easy is the lab's worker for mailru/easyjson: a program of its own, because easyjson
// generates methods that every other library in a binary calls too.
package main

import (
	"encoding/json"

	"github.com/mailru/easyjson"
	"github.com/mailru/easyjson/jwriter"

	"github.com/rtbwire/rtbwire/lab/easy/types"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/solo"
)

func main() { solo.Main(Engines()) }

// Engines are easyjson and what its methods make of encoding/json.
func Engines() []engine.Engine {
	const path = "github.com/mailru/easyjson"
	return []engine.Engine{{
		Name: "easyjson", Module: path,
		Config:  "easyjson.Unmarshal(data, v); v.MarshalEasyJSON into a jwriter.Writer, BuildBytes(dst); generated on a copy of the types",
		Note:    "a program of its own",
		Safety:  engine.Safety{Copies: engine.Yes, UTF8: engine.No, CaseSensitive: engine.Yes},
		Request: easy[types.BidRequest](), Response: easy[types.BidResponse](),
	}, {
		Name:    "encoding-json-contaminated",
		Config:  "json.Unmarshal(data, v); json.Marshal(v), where easyjson has generated methods for the types",
		Note:    "not an engine, but a demonstration: what a benchmark measures as encoding/json when easyjson is linked in",
		Safety:  engine.Safety{Copies: engine.Yes, UTF8: engine.No, CaseSensitive: engine.Yes},
		Request: contaminated[types.BidRequest](), Response: contaminated[types.BidResponse](),
	}}
}

func easy[T any, P interface {
	*T
	easyjson.MarshalerUnmarshaler
}]() engine.Codec {
	return engine.Codec{
		Decode: func(text []byte) (any, error) {
			v := P(new(T))
			return v, easyjson.Unmarshal(text, v)
		},
		Encode: func(dst []byte, v any) ([]byte, error) {
			var w jwriter.Writer
			v.(P).MarshalEasyJSON(&w)
			return w.BuildBytes(dst)
		},
	}
}

func contaminated[T any]() engine.Codec {
	return engine.Codec{
		Decode: func(text []byte) (any, error) {
			v := new(T)
			return v, json.Unmarshal(text, v)
		},
		Encode: func(_ []byte, v any) ([]byte, error) { return json.Marshal(v) },
	}
}
