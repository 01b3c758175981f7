package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

var rawMessage = experiment{
	section: 5, name: "raw-message", title: "RawMessage to defer parsing",
	says: "Declare a heavy field as json.RawMessage and parse it in the 1% of events that need it: the largest gain that the standard " +
		"library alone offers. A RawMessage borrows from the Decoder's buffer: copy it before the next Decode.",
	method: "The section's loop over a stream of events with five fields, whose payload is small (one record), large (ten) or a " +
		"bare number. 1 in 100 is an alert, whose payload is parsed. Other things that the standard library offers for the " +
		"same loop are measured beside it. Payloads are kept and compared after the stream was read.",
	cases: []label{
		{"full", "small payload, declared as a struct and always parsed"},
		{"raw-message", "small payload, the section's loop: RawMessage, 1% parsed"},
		{"raw-message-all", "small payload, RawMessage, all parsed"},
		{"reused-variable", "small payload, struct, but one variable for all events"},
		{"line-by-line", "small payload, struct, Unmarshal of each line instead of a Decoder"},
		{"large-full", "large payload, struct"},
		{"large-raw-message", "large payload, the section's loop"},
		{"number-full", "payload is a number, int64"},
		{"number-raw-message", "payload is a number, RawMessage, 1% parsed"},
	},
	values: []label{
		{"raw-message/over-full", "small payload: time of RawMessage / parsing all"},
		{"large-raw-message/over-large-full", "large payload: time of RawMessage / parsing all"},
		{"number-raw-message/over-number-full", "a number: time of RawMessage / parsing all"},
		{"raw-message-all/over-full", "small payload, needed by all events: time of RawMessage / struct"},
		{"raw-message/over-line-by-line", "time of RawMessage / Unmarshal line by line"},
		{"raw-message/over-reused-variable", "time of RawMessage / one variable for all events"},
		{"fresh/aliases", "of 1,000 kept payloads, changed: variable declared in the loop"},
		{"reused/aliases", "of 1,000 kept payloads, changed: one variable for all events"},
		{"reused-copied/aliases", "of 1,000 kept payloads, changed: one variable, payloads copied"},
	},
	keys: []string{
		"raw-message/over-full", "large-raw-message/over-large-full", "number-raw-message/over-number-full",
		"raw-message-all/over-full", "fresh/aliases", "reused/aliases",
	},
	claims: []claim{
		{"it pays where 1% need the payload (20% or more)", "payloads are objects and few of them are needed", "raw-message/over-full", atMost(0.8)},
		{"it pays where 1% need the payload (20% or more)", "payloads are objects and few of them are needed", "large-raw-message/over-large-full", atMost(0.8)},
		{"it pays where 1% need the payload (20% or more)", "payloads are plain numbers", "number-raw-message/over-number-full", atMost(0.8)},
		{"it is the largest gain of the standard library alone", "payloads are objects and few of them are needed", "raw-message/over-line-by-line", atMost(1)},
		{"it is the largest gain of the standard library alone", "payloads are objects and few of them are needed", "raw-message/over-reused-variable", atMost(1)},
		{"a payload that is kept changes with the next Decode", "you keep payloads and the variable is declared in the loop, as in the section (a copy is needless)", "fresh/aliases", atLeast(1)},
		{"a payload that is kept changes with the next Decode", "you keep payloads and one variable is used for all events", "reused/aliases", atLeast(1)},
		{"a copy is safe", "you keep payloads and one variable is used for all events", "reused-copied/aliases", atMost(0)},
	},
	seconds: [2]float64{15, 2},
	run: func(t *trial) error {
		n := t.pick(500, 200, 20)
		one, err := json.Marshal(makeEvent(1))
		if err != nil {
			return err
		}
		ten, err := json.Marshal(makeEvents(10))
		if err != nil {
			return err
		}
		small, large, numbers := stream(n, one), stream(n, ten), stream(n, []byte("1234567"))
		for _, group := range [][]way{
			{
				{name: "full", do: ingestTyped[event](small)}, {name: "raw-message", do: ingestRaw[event](small, false)},
				{name: "raw-message-all", do: ingestRaw[event](small, true)},
				{name: "reused-variable", do: ingestReused(small)}, {name: "line-by-line", do: ingestLines(small)},
			},
			{{name: "large-full", do: ingestTyped[[]event](large)}, {name: "large-raw-message", do: ingestRaw[[]event](large, false)}},
			{{name: "number-full", do: ingestTyped[int64](numbers)}, {name: "number-raw-message", do: ingestRaw[int64](numbers, false)}},
		} {
			if err := t.compare(group...); err != nil {
				return err
			}
		}
		for _, pair := range [][2]string{
			{"raw-message", "full"}, {"large-raw-message", "large-full"}, {"number-raw-message", "number-full"},
			{"raw-message-all", "full"}, {"raw-message", "line-by-line"}, {"raw-message", "reused-variable"},
		} {
			t.over(pair[0], pair[1])
		}
		for name, how := range map[string]keeping{
			"fresh": {}, "reused": {reuse: true}, "reused-copied": {reuse: true, clone: true},
		} {
			changed, err := keptChanged(1000, how)
			if err != nil {
				return err
			}
			t.set(name+"/aliases", figures.Exactly(float64(changed), "payloads"))
		}
		return nil
	},
}

