package main

import "encoding/json"

var slicesOfPointers = experiment{
	name: "slices-of-pointers",
	advice: "Decode into []T rather than []*T: one block instead of an object per element is faster to read, " +
		"write and walk.",
	method: "1,000 elements of 24 bytes, and as many of about 500, read, written and walked (a sum over one " +
		"field) as []T and as []*T. Reading []T copies the elements whenever the slice grows.",
	varies:  "the operation and the size of the element",
	seconds: [2]float64{10, 1.5},
	run: func(t *trial) error {
		n := t.pick(1000, 1000, 10)
		small, large := make([]smallElement, n), make([]largeElement, n)
		for i := range n {
			small[i] = smallElement{i, i % 7, i % 2}
			large[i] = largeElement{smallElement: small[i], Name: "element", Tags: []string{"a"}}
		}
		if err := values(t, "small", small, func(e *smallElement) int { return e.ID }); err != nil {
			return err
		}
		return values(t, "large", large, func(e *largeElement) int { return e.ID })
	},
}

type smallElement struct {
	ID   int `json:"id"`
	Kind int `json:"kind"`
	Seen int `json:"seen"`
}

// largeElement is as large as the objects of OpenRTB, most of whose fields are absent as a rule.
type largeElement struct {
	smallElement
	Name string     `json:"name"`
	Tags []string   `json:"tags"`
	Rest [28]string `json:"-"`
}

// values compares both kinds of slice for one type of element.
func values[T any](t *trial, size string, elements []T, field func(*T) int) error {
	text, err := json.Marshal(elements)
	if err != nil {
		return err
	}
	var pointers []*T // in memory as decoding leaves them
	if err := json.Unmarshal(text, &pointers); err != nil {
		return err
	}
	sum := 0
	for _, c := range []struct {
		name         string
		value, point way
	}{
		{"reading", decodeAs[[]T]("[]T", text), decodeAs[[]*T]("[]*T", text)},
		{"writing", marshal("[]T", elements), marshal("[]*T", pointers)},
		{"walking", way{"[]T", func() error {
			for i := range elements {
				sum += field(&elements[i])
			}
			return nil
		}}, way{"[]*T", func() error {
			for _, e := range pointers {
				sum += field(e)
			}
			return nil
		}}},
	} {
		name := c.name + " " + size + " elements"
		m, err := t.compare(name, c.value, c.point)
		if err != nil {
			return err
		}
		t.ask(name, "time of []T / []*T", ratio(m[0], m[1]), atMost, 0.95)
	}
	return nil
}
