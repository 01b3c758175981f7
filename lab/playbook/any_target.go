package main

import (
	"encoding/json"

	"github.com/rtbwire/rtbwire/openrtb"
)

var anyTarget = experiment{
	name:   "any-target",
	advice: "Decode into typed structs, not into map[string]any: it is faster, and allocates less.",
	method: "Two requests of testdata/bench read into an any, a map[string]any, the full typed request, and a " +
		"struct of three fields; the first and the third written again.",
	varies:  "what is scarce, time or memory, and on how much of the document is read",
	seconds: [2]float64{10, 1},
	run: func(t *trial) error {
		const limit = 0.8
		type three struct {
			ID   string `json:"id"`
			TMax int    `json:"tmax"`
			Site struct {
				Domain string `json:"domain"`
			} `json:"site"`
		}
		for _, name := range []string{"banner", "app"} {
			text, err := benchDocument(name)
			if err != nil {
				return err
			}
			m, err := t.compare("reading "+name,
				decodeAs[any]("any", text), decodeAs[map[string]any]("map[string]any", text),
				decodeAs[openrtb.BidRequest]("typed", text), decodeAs[three]("three fields", text))
			if err != nil {
				return err
			}
			var tree any
			var typed openrtb.BidRequest
			if err := json.Unmarshal(text, &tree); err != nil {
				return err
			}
			if err := json.Unmarshal(text, &typed); err != nil {
				return err
			}
			w, err := t.compare("writing "+name, marshal("any", tree), marshal("typed", &typed))
			if err != nil {
				return err
			}
			t.ask("reading "+name, "time of typed / map[string]any", ratio(m[2], m[1]), atMost, limit)
			t.ask("bytes of "+name, "allocated, typed / map[string]any",
				exactly(m[2].bytes/m[1].bytes, ""), atMost, limit)
			t.ask("three fields of "+name, "time of three fields / map[string]any", ratio(m[3], m[1]), atMost, limit)
			t.ask("writing "+name, "time of typed / any", ratio(w[1], w[0]), atMost, limit)
		}
		return nil
	},
}
