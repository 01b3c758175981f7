package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

var number = experiment{
	section: 8, name: "number", title: "json.Number cost",
	says: "A json.Number costs an allocation for its digits (in another paragraph: two) and a parse for each field. Use it for exact " +
		"integers in an any, or where the type is known only at run time; read everything else into typed fields, which takes " +
		"no string in between.",
	method: "The section's struct of two fields, as json.Number with and without the parse, and as int64 and float64. Allocations " +
		"per field are the difference between both divided by two; those of a typed field come from a struct with two more. Then 1,000 integers above 2^53, read into an any with " +
		"UseNumber and without, written and compared.",
	cases: []label{
		{"number", "two json.Number fields, read and parsed"},
		{"number-unparsed", "two json.Number fields, read only"},
		{"typed", "int64 and float64"},
		{"typed-four", "two fields of each type"},
		{"array-any", "1,000 integers into an any"},
		{"array-use-number", "1,000 integers into an any, UseNumber"},
		{"array-number", "1,000 integers into []json.Number, each with Int64"},
		{"array-int64", "1,000 integers into []int64"},
	},
	values: []label{
		{"number/allocs-per-field", "allocations of a json.Number field beyond those of a typed one"},
		{"typed/allocs-per-field", "allocations of a typed field"},
		{"number/over-typed", "time of json.Number with parse / typed"},
		{"number-unparsed/over-typed", "time of json.Number without parse / typed"},
		{"array-number/over-array-int64", "1,000 integers: time of []json.Number / []int64"},
		{"array-use-number/over-array-any", "1,000 integers: time of UseNumber / float64, in an any"},
		{"any/changed", "of 1,000 integers, changed by an any"},
		{"use-number/changed", "of 1,000 integers, changed by an any with UseNumber"},
	},
	keys: []string{"number/allocs-per-field", "number/over-typed", "array-number/over-array-int64", "any/changed", "use-number/changed"},
	claims: []claim{
		{"one allocation for each number", "you reckon one allocation a field, as its first paragraph does", "number/allocs-per-field", exactlyOne()},
		{"two allocations for each number", "you reckon two allocations a field, as its summary does", "number/allocs-per-field", between(2, 2)},
		{"typed fields need no string in between", "you read into int64 and float64", "typed/allocs-per-field", atMost(0)},
		{"the difference is measurable (10% or more)", "you read many numbers", "array-number/over-array-int64", atLeast(1.1)},
		{"UseNumber keeps integers exact, which an any alone does not", "an any has integers above 2^53", "any/changed", atLeast(1)},
		{"UseNumber keeps integers exact, which an any alone does not", "an any has integers above 2^53", "use-number/changed", atMost(0)},
	},
	seconds: [2]float64{8, 1},
	run: func(t *trial) error {
		text := []byte(`{"count":123456,"rate":0.25}`)
		type typed struct {
			Count int64   `json:"count"`
			Rate  float64 `json:"rate"`
		}
		type typedFour struct {
			typed
			Count2 int64   `json:"count2"`
			Rate2  float64 `json:"rate2"`
		}
		var list strings.Builder
		for i := range t.pick(1000, 1000, 20) {
			fmt.Fprintf(&list, ",%d", int64(1)<<53+int64(i)*7919+1)
		}
		array := []byte("[" + list.String()[1:] + "]")
		useNumber := func(v any) error {
			d := json.NewDecoder(bytes.NewReader(array))
			d.UseNumber()
			return d.Decode(v)
		}
		plain := func(v any) error { return lenientDecode(array, v) }
		if err := t.compare(
			way{name: "number", do: func() error { return readStats(text, true) }},
			way{name: "number-unparsed", do: func() error { return readStats(text, false) }},
			decodeAs[typed]("typed", text), decodeAs[typedFour]("typed-four", []byte(`{"count":123456,"rate":0.25,"count2":123456,"rate2":0.25}`)),
		); err != nil {
			return err
		}
		if err := t.compare(
			way{name: "array-any", do: func() error { return plain(new(any)) }},
			way{name: "array-use-number", do: func() error { return useNumber(new(any)) }},
			way{name: "array-number", do: func() error { return readNumbers(array) }},
			decodeAs[[]int64]("array-int64", array),
		); err != nil {
			return err
		}
		perField := func(a, b string) figures.Figure {
			return figures.Exactly(counted((t.timings[a].allocs-t.timings[b].allocs)/2), "allocs")
		}
		t.set("number/allocs-per-field", perField("number", "typed"))
		t.set("typed/allocs-per-field", perField("typed-four", "typed"))
		for _, pair := range [][2]string{
			{"number", "typed"}, {"number-unparsed", "typed"}, {"array-number", "array-int64"}, {"array-use-number", "array-any"},
		} {
			t.over(pair[0], pair[1])
		}
		for name, read := range map[string]func(any) error{"any": plain, "use-number": useNumber} {
			changed, err := changedNumbers(array, read)
			if err != nil {
				return err
			}
			t.set(name+"/changed", figures.Exactly(float64(changed), "integers"))
		}
		return nil
	},
}

// stats is the section's struct.
type stats struct {
	Count json.Number `json:"count"`
	Rate  json.Number `json:"rate"`
}

func readStats(text []byte, parse bool) error {
	var s stats
	if err := json.Unmarshal(text, &s); err != nil || !parse {
		return err
	}
	if _, err := s.Count.Int64(); err != nil {
		return err
	}
	_, err := s.Rate.Float64()
	return err
}

func readNumbers(text []byte) error {
	var list []json.Number
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for _, n := range list {
		if _, err := n.Int64(); err != nil {
			return err
		}
	}
	return nil
}

// changedNumbers reads the array into an any, writes it, and counts the elements with another text.
func changedNumbers(text []byte, read func(v any) error) (changed int, err error) {
	var into any
	if err := read(&into); err != nil {
		return 0, err
	}
	out, err := json.Marshal(into)
	if err != nil {
		return 0, err
	}
	want, got := strings.Split(string(text), ","), strings.Split(string(out), ",")
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			changed++
		}
	}
	return changed, nil
}
