package engine

import (
	"reflect"

	"github.com/bytedance/sonic"

	"github.com/rtbwire/rtbwire/lab/partial"
	"github.com/rtbwire/rtbwire/openrtb"
)

func sonicEngines() []Engine {
	const path = "github.com/bytedance/sonic"
	std := calls{sonic.ConfigStd.Unmarshal, sonic.ConfigStd.Marshal}
	fastest := calls{sonic.ConfigFastest.Unmarshal, sonic.ConfigFastest.Marshal}
	return []Engine{{
		Name: "sonic-std", Module: path,
		Config:  "sonic.ConfigStd",
		Note:    sonicNote(),
		Safety:  Safety{Copies: Yes, UTF8: Repairs, CaseSensitive: No},
		Request: std.request(), Response: std.response(), Fields: std.fields,
		Validate: sonic.ConfigStd.Valid, Warm: sonicWarm,
	}, {
		Name: "sonic-fastest", Module: path,
		Config:  "sonic.ConfigFastest",
		Note:    sonicNote(),
		Safety:  Safety{Copies: Yes, UTF8: No, CaseSensitive: No}, // Unmarshal copies the text, strings point into the copy
		Request: fastest.request(), Response: fastest.response(), Fields: fastest.fields,
		Validate: sonic.ConfigFastest.Valid, Warm: sonicWarm,
	}}
}

// sonicWarm compiles what sonic would compile on first use.
func sonicWarm() error {
	return sonic.PretouchMany([]reflect.Type{
		reflect.TypeFor[openrtb.BidRequest](), reflect.TypeFor[openrtb.BidResponse](), reflect.TypeFor[partial.Request](),
	})
}

// sonicNote says so where sonic is not sonic.
func sonicNote() string {
	if sonic.APIKind == sonic.UseStdJSON {
		return "does not support this platform or Go version: it calls encoding/json"
	}
	return "compiles to machine code on first use; that is done before measuring"
}
