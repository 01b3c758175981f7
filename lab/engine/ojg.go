package engine

import (
	"github.com/ohler55/ojg/alt"
	"github.com/ohler55/ojg/oj"

	"github.com/rtbwire/rtbwire/lab/partial"
)

func ojgEngines() []Engine {
	c := calls{
		func(data []byte, v any) error { return oj.Unmarshal(data, v) },
		func(v any) ([]byte, error) { return oj.Marshal(v) },
	}
	// It knows types by their names without the package: Site of the partial struct gets its own.
	recomposer := alt.MustNewRecomposer("", nil)
	return []Engine{{
		Name: "ojg", Module: "github.com/ohler55/ojg",
		Config:  "oj.Unmarshal(data, new(T)); oj.Marshal(v); oj.Validator",
		Source:  "oj/oj.go: Unmarshal parses the provided JSON and stores the result in the value",
		Note:    "makes a tree of maps first, and the struct from it; writes a json.RawMessage anew, and one that is nil as null, despite omitempty",
		Safety:  Safety{Copies: Yes, UTF8: No, CaseSensitive: No},
		Request: c.request(), Response: c.response(),
		Fields: func(data []byte, f *Fields) error {
			r := new(partial.Request)
			if err := oj.Unmarshal(data, r, recomposer); err != nil {
				return err
			}
			f.fill(r)
			return nil
		},
		Validate: func(data []byte) bool {
			var v oj.Validator
			return v.Validate(data) == nil
		},
	}}
}
