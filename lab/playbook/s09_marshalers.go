package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/lab/figures"
)

var marshalers = experiment{
	section: 9, name: "marshalers", title: "Avoiding allocations in custom marshalers",
	says: "A MarshalJSON with fmt.Sprintf allocates for each step. Append instead to a slice with room: AppendFormat for times, " +
		"AppendInt for numbers, strconv.AppendQuote for strings. An array in an encoder's struct saves the last allocation.",
	method: "The section's types, a time in three forms, an amount in two and a name, each called directly and through json.Marshal. " +
		"Its encoder with an array of 64 bytes against AppendInt to the destination. Then every Unicode character quoted by " +
		"strconv.AppendQuote and read back as JSON.",
	cases: []label{
		{"sprintf", "a time by Format and Sprintf, called directly"},
		{"append-format", "a time by AppendFormat, called directly"},
		{"sprintf-marshal", "a time by Format and Sprintf, through Marshal"},
		{"append-format-marshal", "a time by AppendFormat, through Marshal"},
		{"time-marshal", "time.Time itself, through Marshal"},
		{"amount-sprintf", "an amount by Sprintf, called directly"},
		{"amount-append", "an amount by AppendInt, called directly"},
		{"amount-sprintf-marshal", "an amount by Sprintf, through Marshal"},
		{"amount-append-marshal", "an amount by AppendInt, through Marshal"},
		{"amount-plain-marshal", "int64 without a method, through Marshal"},
		{"name-append", "a name by AppendQuote, called directly"},
		{"scratch", "ten amounts through the section's array of 64 bytes"},
		{"no-scratch", "ten amounts by AppendInt to the destination"},
	},
	values: []label{
		{"sprintf/over-append-format", "a time, called directly: time of Sprintf / AppendFormat"},
		{"sprintf-marshal/over-append-format-marshal", "a time, through Marshal: time of Sprintf / AppendFormat"},
		{"append-format-marshal/over-time-marshal", "a time, through Marshal: time of AppendFormat / time.Time's own method"},
		{"amount-sprintf/over-amount-append", "an amount, called directly: time of Sprintf / AppendInt"},
		{"amount-sprintf-marshal/over-amount-append-marshal", "an amount, through Marshal: time of Sprintf / AppendInt"},
		{"amount-append-marshal/over-amount-plain-marshal", "an amount, through Marshal: time of AppendInt / no method"},
		{"scratch/over-no-scratch", "amounts: time with the array / without"},
		{"append-quote/misread", "characters that JSON reads as others, or not at all, after strconv.AppendQuote"},
		{"append-quote-ascii/misread", "of these, printable ASCII"},
		{"json-quote/misread", "characters misread after json.Marshal"},
	},
	keys: []string{
		"sprintf/allocs", "append-format/allocs", "sprintf/over-append-format", "sprintf-marshal/over-append-format-marshal",
		"scratch/allocs", "scratch/over-no-scratch", "append-quote/misread",
	},
	claims: []claim{
		{"appending is faster than Sprintf (1.2 times or more)", "you write MarshalJSON with append", "sprintf/over-append-format", atLeast(1.2)},
		{"appending is faster than Sprintf (1.2 times or more)", "you write MarshalJSON with append", "sprintf-marshal/over-append-format-marshal", atLeast(1.2)},
		{"appending is faster than Sprintf (1.2 times or more)", "you write MarshalJSON with append", "amount-sprintf/over-amount-append", atLeast(1.2)},
		{"appending makes one allocation at most", "you write MarshalJSON with append", "append-format/allocs", atMost(1)},
		{"strconv.AppendQuote quotes for JSON", "strings are printable ASCII", "append-quote-ascii/misread", atMost(0)},
		{"strconv.AppendQuote quotes for JSON", "strings may have any character", "append-quote/misread", atMost(0)},
		{"the array saves allocations: none is left", "you want no allocations of the array in the struct", "scratch/allocs", atMost(0)},
		{"the array saves something against plain appending (3% or more)", "you could append to the destination instead of the array",
			"scratch/over-no-scratch", atMost(0.97)},
	},
	seconds: [2]float64{12, 2},
	run: func(t *trial) error {
		now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		amounts := [10]amount{1, 22, 333, 4444, 55555, 666666, 7777777, 88888888, 999999999, 1234567890}
		var e scratchEncoder
		out := make([]byte, 0, 256)
		for _, group := range [][]way{
			{
				direct("sprintf", printedTime(now)), direct("append-format", appendedTime(now)),
				marshal("sprintf-marshal", printedTime(now)), marshal("append-format-marshal", appendedTime(now)),
				marshal("time-marshal", now),
			}, {
				direct("amount-sprintf", printedAmount(1234567)), direct("amount-append", amount(1234567)),
				marshal("amount-sprintf-marshal", printedAmount(1234567)), marshal("amount-append-marshal", amount(1234567)),
				marshal("amount-plain-marshal", int64(1234567)),
			}, {
				direct("name-append", quotedName("alexandra")),
				{name: "scratch", do: func() error {
					out = out[:0]
					for _, a := range amounts {
						out = e.appendAmount(out, a)
					}
					return nil
				}},
				{name: "no-scratch", do: func() error {
					out = out[:0]
					for _, a := range amounts {
						out = strconv.AppendInt(out, int64(a), 10)
					}
					return nil
				}},
			},
		} {
			if err := t.compare(group...); err != nil {
				return err
			}
		}
		for _, pair := range [][2]string{
			{"sprintf", "append-format"}, {"sprintf-marshal", "append-format-marshal"}, {"append-format-marshal", "time-marshal"},
			{"amount-sprintf", "amount-append"}, {"amount-sprintf-marshal", "amount-append-marshal"},
			{"amount-append-marshal", "amount-plain-marshal"}, {"scratch", "no-scratch"},
		} {
			t.over(pair[0], pair[1])
		}
		t.say("quoting all characters")
		step := rune(t.pick(1, 1, 97))
		byStrconv := func(s string) []byte { return strconv.AppendQuote(nil, s) }
		byJSON := func(s string) []byte {
			text, _ := json.Marshal(s) // strings can't fail
			return text
		}
		t.set("append-quote/misread", figures.Exactly(misread(byStrconv, step, anyCharacter), "characters"))
		t.set("append-quote-ascii/misread", figures.Exactly(misread(byStrconv, 1, func(c rune) bool { return c >= ' ' && c <= '~' }), "characters"))
		t.set("json-quote/misread", figures.Exactly(misread(byJSON, step, anyCharacter), "characters"))
		return nil
	},
}

