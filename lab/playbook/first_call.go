package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

var firstCall = experiment{
	name: "first-call",
	advice: "Use each type once at start. encoding/json examines a type in the first call and keeps a plan of " +
		"it; the first call costs many times the others, and requests should not pay for it.",
	method: "A thousand struct types of 12 fields that differ in their names (reflect.StructOf). Each is " +
		"written, or read, for the first time, then again. Memory is what a thousand plans keep, the types " +
		"themselves not counted.",
	varies:  "what counts, one call or all types together, and on reading or writing",
	seconds: [2]float64{3, 1},
	run: func(t *trial) error {
		perRound := t.pick(1000, 1000, 30) / t.rounds
		for _, op := range []struct {
			name string
			do   func(s *subject) error
		}{
			{"Marshal", func(s *subject) error { _, err := json.Marshal(s.value); return err }},
			{"Unmarshal", func(s *subject) error { return json.Unmarshal(s.text, s.value) }},
		} {
			t.say(op.name)
			var first, again timing
			var kept []float64
			for range t.rounds {
				subjects := makeSubjects(perRound + 1)
				turn := 0
				next := func() error {
					turn++
					return op.do(subjects[(turn-1)%len(subjects)])
				}
				before := settledHeap()
				a, err := once(next, perRound)
				if err != nil {
					return err
				}
				kept = append(kept, max(settledHeap()-before, 0)/float64(perRound))
				b, err := once(next, perRound)
				if err != nil {
					return err
				}
				first.rounds, again.rounds = append(first.rounds, a.NS), append(again.rounds, b.NS)
				first.bytes, first.allocs, again.bytes, again.allocs = a.Bytes, a.Allocs, b.Bytes, b.Allocs
			}
			t.addTiming(op.name+", first call of a type", first)
			t.addTiming(op.name+", later call", again)
			thousand := slices.Clone(first.rounds)
			for i := range thousand {
				thousand[i] *= 1000
			}
			t.add(op.name+", first calls of 1,000 types", estimate(thousand, "ns"))
			keptByAll := estimate(kept, "B")
			t.add(op.name+", plans of 1,000 types keep", exactly(1000*keptByAll.Value, "B"))
			t.ask("one "+op.name, "time of the first call / a later call", ratio(first, again), atLeast, 5)
			t.ask(op.name+" for 1,000 types", "time of all first calls", estimate(thousand, "ns"), atLeast, 100e6)
		}
		return nil
	},
}

// subject is a value of a new type, and text to read into it.
type subject struct {
	value any
	text  []byte
}

var fieldTypes = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[int64](), reflect.TypeFor[float64](), reflect.TypeFor[bool](),
}

// subjectsMade makes the names of all types different: a type that was used before is not new to
// encoding/json.
var subjectsMade int

// makeSubjects returns values of n new types.
func makeSubjects(n int) []*subject {
	values := []string{`"x"`, `1`, `2.5`, `true`}
	out := make([]*subject, n)
	for i := range out {
		subjectsMade++
		var fields []reflect.StructField
		var members []string
		for f := range 12 {
			key := fmt.Sprintf("f%d_%d", f, subjectsMade)
			fields = append(fields, reflect.StructField{
				Name: fmt.Sprintf("F%d", f), Type: fieldTypes[f%4], Tag: reflect.StructTag(`json:"` + key + `"`),
			})
			members = append(members, `"`+key+`":`+values[f%4])
		}
		text := []byte("{" + strings.Join(members, ",") + "}")
		out[i] = &subject{reflect.New(reflect.StructOf(fields)).Interface(), text}
	}
	return out
}
