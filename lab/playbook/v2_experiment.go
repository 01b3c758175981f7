//go:build goexperiment.jsonv2

package main

import (
	"encoding/json"
	jsonv2 "encoding/json/v2"
)

// ownVersions has what this build measures: version 2, and version 1 as version 2 implements it.
func ownVersions() ([]way, error) {
	one, err := versionWays("on-v2", json.Unmarshal, json.Marshal)
	if err != nil {
		return nil, err
	}
	write := func(v any) ([]byte, error) { return jsonv2.Marshal(v) }
	two, err := versionWays("v2", func(text []byte, v any) error { return jsonv2.Unmarshal(text, v) }, write)
	return append(append(one, two...), newTypes("on-v2", json.Marshal), newTypes("v2", write)), err
}
