package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

var unknownFields = experiment{
	name:   "unknown-fields",
	advice: "Call DisallowUnknownFields: it costs next to nothing and finds the mistakes in what others send.",
	method: "The time of a Decoder with and without it, on documents without a mistake, and which planted " +
		"mistakes it refuses that a Decoder accepts otherwise.",
	varies:  "the kind of mistake",
	seconds: [2]float64{2, 0.3},
	run: func(t *trial) error {
		text, err := json.Marshal(makeEvents(t.pick(100, 100, 3)))
		if err != nil {
			return err
		}
		plain := func() error { return json.NewDecoder(bytes.NewReader(text)).Decode(new([]event)) }
		strict := func() error { return strictDecode(text, new([]event)) }
		m, err := t.compare("100 events", way{"without", plain}, way{"DisallowUnknownFields", strict})
		if err != nil {
			return err
		}
		t.ask("the cost", "time with / without", ratio(m[1], m[0]), atMost, 1.05)
		for _, mistake := range mistakes {
			if err := json.NewDecoder(strings.NewReader(mistake.text)).Decode(new(order)); err != nil {
				return fmt.Errorf("%s: refused anyway: %w", mistake.name, err)
			}
			caught := 0.0
			if strictDecode([]byte(mistake.text), new(order)) != nil {
				caught = 1
			}
			t.ask(mistake.name, mistake.text, exactly(caught, "caught"), atLeast, 1)
		}
		return nil
	},
}

func strictDecode(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
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

var mistakes = []struct{ name, text string }{
	{"a misspelt key", `{"id":"1","prise":2}`},
	{"a misspelt key inside", `{"id":"1","buyer":{"nmae":"x"}}`},
	{"a misspelt key in a type with UnmarshalJSON", `{"id":"1","size":{"w":1,"height":2}}`},
	{"a misspelt key in a RawMessage", `{"id":"1","ext":{"naem":1}}`},
	{"a misspelt key in a map", `{"id":"1","rest":{"naem":1}}`},
	{"a key in other case", `{"ID":"1"}`},
	{"a key twice", `{"id":"1","id":"2"}`},
	{"a missing key", `{"price":2}`},
	{"null for a string", `{"id":null}`},
	{"more after the document", `{"id":"1"} {"prise":2}`},
}
