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
	two, err := versionWays("v2",
		func(text []byte, v any) error { return jsonv2.Unmarshal(text, v) },
		func(v any) ([]byte, error) { return jsonv2.Marshal(v) })
	return append(one, two...), err
}
