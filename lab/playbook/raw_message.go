package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

var rawMessage = experiment{
	name:   "raw-message",
	advice: "Declare as json.RawMessage what you rarely look at, and parse it when you do.",
	method: "Records with an id and a payload of one event or ten. Typed reads all; the other way has a " +
		"RawMessage for the payload and parses it in 1% of the records. For comparison also in all of " +
		"them, which is not what the advice is for.",
	varies:  "the size of the payload",
	seconds: [2]float64{6, 1.5},
	run: func(t *trial) error {
		records := t.pick(300, 200, 20)
		for _, c := range []struct {
			name  string
			inner int // events in a payload
			every int // record that is parsed
		}{
			{"1% of small payloads parsed", 1, 100},
			{"1% of large payloads parsed", 10, 100},
			{"all small payloads parsed", 1, 1},
			{"all large payloads parsed", 10, 1},
		} {
			text, err := payloads(records, c.inner)
			if err != nil {
				return err
			}
			deferred := func() error {
				var list []struct {
					ID      int             `json:"id"`
					Payload json.RawMessage `json:"payload"`
				}
				if err := json.Unmarshal(text, &list); err != nil {
					return err
				}
				for i := 0; i < len(list); i += c.every {
					if err := json.Unmarshal(list[i].Payload, new([]event)); err != nil {
						return err
					}
				}
				return nil
			}
			type typed []struct {
				ID      int     `json:"id"`
				Payload []event `json:"payload"`
			}
			m, err := t.compare(c.name, decodeAs[typed]("typed", text), way{"RawMessage", deferred})
			if err != nil {
				return err
			}
			if c.every == 1 {
				continue
			}
			t.ask(c.name, "time of RawMessage / typed", ratio(m[1], m[0]), atMost, 0.8)
		}
		return nil
	},
}

// payloads is an array of n records with some events each.
func payloads(n, inner int) ([]byte, error) {
	payload, err := json.Marshal(makeEvents(inner))
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"id":%d,"payload":%s}`, i, payload)
	}
	return []byte("[" + b.String()[1:] + "]"), nil
}
