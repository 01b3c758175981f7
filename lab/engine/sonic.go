package engine

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"

	"github.com/rtbwire/rtbwire/lab/partial"
	"github.com/rtbwire/rtbwire/openrtb"
)

func sonicEngines() []Engine {
	const (
		path         = "github.com/bytedance/sonic"
		stringSource = "README.md: Pass string or []byte?"
	)
	std := calls{sonic.ConfigStd.Unmarshal, sonic.ConfigStd.Marshal}
	fastest := calls{sonic.ConfigFastest.Unmarshal, sonic.ConfigFastest.Marshal}
	fromString := calls{sonicFromString, sonic.ConfigFastest.Marshal}
	engines := []Engine{{
		Name:    "sonic-std",
		Config:  "sonic.ConfigStd",
		Source:  "api.go: ConfigStd is the standard config",
		Safety:  Safety{Copies: Yes, UTF8: Repairs, CaseSensitive: No},
		Request: std.request(), Response: std.response(), Fields: std.fields,
		Validate: sonic.ConfigStd.Valid,
	}, {
		Name:    "sonic-fastest",
		Config:  "sonic.ConfigFastest.Unmarshal; encoder.EncodeInto(&dst, v, its options)",
		Source:  "api.go: ConfigFastest is the fastest config",
		Safety:  Safety{Copies: Yes, UTF8: No, CaseSensitive: No}, // Unmarshal copies the text, strings point into the copy
		Request: sonicInto(fastest.request()), Response: sonicInto(fastest.response()), Fields: fastest.fields,
		Validate: sonic.ConfigFastest.Valid,
	}, {
		Name:    "sonic-pool",
		Config:  "sonic.ConfigFastest.Unmarshal into a struct from a sync.Pool that is set to zero before",
		Source:  PooledSource,
		Safety:  Safety{Copies: Yes, UTF8: No, CaseSensitive: No},
		Request: DecodeOnly(pooled[openrtb.BidRequest](fastest)), Response: DecodeOnly(pooled[openrtb.BidResponse](fastest)),
	}, {
		Name:    "sonic-string",
		Config:  "sonic.ConfigFastest.UnmarshalFromString(unsafe.String of data, new(T))",
		Source:  stringSource,
		Safety:  Safety{Copies: No, UTF8: No, CaseSensitive: No},
		Request: DecodeOnly(fromString.request()), Response: DecodeOnly(fromString.response()), Fields: fromString.fields,
	}, {
		Name:    "sonic-string-pool",
		Config:  "sonic.ConfigFastest.UnmarshalFromString(unsafe.String of data, v) with v from a sync.Pool and set to zero before",
		Source:  stringSource,
		Safety:  Safety{Copies: No, UTF8: No, CaseSensitive: No},
		Request: DecodeOnly(pooled[openrtb.BidRequest](fromString)), Response: DecodeOnly(pooled[openrtb.BidResponse](fromString)),
	}}
	for i := range engines {
		engines[i].Module, engines[i].Note, engines[i].Warm = path, sonicNote(), sonicWarm
	}
	return engines
}

// sonicFromString decodes without the copy that Unmarshal makes of the text.
func sonicFromString(data []byte, v any) error {
	return sonic.ConfigFastest.UnmarshalFromString(unsafe.String(unsafe.SliceData(data), len(data)), v)
}

// sonicInto writes with the checks of ConfigFastest, but into the caller's buffer.
func sonicInto(c Codec) Codec {
	const options = encoder.NoQuoteTextMarshaler | encoder.NoValidateJSONMarshaler | encoder.NoEncoderNewline
	c.Encode = func(dst []byte, v any) ([]byte, error) {
		err := encoder.EncodeInto(&dst, v, options)
		return dst, err
	}
	return c
}

// sonicWarm compiles what sonic would compile on first use, as its README advises for large types.
var sonicWarm = sync.OnceValues(func() (time.Duration, error) {
	start := time.Now()
	err := sonic.PretouchMany([]reflect.Type{
		reflect.TypeFor[openrtb.BidRequest](), reflect.TypeFor[openrtb.BidResponse](), reflect.TypeFor[partial.Request](),
	})
	return time.Since(start), err
})

// sonicNote says whether sonic compiles, or calls encoding/json on this platform.
func sonicNote() string {
	if sonic.APIKind == sonic.UseStdJSON {
		return "does not support this platform or Go version: it calls encoding/json"
	}
	return "compiles to machine code on first use, which sonic.PretouchMany does before measuring"
}
