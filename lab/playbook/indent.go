package main

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/rtbwire/rtbwire/openrtb"
)

var indent = experiment{
	name: "indent",
	advice: "Instead of MarshalIndent, Marshal and then json.Indent into a buffer that you keep: it is faster, " +
		"and leaves less garbage.",
	method: "A request read from testdata/bench, and 1,000 events: Marshal, MarshalIndent, Indent to a kept " +
		"buffer, Encoder.SetIndent.",
	varies:  "what is scarce, time or memory",
	seconds: [2]float64{5, 1},
	run: func(t *trial) error {
		text, err := benchDocument("app")
		if err != nil {
			return err
		}
		var request openrtb.BidRequest
		if err := json.Unmarshal(text, &request); err != nil {
			return err
		}
		for _, c := range []struct {
			name  string
			value any
		}{{"a request", &request}, {"many events", makeEvents(t.pick(1000, 1000, 5))}} {
			compact, err := json.Marshal(c.value)
			if err != nil {
				return err
			}
			indented, err := json.MarshalIndent(c.value, "", "  ")
			if err != nil {
				return err
			}
			kept := bytes.NewBuffer(make([]byte, 0, len(indented)))
			e := json.NewEncoder(io.Discard)
			e.SetIndent("", "  ")
			m, err := t.compare(c.name, marshal("Marshal", c.value),
				way{"MarshalIndent", func() error { _, err := json.MarshalIndent(c.value, "", "  "); return err }},
				way{"Indent to a kept buffer", func() error { return marshalThenIndent(kept, c.value) }},
				way{"Encoder.SetIndent", func() error { return e.Encode(c.value) }})
			if err != nil {
				return err
			}
			t.add(c.name+": bytes indented / compact", exactly(float64(len(indented))/float64(len(compact)), ""))
			t.add(c.name+": time indented / compact", ratio(m[1], m[0]))
			t.ask("time of "+c.name, "Indent to a kept buffer / MarshalIndent", ratio(m[2], m[1]), atMost, 0.95)
			t.ask("garbage of "+c.name, "bytes allocated, Indent to a kept buffer / MarshalIndent",
				exactly(m[2].bytes/m[1].bytes, ""), atMost, 0.5)
		}
		return nil
	},
}

func marshalThenIndent(b *bytes.Buffer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	b.Reset()
	return json.Indent(b, text, "", "  ")
}
