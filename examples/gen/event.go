// Package gen shows what "rtbwire-gen" writes for a struct that is not part of OpenRTB:
// codec_gen.go. example_test.go uses it.
package gen

import "encoding/json"

//go:generate go run ../../cmd/rtbwire-gen Event

// Event is what a tracking pixel reports.
type Event struct {
	ID      string          `json:"id"`
	Kind    Kind            `json:"kind"`
	Time    int64           `json:"ts"` // milliseconds since 1970
	Price   *float64        `json:"price,omitempty"`
	Labels  []string        `json:"labels,omitempty"`
	Clicks  []Click         `json:"clicks,omitempty"`
	Context json.RawMessage `json:"context,omitempty"` // kept as it is
}

// Kind says what happened.
type Kind uint8

// Click is one touch of the screen.
type Click struct {
	X int `json:"x"`
	Y int `json:"y"`
}
