package main

import (
	"bytes"
	"encoding/json"
)

var measureFirst = experiment{
	section: 1, name: "measure-first", title: "Measure first",
	says: "Marshal of a small struct makes 2 to 4 allocations; 20 or more are a sign of a bad MarshalJSON. Allocations are " +
		"the main cost of JSON in a server. The first call for a type is far slower than later ones.",
	method: "The section's struct of six fields and its two benchmarks, Marshal and an Encoder that is kept with its buffer. " +
		"The share of allocation and collection comes from CPU profiles. New types are made with reflect.StructOf.",
	cases: []label{
		{"marshal", "json.Marshal(sample), the section's first benchmark"},
		{"encoder-reuse", "the section's second: one Encoder and buffer for all calls"},
		{"through-map", "Marshal of a type whose MarshalJSON builds a map[string]any"},
		{"unmarshal", "Unmarshal of the same struct"},
		{"first-call", "Marshal, first call for a type of six fields"},
		{"later-call", "Marshal, later calls for these types"},
	},
	values: []label{
		{"encoder-reuse/over-marshal", "time of the kept Encoder / Marshal"},
		{"first-call/over-later-call", "time of the first call / a later call"},
		{"marshal/allocating", "Marshal: share of CPU time in allocation and collection"},
		{"unmarshal/allocating", "Unmarshal: share of CPU time in allocation and collection"},
	},
	keys: []string{"marshal/allocs", "marshal/ns", "marshal/allocating", "unmarshal/allocating", "first-call/over-later-call"},
	claims: []claim{
		{"Marshal of a small struct makes 2 to 4 allocations", "you count allocations of Marshal", "marshal/allocs", between(2, 4)},
		{"a bad MarshalJSON shows by 20 or more", "you look for a bad MarshalJSON", "through-map/allocs", atLeast(20)},
		{"allocations are the main cost (half of the time or more)", "you take allocation for the main cost of Marshal", "marshal/allocating", atLeast(0.5)},
		{"allocations are the main cost (half of the time or more)", "you take allocation for the main cost of Unmarshal", "unmarshal/allocating", atLeast(0.5)},
		{"the first call is far slower (10 times or more)", "you profile the first calls of a type", "first-call/over-later-call", atLeast(10)},
	},
	seconds: [2]float64{12, 2},
	run: func(t *trial) error {
		var buffer bytes.Buffer
		kept := json.NewEncoder(&buffer)
		text, err := json.Marshal(someUser)
		if err != nil {
			return err
		}
		write := func() error { _, err := json.Marshal(someUser); return err }
		read := func() error { return json.Unmarshal(text, new(user)) }
		if err := t.compare(
			way{name: "marshal", do: write},
			way{name: "encoder-reuse", do: func() error { buffer.Reset(); return kept.Encode(someUser) }},
			way{name: "through-map", do: func() error { _, err := json.Marshal(mapUser(someUser)); return err }},
			way{name: "unmarshal", do: read},
		); err != nil {
			return err
		}
		t.over("encoder-reuse", "marshal")
		first, later, err := t.firstCalls(6, writeSubject)
		if err != nil {
			return err
		}
		t.record("first-call", first)
		t.record("later-call", later)
		t.over("first-call", "later-call")
		for name, do := range map[string]func() error{"marshal": write, "unmarshal": read} {
			t.say("a profile of " + name)
			p, err := t.cpuProfile(do)
			if err != nil {
				return err
			}
			t.set(name+"/allocating", p.passing(allocating))
		}
		return nil
	},
}
