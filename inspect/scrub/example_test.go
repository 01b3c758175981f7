package scrub_test

import (
	"fmt"

	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/wire/splice"
)

func Example() {
	program, err := scrub.Compile(scrub.Spec{
		Remove:   []string{"/device/ifa", "/user/eids"},
		Truncate: []string{"/device/ip", "/device/geo"},
	})
	if err != nil {
		panic(err)
	}
	body := []byte(`{"id":"1", "device": {"ip":"192.0.2.129", "i\u0066a":"A", "geo":{"lat":52.37916,"zip":"1012"}}, "user":{"ext":{"eids":[1]}}}`)

	var scratch scrub.Scratch // one for each goroutine
	edits, err := program.Append(nil, body, &scratch, nil)
	if err != nil {
		panic(err)
	}
	out, err := splice.Apply(nil, body, edits...)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
	// Output:
	// {"id":"1", "device": {"ip":"192.0.2.0", "geo":{"lat":52.37,"zip":"1012"}}, "user":{"ext":{}}}
}

// The conditions of a configuration decide which specs are about a request.
func ExampleProgram_Append() {
	program, err := scrub.Compile(
		scrub.Spec{Remove: []string{"/user/id"}},                                               // when: regs.coppa == 1
		scrub.Spec{Hash: []string{"/user/id"}, Key: scrub.Key("a secret of 16 bytes or more")}, // when: true
	)
	if err != nil {
		panic(err)
	}
	var scratch scrub.Scratch
	for _, coppa := range []bool{false, true} {
		edits, err := program.Append(nil, []byte(`{"user":{"id":"alice"}}`), &scratch, []bool{coppa, true})
		if err != nil {
			panic(err)
		}
		for _, e := range edits {
			fmt.Printf("%s %s\n", e.Path, e.Value)
		}
	}
	// Output:
	// /user/id "e07874af8a9d63a81cacaef14425afe7"
	// /user/id
}

func ExampleCompile() {
	_, err := scrub.Compile(scrub.Spec{
		Remove:   []string{"/device/idfa", "/imp/0/ext"},
		Truncate: []string{"/user/id"},
	})
	fmt.Println(err)
	// Output:
	// scrub: remove /device/idfa: device has no field "idfa" (nearest: /device/ifa)
	// scrub: remove /imp/0/ext: imp is an array, whose elements are * (nearest: /imp/*/ext)
	// scrub: truncate /user/id: neither an address nor a coordinate nor a geo
}
