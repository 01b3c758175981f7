package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/openrtb"
)

var hotPath = experiment{
	section: 14, name: "hot-path", title: "Hot-path tips",
	says: "Six tips: no any as a target; no []any; pointers for large structs in slices (measure); room in the []byte of a MarshalJSON; " +
		"a []byte rather than a bytes.Buffer there; short ASCII names of fields.",
	method: "A bid request and an array of 1,000 elements read into each kind of target. Elements of 24 and about 500 bytes. The " +
		"hand-written function of section 18 with room, without, and with a bytes.Buffer. A struct of ten fields whose names " +
		"are ASCII, or not, of the same number of bytes, or long.",
	cases: []label{
		{"any", "a request of 5 kB into an any"},
		{"struct", "the same into its struct"},
		{"raw-parts", "the same into a struct of RawMessage, with one part parsed"},
		{"any-slice", "1,000 elements into []any"},
		{"struct-slice", "1,000 elements into []T"},
		{"small-values", "1,000 elements of 24 bytes into []T"},
		{"small-pointers", "1,000 elements of 24 bytes into []*T"},
		{"large-values", "1,000 elements of about 500 bytes into []T"},
		{"large-pointers", "1,000 elements of about 500 bytes into []*T"},
		{"walk-values", "a walk over large elements, []T, each copied as range does"},
		{"walk-pointers", "a walk over large elements, []*T"},
		{"room", "the function of section 18, room for 128 bytes"},
		{"no-room", "the same from a nil slice"},
		{"buffer", "the same with a bytes.Buffer"},
		{"room-marshal", "with room, called by Marshal"},
		{"no-room-marshal", "from a nil slice, called by Marshal"},
		{"ascii-names", "a struct with ASCII names of 12 bytes, written"},
		{"other-names", "a struct with other names of 12 bytes, written"},
		{"long-names", "a struct with ASCII names of 48 bytes, written"},
	},
	values: []label{
		{"any/over-struct", "tip 1: time of any / struct"},
		{"any/allocs-over-struct", "tip 1: allocations, any / struct"},
		{"raw-parts/over-struct", "tip 1: time of RawMessage with one part parsed / struct"},
		{"any-slice/over-struct-slice", "tip 2: time of []any / []T"},
		{"any-slice/allocs-per-element", "tip 2: allocations of an element in []any"},
		{"struct-slice/allocs-per-element", "tip 2: allocations of an element in []T"},
		{"small-pointers/over-small-values", "tip 3: time to read small elements, []*T / []T"},
		{"large-pointers/over-large-values", "tip 3: time to read large elements, []*T / []T"},
		{"walk-pointers/over-walk-values", "tip 3: time to walk large elements, []*T / []T"},
		{"large-pointers/allocs-per-element", "tip 3: allocations of an element that []*T adds"},
		{"no-room/over-room", "tip 4: time without room / with, called directly"},
		{"no-room-marshal/over-room-marshal", "tip 4: time without room / with, called by Marshal"},
		{"buffer/over-room", "tip 5: time of a bytes.Buffer / a slice"},
		{"buffer/allocs-beyond-room", "tip 5: allocations of a bytes.Buffer beyond a slice's"},
		{"other-names/over-ascii-names", "tip 6: time with other names / ASCII names of as many bytes"},
		{"long-names/over-ascii-names", "tip 6: time with names of 48 bytes / 12"},
	},
	keys: []string{
		"any/over-struct", "any/allocs-over-struct", "any-slice/over-struct-slice", "large-pointers/over-large-values",
		"walk-pointers/over-walk-values", "no-room/over-room", "buffer/over-room", "other-names/over-ascii-names",
	},
	claims: []claim{
		{"1: an any takes more time than a struct (1.2 times or more)", "you count time of an any (tip 1)", "any/over-struct", atLeast(1.2)},
		{"1: an any makes more allocations than a struct", "you count allocations of an any (tip 1)", "any/allocs-over-struct", atLeast(1.2)},
		{"1: RawMessage with one part parsed is faster than the struct", "you parse few parts of a RawMessage (tip 1)", "raw-parts/over-struct", atMost(0.95)},
		{"2: a []any allocates each element", "you count allocations of []any (tip 2)", "any-slice/allocs-per-element", atLeast(1)},
		{"2: a []T does not (0.1 at most)", "you count allocations of []any (tip 2)", "struct-slice/allocs-per-element", atMost(0.1)},
		{"2: a []any is slower (1.2 times or more)", "you count time of []any (tip 2)", "any-slice/over-struct-slice", atLeast(1.2)},
		{"3: pointers save copies of large elements (5% or more)", "you walk large elements by value (tip 3)", "walk-pointers/over-walk-values", atMost(0.95)},
		{"3: pointers save copies of large elements (5% or more)", "you read large elements (tip 3)", "large-pointers/over-large-values", atMost(0.95)},
		{"3: pointers save copies of large elements (5% or more)", "you read small elements (tip 3)", "small-pointers/over-small-values", atMost(0.95)},
		{"4: room is far cheaper (1.5 times or more)", "you give room to a function that you call directly (tip 4)", "no-room/over-room", atLeast(1.5)},
		{"4: room is far cheaper (1.5 times or more)", "you give room to a method that Marshal calls (tip 4)", "no-room-marshal/over-room-marshal", atLeast(1.5)},
		{"5: a bytes.Buffer adds an allocation", "you count allocations of a bytes.Buffer (tip 5)", "buffer/allocs-beyond-room", atLeast(1)},
		{"5: a bytes.Buffer is slower (3% or more)", "you count time of a bytes.Buffer (tip 5)", "buffer/over-room", atLeast(1.03)},
		{"6: ASCII names are faster to write (3% or more)", "you make names ASCII (tip 6)", "other-names/over-ascii-names", atLeast(1.03)},
		{"6: short names are faster to write (3% or more)", "you make names short (tip 6)", "long-names/over-ascii-names", atLeast(1.03)},
	},
	seconds: [2]float64{25, 4},
	run: func(t *trial) error {
		if err := t.targets(); err != nil {
			return err
		}
		if err := t.elements(); err != nil {
			return err
		}
		return t.writers()
	},
}

