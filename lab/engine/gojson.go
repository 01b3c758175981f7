package engine

import (
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
		Source:  `README.md: -import "encoding/json"`,
		Safety:  Safety{Copies: Yes, UTF8: Repairs, CaseSensitive: No},
		Request: plain.request(), Response: plain.response(), Fields: plain.fields,
		Validate: gojson.Valid,
	}, {
		Name: "gojson-pool", Module: path,
		Config:  "gojson.Unmarshal(data, v) with v from a sync.Pool and set to zero before; gojson.Marshal(v)",
		Source:  PooledSource,
		Note:    "only the outermost struct is reused",
		Safety:  Safety{Copies: Yes, UTF8: Repairs, CaseSensitive: No},
		Request: pooled[openrtb.BidRequest](plain), Response: pooled[openrtb.BidResponse](plain),
	}, {
		Name: "gojson-unsafe", Module: path,
		Config: "gojson.UnmarshalWithOption(data, v, DecodeFieldPriorityFirstWin(), DecodeNoCopyString()); " +
			"gojson.MarshalWithOption(v, UnorderedMap())",
		Source:  "README.md: Strings copied, or referring to the input",
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

func gojsonUnsafe[T any]() Codec {
	return Codec{
		Decode: func(data []byte) (any, error) {
			v := new(T)
			return v, gojson.UnmarshalWithOption(data, v, gojson.DecodeFieldPriorityFirstWin(), gojson.DecodeNoCopyString())
		},
		Encode: func(_ []byte, v any) ([]byte, error) { return gojson.MarshalWithOption(v, gojson.UnorderedMap()) },
	}
}
