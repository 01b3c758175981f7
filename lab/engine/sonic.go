package engine

import (
	"reflect"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"

	"github.com/rtbwire/rtbwire/lab/partial"
	"github.com/rtbwire/rtbwire/openrtb"
)

func sonicEngines() []Engine {
	const path = "github.com/bytedance/sonic"
	std := calls{sonic.ConfigStd.Unmarshal, sonic.ConfigStd.Marshal}
	fastest := calls{sonic.ConfigFastest.Unmarshal, sonic.ConfigFastest.Marshal}
	// The checks of ConfigFastest, but into the caller's buffer.
	const options = encoder.NoQuoteTextMarshaler | encoder.NoValidateJSONMarshaler | encoder.NoEncoderNewline
	into := func(c Codec) Codec {
		c.Encode = func(dst []byte, v any) ([]byte, error) {
			err := encoder.EncodeInto(&dst, v, options)
			return dst, err
		}
		return c
	}
	return []Engine{{
		Name: "sonic-std", Module: path,
		Config:  "sonic.ConfigStd",
		Note:    sonicNote(),
		Safety:  Safety{Copies: Yes, UTF8: Repairs, CaseSensitive: No},
		Request: std.request(), Response: std.response(), Fields: std.fields,
		Validate: sonic.ConfigStd.Valid, Warm: sonicWarm,
	}, {
		Name: "sonic-fastest", Module: path,
		Config:  "sonic.ConfigFastest.Unmarshal; encoder.EncodeInto(&dst, v, its options)",
		Note:    sonicNote(),
		Safety:  Safety{Copies: Yes, UTF8: No, CaseSensitive: No}, // Unmarshal copies the text, strings point into the copy
		Request: into(fastest.request()), Response: into(fastest.response()), Fields: fastest.fields,
		Validate: sonic.ConfigFastest.Valid, Warm: sonicWarm,
	}}
}

// sonicWarm compiles what sonic would compile on first use.
func sonicWarm() error {
	return sonic.PretouchMany([]reflect.Type{
		reflect.TypeFor[openrtb.BidRequest](), reflect.TypeFor[openrtb.BidResponse](), reflect.TypeFor[partial.Request](),
	})
}

// sonicNote says whether sonic compiles, or calls encoding/json on this platform.
func sonicNote() string {
	if sonic.APIKind == sonic.UseStdJSON {
		return "does not support this platform or Go version: it calls encoding/json"
	}
	return "compiles to machine code on first use; that is done before measuring"
}
