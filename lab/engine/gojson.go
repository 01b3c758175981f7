package engine

import (
	"sync"

	gojson "github.com/goccy/go-json"

	"github.com/rtbwire/rtbwire/lab/partial"
	"github.com/rtbwire/rtbwire/openrtb"
)

func gojsonEngines() []Engine {
	// The functions with NoEscape in their names are deprecated and the same as the plain ones
	// since release 0.12, so that the options make the difference.
	const path = "github.com/goccy/go-json"
	plain := calls{gojson.Unmarshal, gojson.Marshal}
	return []Engine{{
		Name: "gojson", Module: path,
		Config:  "gojson.Unmarshal(data, new(T)); gojson.Marshal(v)",
		Safety:  Safety{Copies: Yes, UTF8: Repairs, CaseSensitive: No},
		Request: plain.request(), Response: plain.response(), Fields: plain.fields,
		Validate: gojson.Valid,
	}, {
		Name: "gojson-pool", Module: path,
		Config:  "gojson.Unmarshal(data, v) with v from a sync.Pool and set to zero before; gojson.Marshal(v)",
		Note:    "only the outermost struct is reused",
		Safety:  Safety{Copies: Yes, UTF8: Repairs, CaseSensitive: No},
		Request: gojsonPooled[openrtb.BidRequest](), Response: gojsonPooled[openrtb.BidResponse](),
	}, {
		Name: "gojson-unsafe", Module: path,
		Config: "gojson.UnmarshalWithOption(data, v, DecodeFieldPriorityFirstWin(), DecodeNoCopyString()); " +
			"gojson.MarshalWithOption(v, UnorderedMap())",
		Note:    "it uses the first of two equal keys, and may skip the rest of an object",
		Safety:  Safety{Copies: No, UTF8: Repairs, CaseSensitive: No},
		Request: gojsonUnsafe[openrtb.BidRequest](), Response: gojsonUnsafe[openrtb.BidResponse](),
		Fields: func(data []byte, f *Fields) error {
			r := new(partial.Request)
			err := gojson.UnmarshalWithOption(data, r, gojson.DecodeFieldPriorityFirstWin(), gojson.DecodeNoCopyString())
			if err == nil {
				f.fill(r)
			}
			return err
		},
	}}
}

func gojsonPooled[T any]() Codec {
	pool := sync.Pool{New: func() any { return new(T) }}
	return Codec{
		Decode: func(data []byte) (any, error) {
			v := pool.Get().(*T)
			var zero T
			*v = zero
			return v, gojson.Unmarshal(data, v)
		},
		Release: func(v any) { pool.Put(v) },
		Encode:  func(_ []byte, v any) ([]byte, error) { return gojson.Marshal(v) },
	}
}

func gojsonUnsafe[T any]() Codec {
	return Codec{
		Decode: func(data []byte) (any, error) {
			v := new(T)
			return v, gojson.UnmarshalWithOption(data, v, gojson.DecodeFieldPriorityFirstWin(), gojson.DecodeNoCopyString())
		},
		Encode: func(_ []byte, v any) ([]byte, error) { return gojson.MarshalWithOption(v, gojson.UnorderedMap()) },
	}
}
