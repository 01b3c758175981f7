package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

var unknownFields = experiment{
	section: 7, name: "unknown-fields", title: "DisallowUnknownFields cost",
	says: "Strict decoding is 10 to 20% slower than lenient, for the check of each key and the Decoder that it needs. Leave it on " +
		"where the shape of the input is your own.",
	method: "The section's two benchmarks, Unmarshal and a strict Decoder on the same 73 bytes, and the Decoder without strictness, " +
		"which tells its cost from that of being strict. The same with 64 KiB of events, and one Decoder of each kind on a " +
		"stream. Then mistakes that a lenient Decoder accepts.",
	cases: []label{
		{"unmarshal", "Unmarshal, the section's lenient benchmark"},
		{"decoder", "a new Decoder, lenient"},
		{"strict-decoder", "a new Decoder, strict: the section's strict benchmark"},
		{"large-unmarshal", "64 KiB, Unmarshal"},
		{"large-decoder", "64 KiB, lenient Decoder"},
		{"large-strict-decoder", "64 KiB, strict Decoder"},
		{"stream-decoder", "100 values from one lenient Decoder"},
		{"stream-strict-decoder", "100 values from one strict Decoder"},
	},
	values: append([]label{
		{"strict-decoder/over-unmarshal", "time of the strict Decoder / Unmarshal"},
		{"decoder/over-unmarshal", "time of the lenient Decoder / Unmarshal"},
		{"strict-decoder/over-decoder", "time of the strict Decoder / lenient Decoder"},
		{"large-strict-decoder/over-large-unmarshal", "64 KiB: time of the strict Decoder / Unmarshal"},
		{"large-strict-decoder/over-large-decoder", "64 KiB: time of the strict Decoder / lenient Decoder"},
		{"stream-strict-decoder/over-stream-decoder", "stream: time of the strict Decoder / lenient Decoder"},
	}, mistakeLabels()...),
	keys: []string{
		"strict-decoder/over-unmarshal", "decoder/over-unmarshal", "strict-decoder/over-decoder", "large-strict-decoder/over-large-decoder",
	},
	claims: append([]claim{
		{"strict is 10 to 20% slower", "small bodies move from Unmarshal to a strict Decoder, as in the section's benchmark",
			"strict-decoder/over-unmarshal", between(1.1, 1.2)},
		{"strict is 10 to 20% slower", "large bodies move from Unmarshal to a strict Decoder", "large-strict-decoder/over-large-unmarshal", between(1.1, 1.2)},
		{"the check of keys costs (3% or more)", "you use a Decoder anyway and make it strict", "strict-decoder/over-decoder", atLeast(1.03)},
		{"the check of keys costs (3% or more)", "you use a Decoder anyway and make it strict", "large-strict-decoder/over-large-decoder", atLeast(1.03)},
	}, mistakeClaims()...),
	seconds: [2]float64{8, 1},
	run: func(t *trial) error {
		small := []byte(userText)
		events, err := eventsOfSize(t.pick(64<<10, 64<<10, 1<<10))
		if err != nil {
			return err
		}
		large, err := json.Marshal(events)
		if err != nil {
			return err
		}
		stream := bytes.Repeat([]byte(userText+"\n"), 100)
		for _, group := range [][]way{
			{
				decodeAs[user]("unmarshal", small),
				{name: "decoder", do: func() error { return lenientDecode(small, new(user)) }},
				{name: "strict-decoder", do: func() error { return strictDecode(small, new(user)) }},
			}, {
				decodeAs[[]event]("large-unmarshal", large),
				{name: "large-decoder", do: func() error { return lenientDecode(large, new([]event)) }},
				{name: "large-strict-decoder", do: func() error { return strictDecode(large, new([]event)) }},
			}, {
				{name: "stream-decoder", do: func() error { return decodeStream(stream, false) }},
				{name: "stream-strict-decoder", do: func() error { return decodeStream(stream, true) }},
			},
		} {
			if err := t.compare(group...); err != nil {
				return err
			}
		}
		for _, pair := range [][2]string{
			{"strict-decoder", "unmarshal"}, {"decoder", "unmarshal"}, {"strict-decoder", "decoder"},
			{"large-strict-decoder", "large-unmarshal"}, {"large-strict-decoder", "large-decoder"},
			{"stream-strict-decoder", "stream-decoder"},
		} {
			t.over(pair[0], pair[1])
		}
		for _, m := range mistakes {
			if err := lenientDecode([]byte(m.text), new(order)); err != nil {
				return fmt.Errorf("%s: refused anyway: %w", m.what, err)
			}
			t.flag(m.name+"/refused", strictDecode([]byte(m.text), new(order)) != nil)
		}
		return nil
	},
}

func lenientDecode(text []byte, v any) error { return json.NewDecoder(bytes.NewReader(text)).Decode(v) }

func strictDecode(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

func decodeStream(text []byte, strict bool) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if strict {
		d.DisallowUnknownFields()
	}
	return forEach(func() error {
		var u user
		return d.Decode(&u)
	})
}

// order is what the mistakes are made in.
type order struct {
	ID    string                `json:"id"`
	Price *float64              `json:"price"`
	Buyer struct{ Name string } `json:"buyer"`
	Ext   json.RawMessage       `json:"ext"`
	Rest  map[string]any        `json:"rest"`
	Size  size                  `json:"size"`
}

// size reads itself, as a type with a method does.
type size struct{ W, H int }

func (s *size) UnmarshalJSON(text []byte) error {
	type plain size // without the method
	return json.Unmarshal(text, (*plain)(s))
}

// mistakes are accepted by a lenient Decoder.
var mistakes = []struct{ name, what, text string }{
	{"misspelt-key", "a misspelt key", `{"id":"1","prise":2}`},
	{"misspelt-inside", "a misspelt key in a struct inside", `{"id":"1","buyer":{"nmae":"x"}}`},
	{"in-own-method", "a misspelt key in a type with UnmarshalJSON", `{"id":"1","size":{"w":1,"height":2}}`},
	{"in-raw-message", "a misspelt key in a RawMessage", `{"id":"1","ext":{"naem":1}}`},
	{"in-map", "a misspelt key in a map", `{"id":"1","rest":{"naem":1}}`},
	{"other-case", "a key in other case", `{"ID":"1"}`},
	{"key-twice", "a key twice", `{"id":"1","id":"2"}`},
	{"missing-key", "a missing key", `{"price":2}`},
	{"null", "null for a string", `{"id":null}`},
	{"second-value", "more after the document", `{"id":"1"} {"prise":2}`},
}

func mistakeLabels() (list []label) {
	for _, m := range mistakes {
		list = append(list, label{m.name + "/refused", "refused by a strict Decoder: " + m.what + ", " + strings.TrimSpace(m.text)})
	}
	return list
}

func mistakeClaims() (list []claim) {
	for i, m := range mistakes {
		when := "you want it to find other mistakes than unknown keys of structs"
		if i < 2 {
			when = "you want it to find unknown keys of structs"
		}
		list = append(list, claim{"strict decoding is correct: it refuses " + m.what, when, m.name + "/refused", exactlyOne()})
	}
	return list
}
