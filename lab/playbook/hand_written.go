package main

import (
	"encoding/json"

	"github.com/rtbwire/rtbwire/openrtb"
)

var handWritten = experiment{
	name: "hand-written",
	advice: "Reflection is slow: give your types MarshalJSON methods, written by hand or generated, and " +
		"json.Marshal gets faster.",
	method: "100 events with code by hand and a request with generated code (AppendJSON of package openrtb), " +
		"written by json.Marshal with reflection, by json.Marshal through MarshalJSON, and by appending " +
		"without json.Marshal.",
	varies:  "whether json.Marshal calls the code, for it checks and copies what MarshalJSON returns",
	seconds: [2]float64{6, 1},
	run: func(t *trial) error {
		events := makeEvents(t.pick(100, 100, 3))
		withMethod := make([]methodEvent, len(events))
		for i := range events {
			withMethod[i] = methodEvent(events[i])
		}
		text, err := benchDocument("app")
		if err != nil {
			return err
		}
		var request openrtb.BidRequest
		if err := json.Unmarshal(text, &request); err != nil {
			return err
		}
		kept := make([]byte, 0, 64<<10)
		for _, c := range []struct {
			name string
			ways []way
		}{
			{"100 events", []way{
				marshal("reflection", events), marshal("MarshalJSON", withMethod),
				{"appending", func() error { appendEvents(kept[:0], events); return nil }},
			}},
			{"a request", []way{
				marshal("reflection", &request), marshal("MarshalJSON", methodRequest{&request}),
				{"appending", func() error { _, err := request.AppendJSON(kept[:0]); return err }},
			}},
		} {
			m, err := t.compare(c.name, c.ways...)
			if err != nil {
				return err
			}
			t.ask("MarshalJSON of "+c.name, "time of MarshalJSON / reflection", ratio(m[1], m[0]), atMost, 0.8)
			t.ask("appending "+c.name, "time of appending / reflection", ratio(m[2], m[0]), atMost, 0.8)
		}
		return nil
	},
}

// methodEvent is an event with a method.
type methodEvent event

func (e methodEvent) MarshalJSON() ([]byte, error) {
	return (*event)(&e).appendJSON(make([]byte, 0, 256)), nil
}

// methodRequest is a request with a method.
type methodRequest struct{ *openrtb.BidRequest }

func (r methodRequest) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil) }

func appendEvents(b []byte, events []event) []byte {
	separator := byte('[')
	for i := range events {
		b = events[i].appendJSON(append(b, separator))
		separator = ','
	}
	return append(b, ']')
}
