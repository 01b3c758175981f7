package main

import (
	"encoding/json"
	"reflect"

	"github.com/rtbwire/rtbwire/lab/figures"
)

var reflectionCost = experiment{
	section: 2, name: "reflection", title: "The reflection cost",
	says: "A type's first call pays for a plan, more with more fields. Later calls still read fields by reflection, which is why " +
		"hand-written MarshalJSON methods are 5 to 10 times faster. A thousand types, once warm, cost per call what one does.",
	method: "The struct of six fields, with and without a method, and the method's function called without json.Marshal. " +
		"Types of 6 and of 24 fields that are new (reflect.StructOf). Values of 1,000 warm types in turn against one of them.",
	cases: []label{
		{"marshal", "Marshal by reflection"},
		{"hand-written", "the function by hand, called directly"},
		{"hand-written-json", "the same with strings quoted as JSON has it"},
		{"hand-written-method", "Marshal of a type with it as MarshalJSON"},
		{"first-call", "Marshal, first call for a type of 6 fields"},
		{"later-call", "Marshal, later calls for these types"},
		{"first-call-24", "Marshal, first call for a type of 24 fields"},
		{"first-read", "Unmarshal, first call for a type of 6 fields"},
		{"later-read", "Unmarshal, later calls for these types"},
		{"one-type", "Marshal of one type, warm"},
		{"many-types", "Marshal of 1,000 types in turn, warm"},
	},
	values: []label{
		{"marshal/over-hand-written", "time of reflection / the function called directly"},
		{"marshal/over-hand-written-method", "time of reflection / MarshalJSON by hand, called by Marshal"},
		{"first-call/over-later-call", "Marshal: time of the first call / a later call"},
		{"first-read/over-later-read", "Unmarshal: time of the first call / a later call"},
		{"first-call-24/over-first-call", "time of the first call, 24 fields / 6 fields"},
		{"many-types/over-one-type", "time of a call, 1,000 types in turn / one type"},
		{"anonymous/same-type", "two functions' anonymous structs of one shape are one type"},
		{"ten-million/cores", "cores that ten million calls of Marshal a second take"},
	},
	keys: []string{
		"marshal/over-hand-written", "marshal/over-hand-written-method", "first-call/over-later-call", "many-types/over-one-type",
	},
	claims: []claim{
		{"hand-written code is 5 to 10 times faster (5 or more)", "you call the hand-written code yourself", "marshal/over-hand-written", atLeast(5)},
		{"a hand-written MarshalJSON is 5 to 10 times faster (5 or more)", "json.Marshal calls your MarshalJSON", "marshal/over-hand-written-method", atLeast(5)},
		{"the first call pays for the plan (twice a later call or more)", "you count what a new type costs", "first-call/over-later-call", atLeast(2)},
		{"the plan costs more with more fields", "you count what a new type costs", "first-call-24/over-first-call", atLeast(1.5)},
		{"1,000 warm types cost per call what one does (within 10%)", "many types are in use in turn", "many-types/over-one-type", atMost(1.1)},
		{"anonymous structs of one shape share a plan", "types are anonymous structs", "anonymous/same-type", exactlyOne()},
	},
	seconds: [2]float64{20, 4},
	run: func(t *trial) error {
		if err := t.compare(handWays()...); err != nil {
			return err
		}
		t.over("marshal", "hand-written")
		t.over("marshal", "hand-written-method")
		ns := t.found[t.prefix+"marshal/ns"]
		cores := func(ns float64) float64 { return ns * 1e-9 * 10e6 }
		t.set("ten-million/cores", figures.Figure{Value: cores(ns.Value), Lo: cores(ns.Lo), Hi: cores(ns.Hi), Unit: "cores"})
		t.flag("anonymous/same-type", reflect.TypeOf(oneAnonymous()) == reflect.TypeOf(otherAnonymous()))

		for _, c := range []struct {
			first, later string
			fields       int
			do           func(*subject) error
		}{
			{"first-call", "later-call", 6, writeSubject}, {"first-call-24", "", 24, writeSubject}, {"first-read", "later-read", 6, readSubject},
		} {
			first, later, err := t.firstCalls(c.fields, c.do)
			if err != nil {
				return err
			}
			t.record(c.first, first)
			if c.later != "" {
				t.record(c.later, later)
				t.over(c.first, c.later)
			}
		}
		t.over("first-call-24", "first-call")

		subjects := makeSubjects(t.pick(1000, 1000, 20), 6)
		turn := 0
		next := func() error {
			turn++
			_, err := json.Marshal(subjects[turn%len(subjects)].value)
			return err
		}
		for range subjects { // warm
			if err := next(); err != nil {
				return err
			}
		}
		if err := t.compare(marshal("one-type", subjects[0].value), way{name: "many-types", do: next}); err != nil {
			return err
		}
		t.over("many-types", "one-type")
		return nil
	},
}

func oneAnonymous() any {
	return struct {
		A int `json:"a"`
	}{1}
}

func otherAnonymous() any {
	return struct {
		A int `json:"a"`
	}{2}
}
