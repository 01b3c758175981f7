package payload_test

import (
	"fmt"
	"log"

	"github.com/rtbwire/rtbwire/inspect/payload"
)

func ExampleScanner_Scan() {
	scanner, err := payload.New(payload.Options{Layers: payload.AllLayers})
	if err != nil {
		log.Fatal(err)
	}
	body := []byte(`{"id":"1","site":{"name":"a\u003cscript","page":"https://example.com/?q=union%20select"}}`)
	matches, verdict := scanner.Scan(nil, body)
	fmt.Println(verdict)
	for _, m := range matches {
		place, _ := payload.Locate(body, m.Offset)
		fmt.Println(scanner.Pattern(m.Pattern).ID, place.Pointer, m.Layered)
	}
	// Output:
	// found
	// xss.script-tag /site/name false
	// sqli.union-select /site/page true
}

func ExampleNew() {
	own := payload.Pattern{ID: "own.probe", Literal: "x-probe-7f3a", Why: "Our penetration test."}
	scanner, err := payload.New(payload.Options{
		Patterns: append(payload.Default(), own),
		Nested:   1, // looks into native.request
		Fields:   []payload.Field{{Pointer: "/seatbid/*/bid/*/adm", Harmless: []string{"xss.*"}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	matches, _ := scanner.Scan(nil, []byte(`{"seatbid":[{"bid":[{"adm":"<script>//X-Probe-7f3a"}]}]}`))
	for _, m := range matches {
		fmt.Println(scanner.Pattern(m.Pattern).ID)
	}

	_, err = payload.New(payload.Options{Patterns: []payload.Pattern{own, own}})
	fmt.Println(err)
	// Output:
	// own.probe
	// payload: two patterns have the id "own.probe"
}
