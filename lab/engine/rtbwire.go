package engine

import (
	"sync"

	"github.com/rtbwire/rtbwire/lab/partial"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire/splice"
)

func rtbwireEngines() []Engine {
	return []Engine{{
		Name: "rtbwire-arena", Module: module,
		Config: "openrtb.ParseFastArena(data), openrtb.ReleaseArena(v); v.AppendJSON(buffer with room); " +
			"Decoder.Decode of generated code for the partial struct; splice.Find(data) to validate",
		Source: "openrtb/doc.go: ParseFastArena",
		Safety: Safety{Copies: No, UTF8: Yes, CaseSensitive: Yes},
		Request: Codec{
			Decode:  func(data []byte) (any, error) { r, err := openrtb.ParseFastArena(data); return r, err },
			Release: func(v any) { openrtb.ReleaseArena(v.(*openrtb.BidRequest)) },
			Encode:  func(dst []byte, v any) ([]byte, error) { return v.(*openrtb.BidRequest).AppendJSON(dst) },
		},
		Response: Codec{
			Decode:  func(data []byte) (any, error) { r, err := openrtb.ParseResponseFastArena(data); return r, err },
			Release: func(v any) { openrtb.ReleaseResponseArena(v.(*openrtb.BidResponse)) },
			Encode:  func(dst []byte, v any) ([]byte, error) { return v.(*openrtb.BidResponse).AppendJSON(dst) },
		},
		Fields: func(data []byte, f *Fields) error {
			d := partialDecoders.Get().(*partial.RequestDecoder)
			r, err := d.Decode(data)
			if err == nil {
				f.fill(r)
			}
			partialDecoders.Put(d)
			return err
		},
		Validate: func(data []byte) bool {
			_, err := splice.Find(data)
			return err == nil
		},
	}, {
		Name: "rtbwire-fast", Module: module,
		Config: "openrtb.ParseFast(data); v.AppendJSON(nil)",
		Source: "openrtb/doc.go: ParseFast",
		Safety: Safety{Copies: No, UTF8: Yes, CaseSensitive: Yes},
		Request: Codec{
			Decode: func(data []byte) (any, error) { r, err := openrtb.ParseFast(data); return r, err },
			Encode: func(_ []byte, v any) ([]byte, error) { return v.(*openrtb.BidRequest).AppendJSON(nil) },
		},
		Response: Codec{
			Decode: func(data []byte) (any, error) { r, err := openrtb.ParseResponseFast(data); return r, err },
			Encode: func(_ []byte, v any) ([]byte, error) { return v.(*openrtb.BidResponse).AppendJSON(nil) },
		},
		Fields: func(data []byte, f *Fields) error {
			r, err := partial.ParseRequestFast(data)
			if err == nil {
				f.fill(r)
			}
			return err
		},
	}, {
		Name: "rtbwire", Module: module,
		Config: "openrtb.Parse(data)",
		Source: "openrtb/doc.go: Parse",
		Safety: Safety{Copies: Yes, UTF8: Yes, CaseSensitive: Yes},
		Request: Codec{
			Decode: func(data []byte) (any, error) { r, err := openrtb.Parse(data); return r, err },
		},
		Response: Codec{
			Decode: func(data []byte) (any, error) { r, err := openrtb.ParseResponse(data); return r, err },
		},
		Fields: func(data []byte, f *Fields) error {
			r, err := partial.ParseRequest(data)
			if err == nil {
				f.fill(r)
			}
			return err
		},
	}}
}

var partialDecoders = sync.Pool{New: func() any { return new(partial.RequestDecoder) }}
