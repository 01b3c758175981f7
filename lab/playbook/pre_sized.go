package main

import (
	"bytes"
	"encoding/json"
)

var preSized = experiment{
	name: "pre-sized-buffers",
	advice: "Give a buffer the size of the document before you write to it: growing copies what is there again " +
		"and again.",
	method: "The same events written to a bytes.Buffer that grows and to one that had Grow(size) first: a slice " +
		"by one call of an Encoder, the events one by one through an Encoder, and appended to a []byte " +
		"without encoding/json.",
	varies:  "how many writes the document takes",
	seconds: [2]float64{10, 0.7},
	run: func(t *trial) error {
		const limit = 0.9
		events := makeEvents(t.pick(10000, 1000, 10))
		text, err := json.Marshal(events)
		if err != nil {
			return err
		}
		size := len(text)
		t.add("the document", exactly(float64(size), "B"), exactly(float64(len(events)), "events"))
		whole := func(b *bytes.Buffer) error { return json.NewEncoder(b).Encode(events) }
		each := func(b *bytes.Buffer) error {
			e := json.NewEncoder(b)
			for i := range events {
				if err := e.Encode(&events[i]); err != nil {
					return err
				}
			}
			return nil
		}
		one := func(b *bytes.Buffer) error { return json.NewEncoder(b).Encode(&events[0]) }
		appended := func(room int) func() error {
			return func() error {
				b := make([]byte, 0, room)
				for i := range events {
					b = events[i].appendJSON(b)
				}
				return nil
			}
		}
		room := size + len(events) // the Encoder ends each value with a newline
		for _, c := range []struct {
			name string
			grow func() error
			size func() error
		}{
			{"one event in one write", into(0, one), into(room/len(events), one)},
			{"all events in one write", into(0, whole), into(room, whole)},
			{"all events in a write each", into(0, each), into(room, each)},
			{"all events appended by hand", appended(0), appended(room)},
		} {
			m, err := t.compare(c.name, way{"growing", c.grow}, way{"pre-sized", c.size})
			if err != nil {
				return err
			}
			t.ask(c.name, "time of pre-sized / growing", ratio(m[1], m[0]), atMost, limit)
		}
		return nil
	},
}

// into writes to a new buffer with room for size bytes.
func into(size int, write func(*bytes.Buffer) error) func() error {
	return func() error {
		b := new(bytes.Buffer)
		if size > 0 {
			b.Grow(size)
		}
		return write(b)
	}
}
