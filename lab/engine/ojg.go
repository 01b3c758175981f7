package engine

import "github.com/ohler55/ojg/oj"

func ojgEngines() []Engine {
	c := calls{
		func(data []byte, v any) error { return oj.Unmarshal(data, v) },
		func(v any) ([]byte, error) { return oj.Marshal(v) },
	}
	return []Engine{{
		Name: "ojg", Module: "github.com/ohler55/ojg",
		Config:  "oj.Unmarshal(data, new(T)); oj.Marshal(v); oj.Validator",
		Source:  "oj/doc.go: for a slight performance gain on repeated validations",
		Note:    "makes a tree of maps first, and the struct from it; json.RawMessage is written anew",
		Safety:  Safety{Copies: Yes, UTF8: No, CaseSensitive: No},
		Request: c.request(), Response: c.response(), Fields: c.fields,
		Validate: func(data []byte) bool {
			var v oj.Validator
			return v.Validate(data) == nil
		},
	}}
}
