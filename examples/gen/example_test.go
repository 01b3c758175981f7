package gen_test

import (
	"errors"
	"fmt"

	"github.com/rtbwire/rtbwire/examples/gen"
	"github.com/rtbwire/rtbwire/wire"
)

func ExampleParseEvent() {
	e, err := gen.ParseEvent([]byte(`{"id":"e1","kind":2,"ts":1790000000000,"clicks":[{"x":3,"y":4}],"context":{"page":"/a"}}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(e.ID, e.Kind, e.Time, e.Price == nil, e.Clicks[0].Y, string(e.Context))
	// Output: e1 2 1790000000000 true 4 {"page":"/a"}
}

// A decoder of one goroutine reads one document after another into the same memory.
func ExampleEventDecoder() {
	d := gen.NewEventDecoder(wire.Strict())
	for _, doc := range []string{`{"id":"e1"}`, `{"id":"e2","kind":300}`, `{"id":"e3","id":"e3"}`} {
		e, err := d.Decode([]byte(doc))
		if refused := (*wire.Error)(nil); errors.As(err, &refused) {
			fmt.Printf("refused: %v at byte %d\n", refused.Code, refused.Offset)
			continue
		}
		fmt.Println(e.ID)
	}
	// Output:
	// e1
	// refused: range at byte 18
	// refused: duplicate at byte 11
}

// An arena is used again after its release. Decoding allocates nothing then.
func ExampleParseEventFastArena() {
	e, err := gen.ParseEventFastArena([]byte(`{"id":"e1","clicks":[{"x":3,"y":4}]}`))
	if err != nil {
		panic(err)
	}
	defer e.Release()
	fmt.Println(e.ID, e.Clicks)
	// Output: e1 [{3 4}]
}

// What has to outlive the document, or the decoder's next one, is cloned.
func ExampleEvent_Clone() {
	d := gen.NewEventDecoder()
	data := []byte(`{"id":"e1"}`)
	e, err := d.Decode(data)
	if err != nil {
		panic(err)
	}
	kept := e.Clone()
	copy(data, `{"id":"xx"}`)
	fmt.Println(kept.ID)
	// Output: e1
}