// direct calls the method without json.Marshal.
func direct[M json.Marshaler](name string, v M) way {
	return way{name: name, do: func() error {
		text, err := v.MarshalJSON()
		keepText = text // on the heap, as json.Marshal needs it
		return err
	}}
}

var keepText []byte

type (
	printedTime   time.Time
	appendedTime  time.Time
	printedAmount int64
	amount        int64
	quotedName    string
)

func (t printedTime) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf(`"%s"`, time.Time(t).Format(time.RFC3339))), nil // as it is often written
}

func (t appendedTime) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, len(time.RFC3339)+2), '"')
	b = time.Time(t).AppendFormat(b, time.RFC3339)
	return append(b, '"'), nil
}

func (a printedAmount) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf("%d", int64(a))), nil // as it is often written
}

func (a amount) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(make([]byte, 0, 24), int64(a), 10), nil
}

func (n quotedName) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(make([]byte, 0, len(n)+2), string(n)), nil
}

// scratchEncoder is the section's encoder.
type scratchEncoder struct{ scratch [64]byte }

func (e *scratchEncoder) appendAmount(out []byte, a amount) []byte {
	return append(out, strconv.AppendInt(e.scratch[:0], int64(a), 10)...)
}

func anyCharacter(rune) bool { return true }

// misread counts the characters, every step-th of those that are asked for, that encoding/json
// reads as something else, or not at all, once quoted.
func misread(quote func(s string) []byte, step rune, asked func(rune) bool) float64 {
	n := 0.0
	for c := rune(0); c <= utf8.MaxRune; c += step {
		if !utf8.ValidRune(c) || !asked(c) {
			continue
		}
		var back string
		if err := json.Unmarshal(quote(string(c)), &back); err != nil || back != string(c) {
			n++
		}
	}
	return n
}
