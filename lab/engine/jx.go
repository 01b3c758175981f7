package engine

import (
	"github.com/go-faster/jx"

	"github.com/rtbwire/rtbwire/lab/jxcodec"
	"github.com/rtbwire/rtbwire/openrtb"
)

func jxEngines() []Engine {
	return []Engine{{
		Name: "jx", Module: "github.com/go-faster/jx",
		Config: "jx.GetDecoder, ResetBytes(data), ObjBytes with a switch on keys, Str; jx.Writer on the buffer; lab/jxcodec has that code for all types",
		Source: "README.md: useful for code generated json encoding",
		Note:   "its functions read values: what calls them is generated for the whole specification, and for the partial struct",
		Safety: Safety{Copies: Yes, UTF8: No, CaseSensitive: Yes},
		Request: Codec{
			Decode: func(data []byte) (any, error) { r, err := jxcodec.DecodeRequest(data); return r, err },
			Encode: func(dst []byte, v any) ([]byte, error) {
				return jxcodec.AppendRequest(dst, v.(*openrtb.BidRequest)), nil
			},
		},
		Response: Codec{
			Decode: func(data []byte) (any, error) { r, err := jxcodec.DecodeResponse(data); return r, err },
			Encode: func(dst []byte, v any) ([]byte, error) {
				return jxcodec.AppendResponse(dst, v.(*openrtb.BidResponse)), nil
			},
		},
		Fields: func(data []byte, f *Fields) error {
			r, err := jxcodec.DecodePartial(data)
			if err == nil {
				f.fill(r)
			}
			return err
		},
		Validate: jx.Valid,
	}}
}