// targets is tips 1 and 2.
func (t *trial) targets() error {
	text, err := benchDocument("app")
	if err != nil {
		return err
	}
	if err := t.compare(decodeAs[any]("any", text), decodeAs[openrtb.BidRequest]("struct", text), way{name: "raw-parts", do: func() error {
		var parts struct {
			ID                           string
			Imp, Site, App, Device, User json.RawMessage
		}
		if err := json.Unmarshal(text, &parts); err != nil {
			return err
		}
		return json.Unmarshal(parts.Imp, new([]openrtb.Imp))
	}}); err != nil {
		return err
	}
	t.over("any", "struct")
	t.allocsOver("any", "struct")
	t.over("raw-parts", "struct")

	n := t.pick(1000, 1000, 10)
	array, err := json.Marshal(smallElements(n))
	if err != nil {
		return err
	}
	if err := t.compare(decodeAs[[]any]("any-slice", array), decodeAs[[]smallElement]("struct-slice", array)); err != nil {
		return err
	}
	t.over("any-slice", "struct-slice")
	for _, name := range []string{"any-slice", "struct-slice"} {
		t.set(name+"/allocs-per-element", figures.Exactly(counted(t.timings[name].allocs/float64(n)), "allocs"))
	}
	return nil
}

type smallElement struct {
	ID   int `json:"id"`
	Kind int `json:"kind"`
	Seen int `json:"seen"`
}

func smallElements(n int) []smallElement {
	out := make([]smallElement, n)
	for i := range out {
		out[i] = smallElement{i, i % 7, i % 2}
	}
	return out
}

// largeElement is as large as the objects of OpenRTB, most of whose fields are absent as a rule.
type largeElement struct {
	smallElement
	Name string     `json:"name"`
	Rest [28]string `json:"-"`
}

