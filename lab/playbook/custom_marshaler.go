package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

var customMarshaler = experiment{
	name: "custom-marshaler",
	advice: "Write MarshalJSON with append and strconv, not with fmt.Sprintf, and quote strings with " +
		"json.Marshal: strconv.AppendQuote writes Go syntax, which is not JSON.",
	method: "A slice of 100 small values whose type has no MarshalJSON, one with fmt.Sprintf, or one that " +
		"appends (no method is for comparison; see hand-written). Then all Unicode characters, each quoted " +
		"by strconv and by json.Marshal and read back.",
	varies:  "what it is for, speed or right text",
	seconds: [2]float64{5, 2},
	run: func(t *trial) error {
		n := t.pick(100, 100, 5)
		plain, printed, appended := make([]fix, n), make([]printedFix, n), make([]appendedFix, n)
		for i := range n {
			plain[i] = fix{i, float64(i) / 8, i%2 == 0}
			printed[i], appended[i] = printedFix(plain[i]), appendedFix(plain[i])
		}
		m, err := t.compare("100 values", marshal("no method", plain),
			marshal("MarshalJSON with Sprintf", printed), marshal("MarshalJSON that appends", appended))
		if err != nil {
			return err
		}
		t.say("quoting all characters")
		step := rune(t.pick(1, 1, 97))
		byStrconv := misquoted(func(s string) []byte { return strconv.AppendQuote(nil, s) }, step)
		byJSON := misquoted(func(s string) []byte {
			text, _ := json.Marshal(s) // strings can't fail
			return text
		}, step)
		t.add("characters that don't come back: strconv.AppendQuote", count(byStrconv, "characters"))
		t.add("characters that don't come back: json.Marshal", count(byJSON, "characters"))
		t.ask("append against Sprintf", "time of append / Sprintf", ratio(m[2], m[1]), atMost, 0.9)
		t.ask("AppendQuote is not JSON", "characters that don't come back", count(byStrconv, "characters"), atLeast, 1)
		t.ask("json.Marshal is", "characters that don't come back", count(byJSON, "characters"), atMost, 0)
		return nil
	},
}

type fix struct {
	ID    int     `json:"id"`
	Price float64 `json:"price"`
	Seen  bool    `json:"seen"`
}

type (
	printedFix  fix
	appendedFix fix
)

func (f printedFix) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf(`{"id":%d,"price":%g,"seen":%t}`, f.ID, f.Price, f.Seen)), nil // as it is often written
}

func (f appendedFix) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 64)
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, int64(f.ID), 10)
	b = append(b, `,"price":`...)
	b = strconv.AppendFloat(b, f.Price, 'g', -1, 64)
	b = append(b, `,"seen":`...)
	b = strconv.AppendBool(b, f.Seen)
	return append(b, '}'), nil
}

// misquoted counts the characters, every step-th, that encoding/json reads as something else, or
// not at all, once quoted.
func misquoted(quote func(s string) []byte, step rune) int {
	n := 0
	for c := rune(0); c <= utf8.MaxRune; c += step {
		if !utf8.ValidRune(c) {
			continue
		}
		var back string
		if err := json.Unmarshal(quote(string(c)), &back); err != nil || back != string(c) {
			n++
		}
	}
	return n
}
