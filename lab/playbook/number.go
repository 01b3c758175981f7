package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

var number = experiment{
	name: "number",
	advice: "Use json.Number (UseNumber) where numbers may be large: an any makes them float64, which changes " +
		"integers over 2^53. It costs little.",
	method: "An array of integers just above 2^53, a prime apart: how many are others after being read and " +
		"written, and the time of reading them as any, as any with UseNumber, as []json.Number with Int64 " +
		"called on each, and as []int64.",
	varies:  "what is asked, exactness or speed, and on whether the type is known",
	seconds: [2]float64{3, 0.6},
	run: func(t *trial) error {
		var b strings.Builder
		n := t.pick(1000, 1000, 50)
		for i := range n {
			fmt.Fprintf(&b, ",%d", int64(1)<<53+int64(i)*7919+1)
		}
		text := []byte("[" + b.String()[1:] + "]")
		useNumber := func(v any) error {
			d := json.NewDecoder(bytes.NewReader(text))
			d.UseNumber()
			return d.Decode(v)
		}
		plain := func(v any) error { return json.NewDecoder(bytes.NewReader(text)).Decode(v) }
		m, err := t.compare("reading",
			way{"any", func() error { return plain(new(any)) }},
			way{"any, UseNumber", func() error { return useNumber(new(any)) }},
			way{"[]json.Number, Int64", func() error { return readNumbers(plain) }},
			way{"[]int64", func() error { return plain(new([]int64)) }})
		if err != nil {
			return err
		}
		changed := map[string]quantity{}
		for _, c := range []struct {
			name string
			read func(v any) error
			into any
		}{
			{"any", plain, new(any)}, {"any, UseNumber", useNumber, new(any)},
			{"[]json.Number", plain, new([]json.Number)}, {"[]int64", plain, new([]int64)},
		} {
			others, err := changedNumbers(text, c.read, c.into)
			if err != nil {
				return err
			}
			changed[c.name] = count(others, "changed")
			t.add(fmt.Sprintf("of %d integers: %s", n, c.name), changed[c.name])
		}
		t.ask("any changes integers", "integers that are others", changed["any"], atLeast, 1)
		t.ask("UseNumber keeps them", "integers that are others", changed["any, UseNumber"], atMost, 0)
		t.ask("[]json.Number keeps them", "integers that are others", changed["[]json.Number"], atMost, 0)
		t.ask("the cost in any", "time with UseNumber / without", ratio(m[1], m[0]), atMost, 1.1)
		t.ask("the cost where the type is known", "time of []json.Number, Int64 / []int64",
			ratio(m[2], m[3]), atMost, 1.1)
		return nil
	},
}

func readNumbers(read func(v any) error) error {
	var list []json.Number
	if err := read(&list); err != nil {
		return err
	}
	sum := int64(0)
	for _, n := range list {
		v, err := n.Int64()
		if err != nil {
			return err
		}
		sum ^= v
	}
	if sum == math.MinInt64 {
		return fmt.Errorf("impossible sum %d", sum) // so that the loop stays
	}
	return nil
}

// changedNumbers reads the array, writes it, and counts the elements with another text.
func changedNumbers(text []byte, read func(v any) error, into any) (changed int, err error) {
	if err := read(into); err != nil {
		return 0, err
	}
	out, err := json.Marshal(into)
	if err != nil {
		return 0, err
	}
	want := strings.Split(string(text), ",")
	got := strings.Split(string(out), ",")
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			changed++
		}
	}
	return changed, nil
}
