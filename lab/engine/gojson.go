package engine

import (
	"sync"

	gojson "github.com/goccy/go-json"

	"github.com/rtbwire/rtbwire/lab/partial"
	"github.com/rtbwire/rtbwire/openrtb"
)

func gojsonEngines() []Engine {
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
		Config: "gojson.UnmarshalNoEscape(data, v, DecodeFieldPriorityFirstWin(), DecodeNoCopyString()); " +
			"gojson.MarshalNoEscape(v)",
		Note:    "with the first of a key that comes twice it may pass over the rest of an object",
		Safety:  Safety{Copies: No, UTF8: Repairs, CaseSensitive: No},
		Request: gojsonUnsafe[openrtb.BidRequest](), Response: gojsonUnsafe[openrtb.BidResponse](),
		Fields: func(data []byte, f *Fields) error {
			r := new(partial.Request)
			err := gojson.UnmarshalNoEscape(data, r, gojson.DecodeFieldPriorityFirstWin(), gojson.DecodeNoCopyString())
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
			return v, gojson.UnmarshalNoEscape(data, v, gojson.DecodeFieldPriorityFirstWin(), gojson.DecodeNoCopyString())
		},
		Encode: func(_ []byte, v any) ([]byte, error) { return gojson.MarshalNoEscape(v) },
	}
}