// envelope is the section's event.
type envelope[P any] struct {
	ID        string `json:"id"`
	Timestamp int64  `json:"ts"`
	Type      string `json:"type"`
	Source    string `json:"src"`
	Payload   P      `json:"payload"`
}

// stream is n events with that payload, one in a hundred an alert.
func stream(n int, payload []byte) []byte {
	var b bytes.Buffer
	for i := range n {
		kind := "view"
		if i%100 == 0 {
			kind = "alert"
		}
		fmt.Fprintf(&b, `{"id":"e-%d","ts":%d,"type":"%s","src":"edge-%d","payload":%s}`+"\n", i, 1767225600+i, kind, i%7, payload)
	}
	return b.Bytes()
}

// forEach calls one until the stream has ended.
func forEach(one func() error) error {
	for {
		if err := one(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func ingestTyped[P any](text []byte) func() error {
	return func() error {
		d := json.NewDecoder(bytes.NewReader(text))
		return forEach(func() error {
			var e envelope[P]
			return d.Decode(&e)
		})
	}
}

// ingestRaw is the section's loop.
func ingestRaw[P any](text []byte, all bool) func() error {
	return func() error {
		d := json.NewDecoder(bytes.NewReader(text))
		return forEach(func() error {
			var e envelope[json.RawMessage]
			if err := d.Decode(&e); err != nil {
				return err
			}
			if !all && e.Type != "alert" {
				return nil
			}
			var p P
			return json.Unmarshal(e.Payload, &p)
		})
	}
}

func ingestReused(text []byte) func() error {
	return func() error {
		d := json.NewDecoder(bytes.NewReader(text))
		var e envelope[event]
		return forEach(func() error { return d.Decode(&e) })
	}
}

func ingestLines(text []byte) func() error {
	return func() error {
		for line := range bytes.Lines(text) {
			var e envelope[event]
			if err := json.Unmarshal(line, &e); err != nil {
				return err
			}
		}
		return nil
	}
}

// keeping says what a loop that keeps payloads does.
type keeping struct{ reuse, clone bool }

// keptChanged keeps the payloads of n events and counts those that are others when the stream has
// ended.
func keptChanged(n int, how keeping) (changed int, err error) {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `{"id":"%d","payload":{"n":%d}}`+"\n", i, 100000+i)
	}
	d := json.NewDecoder(strings.NewReader(text.String()))
	var kept []json.RawMessage
	reused := new(envelope[json.RawMessage])
	for range n {
		e := new(envelope[json.RawMessage])
		if how.reuse {
			e = reused
		}
		if err := d.Decode(e); err != nil {
			return 0, err
		}
		payload := e.Payload
		if how.clone {
			payload = bytes.Clone(payload)
		}
		kept = append(kept, payload)
	}
	for i, payload := range kept {
		if string(payload) != fmt.Sprintf(`{"n":%d}`, 100000+i) {
			changed++
		}
	}
	return changed, nil
}
