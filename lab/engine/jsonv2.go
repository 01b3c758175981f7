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
	// With both, duplicate names and text that is not UTF-8 are taken as version 1 takes them.
	unchecked := jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	lax := calls{
		func(data []byte, v any) error { return jsonv2.Unmarshal(data, v, unchecked) },
		func(v any) ([]byte, error) { return jsonv2.Marshal(v, unchecked) },
	}
	extra = []Engine{{
		Name:     "encoding-json-v2",
		Config:   "jsonv2.Unmarshal(data, new(T)); jsonv2.Marshal(v), built with GOEXPERIMENT=jsonv2",
		Source:   "encoding/json/v2/doc.go: Package json implements semantic processing of JSON",
		Note:     "an experiment of the standard library, in a separate binary",
		Safety:   Safety{Copies: Yes, UTF8: Yes, CaseSensitive: Yes},
		Request:  c.request(),
		Response: c.response(),
		Fields:   c.fields,
		Validate: func(data []byte) bool {
			d := jsontext.NewDecoder(bytes.NewReader(data))
			return d.SkipValue() == nil
		},
	}, {
		Name:    "encoding-json-v2-unchecked",
		Config:  "jsonv2.Unmarshal and jsonv2.Marshal with jsontext.AllowDuplicateNames(true) and jsontext.AllowInvalidUTF8(true)",
		Source:  "encoding/json/jsontext/options.go: Disabling the duplicate name check may provide",
		Note:    "an experiment of the standard library, in a separate binary; checks neither names nor UTF-8",
		Safety:  Safety{Copies: Yes, UTF8: Repairs, CaseSensitive: Yes},
		Request: lax.request(), Response: lax.response(), Fields: lax.fields,
	}}
}
