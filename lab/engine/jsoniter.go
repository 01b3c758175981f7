package engine

import (
	jsoniter "github.com/json-iterator/go"

	"github.com/rtbwire/rtbwire/openrtb"
)

func jsoniterEngines() []Engine {
	const path = "github.com/json-iterator/go"
	compatible := jsoniter.ConfigCompatibleWithStandardLibrary
	std := calls{compatible.Unmarshal, compatible.Marshal}
	fastest := calls{jsoniter.ConfigFastest.Unmarshal, jsoniter.ConfigFastest.Marshal}
	return []Engine{{
		Name: "jsoniter", Module: path,
		Config:  "jsoniter.ConfigCompatibleWithStandardLibrary",
		Source:  "README.md: var json = jsoniter.ConfigCompatibleWithStandardLibrary",
		Safety:  Safety{Copies: Yes, UTF8: No, CaseSensitive: No},
		Request: std.request(), Response: std.response(), Fields: std.fields,
		Validate: compatible.Valid,
	}, {
		Name: "jsoniter-pool", Module: path,
		Config:  "jsoniter.ConfigCompatibleWithStandardLibrary, into a struct from a sync.Pool that is set to zero before",
		Source:  PooledSource,
		Note:    "only the outermost struct is reused",
		Safety:  Safety{Copies: Yes, UTF8: No, CaseSensitive: No},
		Request: pooled[openrtb.BidRequest](std), Response: pooled[openrtb.BidResponse](std),
	}, {
		Name: "jsoniter-fastest", Module: path,
		Config:  "jsoniter.ConfigFastest",
		Source:  "config.go: ConfigFastest marshals float with only 6 digits precision",
		Note:    "writes floats with 6 digits, so that some numbers change",
		Safety:  Safety{Copies: Yes, UTF8: No, CaseSensitive: No},
		Request: fastest.request(), Response: fastest.response(), Fields: fastest.fields,
		Validate: jsoniter.ConfigFastest.Valid,
	}}
}
