package main

import (
	"encoding/json"
	"io"
)

var streaming = experiment{
	name: "streaming",
	advice: "Read large arrays with a Decoder, element by element, instead of all at once: it takes constant " +
		"memory and no more time.",
	method: "An array of events that is made up while it is read: ReadAll and Unmarshal into a slice, one Decode " +
		"into a slice, and Token, More and Decode for each event. Memory with a million events (quick: " +
		"50,000), time with 1,000.",
	varies:  "what is scarce, time or memory, and on reading the elements one at a time",
	seconds: [2]float64{25, 3},
	run: func(t *trial) error {
		ways := func(n int) []way {
			return []way{
				{"ReadAll, Unmarshal", func() error { return readBatch(someEvents(n)) }},
				{"one Decode", func() error { return json.NewDecoder(someEvents(n)).Decode(new([]event)) }},
				{"element by element", func() error { return readEach(someEvents(n)) }},
			}
		}
		m, err := t.compare("1,000 events", ways(t.pick(1000, 1000, 10))...)
		if err != nil {
			return err
		}
		peaks, err := t.comparePeaks("many events", 1, ways(t.pick(1e6, 5e4, 100))...)
		if err != nil {
			return err
		}
		t.ask("memory element by element", "peak, element by element / ReadAll",
			ratioOf(peaks[2], peaks[0]), atMost, 0.25)
		t.ask("memory of one Decode", "peak, one Decode / ReadAll", ratioOf(peaks[1], peaks[0]), atMost, 0.25)
		t.ask("time element by element", "element by element / ReadAll", ratio(m[2], m[0]), atMost, 1.05)
		return nil
	},
}

func readBatch(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, new([]event))
}

func readEach(r io.Reader) error {
	d := json.NewDecoder(r)
	if _, err := d.Token(); err != nil { // the bracket
		return err
	}
	for d.More() {
		var e event
		if err := d.Decode(&e); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}
