package engine

import jsoniter "github.com/json-iterator/go"

func jsoniterEngines() []Engine {
	const path = "github.com/json-iterator/go"
	compatible := jsoniter.ConfigCompatibleWithStandardLibrary
	std := calls{compatible.Unmarshal, compatible.Marshal}
	fastest := calls{jsoniter.ConfigFastest.Unmarshal, jsoniter.ConfigFastest.Marshal}
	return []Engine{{
		Name: "jsoniter", Module: path,
		Config:  "jsoniter.ConfigCompatibleWithStandardLibrary",
		Safety:  Safety{Copies: Yes, UTF8: No, CaseSensitive: No},
		Request: std.request(), Response: std.response(), Fields: std.fields,
		Validate: compatible.Valid,
	}, {
		Name: "jsoniter-fastest", Module: path,
		Config:  "jsoniter.ConfigFastest",
		Note:    "writes floats with 6 digits, so that some numbers change",
		Safety:  Safety{Copies: Yes, UTF8: No, CaseSensitive: No},
		Request: fastest.request(), Response: fastest.response(), Fields: fastest.fields,
		Validate: jsoniter.ConfigFastest.Valid,
	}}
}
