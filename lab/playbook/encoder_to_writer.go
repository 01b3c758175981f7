package main

import (
	"encoding/json"
	"io"
)

var encoderToWriter = experiment{
	name: "encoder-to-writer",
	advice: "Encode straight to the writer instead of Marshal and then Write: it is faster, and the document is " +
		"never in memory as a whole.",
	method: "Events written to a writer that keeps nothing: Marshal then Write, one Encode of the slice, and an " +
		"Encode for each event with the brackets and commas written by hand. Time with a hundred events, " +
		"memory with a large document.",
	varies:  "what is scarce, and on encoding the elements one at a time",
	seconds: [2]float64{20, 2},
	run: func(t *trial) error {
		ways := func(events []event) []way {
			return []way{
				{"Marshal, then Write", func() error { return marshalThenWrite(io.Discard, events) }},
				{"one Encode", func() error { return json.NewEncoder(io.Discard).Encode(events) }},
				{"an Encode per element", func() error { return encodeEach(io.Discard, events) }},
			}
		}
		few := makeEvents(t.pick(100, 100, 3))
		m, err := t.compare("100 events", ways(few)...)
		if err != nil {
			return err
		}
		many := makeEvents(t.pick(300000, 60000, 30))
		text, err := json.Marshal(many)
		if err != nil {
			return err
		}
		t.add("the large document", count(len(text), "B"))
		peaks, err := t.comparePeaks("large document", t.pick(5, 3, 1), ways(many)...)
		if err != nil {
			return err
		}
		for i, name := range []string{"one Encode", "an Encode per element"} {
			what := name + " / Marshal, then Write"
			t.ask("time of "+name, what, ratio(m[i+1], m[0]), atMost, 0.95)
			t.ask("memory of "+name, what, ratioOf(peaks[i+1], peaks[0]), atMost, 0.5)
		}
		return nil
	},
}

func marshalThenWrite(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// encodeEach writes an array whose elements are encoded one at a time.
func encodeEach(w io.Writer, events []event) error {
	e := json.NewEncoder(w)
	separator := "["
	for i := range events {
		if _, err := io.WriteString(w, separator); err != nil {
			return err
		}
		if err := e.Encode(&events[i]); err != nil {
			return err
		}
		separator = ","
	}
	_, err := io.WriteString(w, "]")
	return err
}
