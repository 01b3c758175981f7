//go:build goexperiment.jsonv2

package parsers

import (
	json "encoding/json/v2"
	"slices"
)

func init() {
	decode := func(text []byte, v any) error { return json.Unmarshal(text, v) }
	version2 = slices.Concat(inGo("go-map-v2", goMap, decode), inGo("go-struct-v2", goStruct, decode))
}
