package engine

import "github.com/wI2L/jettison"

func jettisonEngines() []Engine {
	write := Codec{Encode: func(dst []byte, v any) ([]byte, error) { return jettison.Append(dst, v) }}
	return []Engine{{
		Name: "jettison", Module: "github.com/wI2L/jettison",
		Config:  "jettison.Append(dst, v)",
		Source:  "json.go: Append is similar to Marshal but appends the JSON",
		Note:    "only writes",
		Safety:  Safety{Copies: Yes, UTF8: Repairs, CaseSensitive: Yes},
		Request: write, Response: write,
	}}
}