// elements is tip 3.
func (t *trial) elements() error {
	n := t.pick(1000, 1000, 10)
	small, err := json.Marshal(smallElements(n))
	if err != nil {
		return err
	}
	list := make([]largeElement, n)
	for i, e := range smallElements(n) {
		list[i] = largeElement{smallElement: e, Name: "element"}
	}
	large, err := json.Marshal(list)
	if err != nil {
		return err
	}
	var pointers []*largeElement // in memory as decoding leaves them
	if err := json.Unmarshal(large, &pointers); err != nil {
		return err
	}
	sum := 0
	for _, group := range [][]way{
		{decodeAs[[]smallElement]("small-values", small), decodeAs[[]*smallElement]("small-pointers", small)},
		{decodeAs[[]largeElement]("large-values", large), decodeAs[[]*largeElement]("large-pointers", large)},
		{{name: "walk-values", do: func() error {
			for _, e := range list {
				sum += e.use()
			}
			return nil
		}}, {name: "walk-pointers", do: func() error {
			for _, e := range pointers {
				sum += e.usePointer()
			}
			return nil
		}}},
	} {
		if err := t.compare(group...); err != nil {
			return err
		}
	}
	t.over("small-pointers", "small-values")
	t.over("large-pointers", "large-values")
	t.over("walk-pointers", "walk-values")
	t.set("large-pointers/allocs-per-element", figures.Exactly(counted((t.timings["large-pointers"].allocs-t.timings["large-values"].allocs)/float64(n)), "allocs"))
	return nil
}

// use takes a copy, as the function that an element is passed to does.
//
//go:noinline
func (e largeElement) use() int { return e.ID + len(e.Rest[27]) }

//go:noinline
func (e *largeElement) usePointer() int { return e.ID + len(e.Rest[27]) }

// writers is tips 4 to 6.
func (t *trial) writers() error {
	u := someUser
	if err := t.compare(
		way{name: "room", do: func() error { keepText = u.appendWith(make([]byte, 0, 128), strconv.AppendQuote); return nil }},
		way{name: "no-room", do: func() error { keepText = u.appendWith(nil, strconv.AppendQuote); return nil }},
		way{name: "buffer", do: func() error { keepText = u.intoBuffer(); return nil }},
		marshal("room-marshal", methodUser(u)), marshal("no-room-marshal", roomlessUser(u)),
	); err != nil {
		return err
	}
	t.over("no-room", "room")
	t.over("no-room-marshal", "room-marshal")
	t.over("buffer", "room")
	t.set("buffer/allocs-beyond-room", figures.Exactly(counted(t.timings["buffer"].allocs-t.timings["room"].allocs), "allocs"))

	ascii, other, long := named10("field-%03d-xy"), named10("fi\u00e9ld\u00e9%03d-"), named10("field-%03d-"+strings.Repeat("long-", 7)+"end")
	if err := t.compare(marshal("ascii-names", ascii), marshal("other-names", other), marshal("long-names", long)); err != nil {
		return err
	}
	t.over("other-names", "ascii-names")
	t.over("long-names", "ascii-names")
	return nil
}

// roomlessUser is a user whose method grows its slice from nil.
type roomlessUser user

func (u roomlessUser) MarshalJSON() ([]byte, error) {
	return (*user)(&u).appendWith(nil, strconv.AppendQuote), nil
}

// intoBuffer writes the same pieces to a new bytes.Buffer.
func (u *user) intoBuffer() []byte {
	b := bytes.NewBuffer(make([]byte, 0, 128))
	number := func(n int) { b.Write(strconv.AppendInt(b.AvailableBuffer(), int64(n), 10)) }
	quote := func(s string) { b.Write(strconv.AppendQuote(b.AvailableBuffer(), s)) }
	b.WriteString(`{"id":`)
	number(u.ID)
	b.WriteString(`,"name":`)
	quote(u.Name)
	b.WriteString(`,"email":`)
	quote(u.Email)
	b.WriteString(`,"roles":[`)
	for i, role := range u.Roles {
		if i > 0 {
			b.WriteByte(',')
		}
		quote(role)
	}
	b.WriteString(`],"admin":`)
	b.Write(strconv.AppendBool(b.AvailableBuffer(), u.Admin))
	b.WriteString(`,"age":`)
	number(u.Age)
	b.WriteByte('}')
	return b.Bytes()
}

// named10 is a struct of ten int fields whose names follow a pattern.
func named10(pattern string) any {
	return makeStruct(10, func(i int) string { return fmt.Sprintf(pattern, i) })
}
