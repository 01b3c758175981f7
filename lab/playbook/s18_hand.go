package main

import (
	"encoding/json"
	"strconv"

	"github.com/rtbwire/rtbwire/lab/figures"
)

var handWritten = experiment{
	section: 18, name: "hand-written", title: "Worked example: reflection vs hand-written",
	says: "For a struct of six fields, Marshal takes about 440 ns, 192 bytes and 3 allocations, a function by hand 85 ns, 128 bytes and 1: " +
		"five times as fast, an order of magnitude for the hottest types. strconv.AppendQuote differs from JSON on a few characters; it " +
		"escapes single quotes.",
	method: "The section's two benchmarks, and the function with strings quoted as JSON has it, and as a MarshalJSON that Marshal calls. " +
		"Its times were taken with Go 1.22 on another machine: times here differ with the machine, ratios and counts hardly. Every character " +
		"quoted by strconv.AppendQuote and read back as JSON.",
	cases: []label{
		{"marshal", "Marshal by reflection: the section's BenchmarkReflect"},
		{"hand-written", "the function by hand: the section's BenchmarkHand"},
		{"hand-written-json", "the same with strings quoted as JSON has it"},
		{"hand-written-method", "Marshal of a type with the function as MarshalJSON"},
	},
	values: []label{
		{"marshal/over-hand-written", "time of Marshal / by hand"},
		{"marshal/over-hand-written-json", "time of Marshal / by hand, strings as JSON"},
		{"marshal/over-hand-written-method", "time of Marshal / by hand as MarshalJSON"},
		{"append-quote/misread", "characters that JSON reads as others, or not at all, after strconv.AppendQuote"},
		{"append-quote-printable/misread", "of these, printable characters"},
		{"append-quote/invalid", "strconv.AppendQuote writes text that is not JSON for some strings"},
		{"single-quote/escaped", "strconv.AppendQuote escapes single quotes"},
		{"html/escaped", "the function escapes HTML as Marshal does"},
	},
	keys: []string{
		"marshal/ns", "hand-written/ns", "marshal/over-hand-written", "marshal/allocs", "hand-written/allocs", "marshal/bytes", "hand-written/bytes",
		"marshal/over-hand-written-method", "append-quote/misread",
	},
	claims: []claim{
		{"by hand is five times as fast (4 to 6 times)", "you call the function yourself and expect five times", "marshal/over-hand-written", between(4, 6)},
		{"by hand is an order of magnitude faster (8 times or more)", "you expect an order of magnitude", "marshal/over-hand-written", atLeast(8)},
		{"by hand is five times as fast (4 or more)", "Marshal calls the function as MarshalJSON", "marshal/over-hand-written-method", atLeast(4)},
		{"by hand is five times as fast (4 or more)", "strings are quoted as JSON has it", "marshal/over-hand-written-json", atLeast(4)},
		{"Marshal makes 3 allocations", "you count the allocations of Marshal", "marshal/allocs", between(3, 3)},
		{"by hand makes 1 allocation", "you count the allocations of the function", "hand-written/allocs", exactlyOne()},
		{"Marshal allocates 192 bytes (10% more or less)", "you count the bytes of Marshal", "marshal/bytes", between(173, 211)},
		{"by hand allocates 128 bytes", "you count the bytes of the function", "hand-written/bytes", between(128, 128)},
		{"Marshal takes 440 ns (half to twice of it, on any machine)", "you take its times for an order of size", "marshal/ns", between(220, 880)},
		{"by hand takes 85 ns (half to twice of it, on any machine)", "you take its times for an order of size", "hand-written/ns", between(42.5, 170)},
		{"AppendQuote differs on a few characters only (1,000 at most)", "strings may have any character", "append-quote/misread", atMost(1000)},
		{"AppendQuote differs on a few characters only (1,000 at most)", "strings have printable characters only", "append-quote-printable/misread", atMost(1000)},
		{"AppendQuote escapes single quotes", "you look for escaped single quotes", "single-quote/escaped", exactlyOne()},
		{"the function does not escape HTML", "you look for HTML escapes", "html/escaped", atMost(0)},
	},
	seconds: [2]float64{6, 2},
	run: func(t *trial) error {
		if err := t.compare(handWays()...); err != nil {
			return err
		}
		for _, name := range []string{"hand-written", "hand-written-json", "hand-written-method"} {
			t.over("marshal", name)
		}
		t.say("quoting all characters")
		step := rune(t.pick(1, 1, 97))
		quote := func(s string) []byte { return strconv.AppendQuote(nil, s) }
		t.set("append-quote/misread", figures.Exactly(misread(quote, step, anyCharacter), "characters"))
		t.set("append-quote-printable/misread", figures.Exactly(misread(quote, step, strconv.IsPrint), "characters"))
		t.flag("append-quote/invalid", !json.Valid(quote("\a")) && !json.Valid(quote("\x7f")))
		t.flag("single-quote/escaped", len(quote("'")) != len(`"'"`))
		text, err := user{Name: "<b>"}.byHand()
		t.flag("html/escaped", !json.Valid(text) || string(text[len(`{"id":0,"name":"`)]) != "<")
		return err
	},
}
