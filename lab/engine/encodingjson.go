package engine

import "encoding/json"

func encodingJSONEngines() []Engine {
	c := calls{json.Unmarshal, json.Marshal}
	return []Engine{{
		Name:     "encoding-json",
		Config:   "json.Unmarshal(data, new(T)); json.Marshal(v)",
		Source:   "encoding/json/decode.go: func Unmarshal",
		Safety:   Safety{Copies: Yes, UTF8: Repairs, CaseSensitive: No},
		Request:  c.request(),
		Response: c.response(),
		Fields:   c.fields,
		Validate: json.Valid,
	}}
}
