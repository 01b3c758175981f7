//go:build goexperiment.jsonv2

package engine

import (
	"bytes"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
)

// JSONv2 says whether this build has encoding/json/v2. In such a build encoding/json is implemented
// by version 2, so that it is another engine than in other builds.
const JSONv2 = true

func init() {
	c := calls{
		func(data []byte, v any) error { return jsonv2.Unmarshal(data, v) },
		func(v any) ([]byte, error) { return jsonv2.Marshal(v) },
	}
	extra = []Engine{{
		Name:     "encoding-json-v2",
		Config:   "jsonv2.Unmarshal(data, new(T)); jsonv2.Marshal(v), built with GOEXPERIMENT=jsonv2",
		Note:     "an experiment of the standard library, in a separate binary",
		Safety:   Safety{Copies: Yes, UTF8: Yes, CaseSensitive: Yes},
		Request:  c.request(),
		Response: c.response(),
		Fields:   c.fields,
		Validate: func(data []byte) bool {
			d := jsontext.NewDecoder(bytes.NewReader(data))
			return d.SkipValue() == nil
		},
	}}
}
