package engine

import "github.com/sugawarayuuta/sonnet"

func sonnetEngines() []Engine {
	c := calls{sonnet.Unmarshal, sonnet.Marshal}
	return []Engine{{
		Name: "sonnet", Module: "github.com/sugawarayuuta/sonnet",
		Config:  "sonnet.Unmarshal(data, new(T)); sonnet.Marshal(v)",
		Source:  "README.md: The usage is the same as the standard library.",
		Safety:  Safety{Copies: Yes, UTF8: Repairs, CaseSensitive: No},
		Request: c.request(), Response: c.response(), Fields: c.fields,
		Validate: sonnet.Valid,
	}}
}
